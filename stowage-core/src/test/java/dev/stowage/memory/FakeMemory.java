package dev.stowage.memory;

import dev.stowage.error.AllocationException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a device that does not exist: bytes the host cannot reach, which keeps a record of everything that is asked
 * of it and can be made to fail at any point.
 */
final class FakeMemory implements BufferType {

    private final String name;
    private final long alignment;
    private final long maxBufferSize;

    /** The sizes asked for, in order, given or not. */
    final List<Long> requests = new ArrayList<>();

    /** What was given and is not yet released. */
    final List<FakeBuffer> open = new ArrayList<>();

    /** The names of the tensors that were initialised, in order. */
    final List<String> initialized = new ArrayList<>();

    /** By how many bytes the buffers begin after an aligned address. */
    long misalignment;

    /** The request to refuse, counted from 0; -1 for none. */
    int refusedRequest = -1;

    /** The tensor whose initialisation fails. */
    String refusedTensor = "no such tensor";

    /** Whether releasing fails. */
    boolean failsOnRelease;

    /** Whether buffers larger than the largest size are given all the same, as some devices do. */
    boolean givesLarger;

    /** Whether buffers copy among each other without the host. */
    boolean copiesDirectly;

    FakeMemory(String name, long alignment, long maxBufferSize) {
        this.name = name;
        this.alignment = alignment;
        this.maxBufferSize = maxBufferSize;
    }

    static FakeMemory aligned(long alignment) {
        return new FakeMemory("fake", alignment, Long.MAX_VALUE);
    }

    /** A tensor of that many bytes. */
    static Tensor bytes(String name, long size) {
        return Tensor.leaf(Layout.contiguous(ElementType.I8, size)).named(name);
    }

    /** Whether a tensor has memory of its own at that offset of that buffer. */
    @SuppressWarnings("ReferenceEquality") // two buffers are never the same memory
    static boolean isAt(Tensor tensor, Buffer buffer, long offset) {
        return tensor.isPlaced() && Buffer.of(tensor) == buffer && tensor.storageOffset() == offset;
    }

    /** A view of {@code size} bytes, {@code offset} bytes after the beginning of {@code source}. */
    static Tensor view(Tensor source, String name, long offset, long size) {
        return Tensor.builder(Layout.contiguous(ElementType.I8, size))
                .viewOf(source, offset)
                .name(name)
                .build();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long alignment() {
        return alignment;
    }

    @Override
    public long maxBufferSize() {
        return maxBufferSize;
    }

    @Override
    public FakeBuffer allocate(long size) {
        int request = requests.size();
        requests.add(size);
        if (request == refusedRequest || (size > maxBufferSize && !givesLarger)) {
            throw new AllocationException(
                    "cannot allocate " + size + " bytes of " + name + " of at most " + maxBufferSize,
                    name,
                    size,
                    maxBufferSize);
        }
        FakeBuffer buffer = new FakeBuffer(Math.toIntExact(size));
        open.add(buffer);
        return buffer;
    }

    /** A buffer of such memory. */
    final class FakeBuffer extends Buffer {

        final byte[] memory;
        int directCopies;
        int reads;
        int writes;
        int resets;
        long largestPiece;

        @Nullable
        Tensor lastRead;

        @Nullable
        Tensor lastWritten;

        @Nullable
        Tensor copiedFrom;

        @Nullable
        Tensor copiedTo;

        private FakeBuffer(int size) {
            super(FakeMemory.this, size);
            memory = new byte[size];
        }

        @Override
        protected long baseAddress() {
            return alignment * 1024 + misalignment;
        }

        @Override
        protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
            writes++;
            lastWritten = tensor.tensor();
            largestPiece = Math.max(largestPiece, source.byteSize());
            MemorySegment.copy(source, 0, MemorySegment.ofArray(memory), offset, source.byteSize());
        }

        @Override
        protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
            reads++;
            lastRead = tensor.tensor();
            largestPiece = Math.max(largestPiece, target.byteSize());
            MemorySegment.copy(MemorySegment.ofArray(memory), offset, target, 0, target.byteSize());
        }

        @Override
        protected void doMemset(long offset, long length, byte value) {
            Arrays.fill(memory, Math.toIntExact(offset), Math.toIntExact(offset + length), value);
        }

        @Override
        protected boolean doTryCopy(BoundTensor from, BoundTensor to) {
            if (!copiesDirectly || !(from.buffer() instanceof FakeBuffer fake)) {
                return false;
            }
            directCopies++;
            copiedFrom = from.tensor();
            copiedTo = to.tensor();
            for (int i = 0; i < from.byteSize(); i++) {
                memory[(int) to.offset() + i] = fake.memory[(int) from.offset() + i];
            }
            return true;
        }

        @Override
        protected void doInitialize(BoundTensor tensor) {
            if (tensor.tensor().name().equals(refusedTensor)) {
                throw new AllocationException("no room to describe " + tensor.describe(), name, 0, 0);
            }
            initialized.add(tensor.tensor().name());
        }

        @Override
        protected void onReset() {
            resets++;
        }

        @Override
        protected void doClose() {
            open.removeIf(this::is);
            if (failsOnRelease) {
                throw new IllegalStateException("cannot release " + size() + " bytes");
            }
        }
    }
}
