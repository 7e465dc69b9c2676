package dev.stowage.testkit.backend;

import dev.stowage.device.DeviceHealth;
import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.RowRange;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;

/** Memory that the host only reaches through calls: a handle, which has no address. */
final class MutantBuffer extends Buffer {

    /** The kind of memory, and what is wrong with it. */
    record Type(Defect defect, DeviceHealth health, Set<Long> fetched) implements BufferType {

        private static final MemorySegment SHARED = Arena.global().allocate(1 << 25, 64);

        @Override
        public String name() {
            return "hidden";
        }

        @Override
        public long alignment() {
            return 64;
        }

        @Override
        public boolean hasBulkCalls() {
            return true;
        }

        @Override
        public void fetchAllocationSizes(List<Tensor> tensors) {
            tensors.forEach(tensor -> fetched.add(tensor.serial()));
        }

        @Override
        public long allocationSize(Tensor tensor) {
            boolean wrong = defect == Defect.BULK_SIZES_DIFFER && fetched.contains(tensor.serial());
            return tensor.byteSize() + (wrong ? alignment() : 0);
        }

        @Override
        public Buffer allocate(long size) {
            if (defect != Defect.LOST_DEVICES_GIVE_BUFFERS) {
                health.require("mutant", "allocate");
            }
            boolean refused = size < 0 || size > 1 << 28 || (size == 0 && defect == Defect.EMPTY_BUFFERS_ARE_REFUSED);
            if (refused && (size < 0 || size == 0 || defect != Defect.HUGE_BUFFERS_ARE_CUT_SHORT)) {
                throw new AllocationException("cannot allocate " + size + " bytes", name(), size, 1 << 28);
            }
            return new MutantBuffer(this, Math.min(size, 1 << 28));
        }
    }

    private static final int WORD = 8;
    private static final long MEGABYTE = 1 << 20;

    private final Defect defect;
    private final DeviceHealth health;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment bytes;

    private MutantBuffer(Type type, long size) {
        super(type, size);
        this.defect = type.defect();
        this.health = type.health();
        this.bytes = defect == Defect.BUFFERS_SHARE_BYTES ? Type.SHARED.asSlice(0, size) : arena.allocate(size, 64);
    }

    @Override
    protected long baseAddress() {
        return defect == Defect.ADDRESSES_ARE_NOT_ALIGNED && size() > 1 << 16 ? 4 : 0;
    }

    @Override
    protected void doInitialize(List<BoundTensor> tensors) {
        if (defect == Defect.BULK_INITIALIZATION_IS_REFUSED) {
            throw new AccessException("no memory for " + tensors.size() + " tensors");
        }
    }

    @Override
    protected void onAcquire() {
        if (defect != Defect.LOST_BUFFERS_CAN_BE_READ) {
            health.require(name(), "access");
        }
    }

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        MemorySegment.copy(source, 0, bytes, offset, source.byteSize());
        long end = offset + source.byteSize();
        if (defect == Defect.SET_WRITES_ONE_BYTE_MORE && end < size()) {
            bytes.asSlice(end, 1).fill((byte) 0);
        }
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        long from = defect == Defect.GET_IGNORES_THE_OFFSET ? 0 : offset;
        MemorySegment.copy(bytes, from, target, 0, target.byteSize());
    }

    @Override
    protected void doMemset(long offset, long length, byte value) {
        boolean halfway = defect == Defect.CLEAR_STOPS_HALFWAY && length == size();
        long from = defect == Defect.FILL_IGNORES_THE_OFFSET ? 0 : offset;
        bytes.asSlice(from, halfway ? length / 2 : length).fill(value);
    }

    @Override
    protected void doSetRows(BoundTensor tensor, RowRange target, MemorySegment source, RowRange from) {
        super.doSetRows(tensor, defect == Defect.ROWS_ARE_WRITTEN_WITHOUT_GAPS ? dense(target) : target, source, from);
    }

    @Override
    protected void doGetRows(BoundTensor tensor, RowRange source, MemorySegment target, RowRange to) {
        super.doGetRows(tensor, source, target, defect == Defect.ROWS_ARE_READ_WITHOUT_GAPS ? dense(to) : to);
    }

    private static RowRange dense(RowRange rows) {
        return new RowRange(rows.offset(), rows.rowBytes(), rows.rows(), rows.rowBytes());
    }

    @Override
    protected boolean doTryCopy(BoundTensor from, BoundTensor to) {
        if (!(from.buffer() instanceof MutantBuffer other)) {
            return false;
        }
        long length = from.byteSize();
        long sourceOffset = defect == Defect.COPY_IGNORES_THE_SOURCE_OFFSET ? 0 : from.offset();
        long moved = switch (defect) {
            case COPY_MOVES_WHOLE_WORDS_ONLY -> length / WORD * WORD;
            case COPY_STOPS_AFTER_A_MEGABYTE -> Math.min(length, MEGABYTE);
            default -> length;
        };
        MemorySegment.copy(other.bytes, sourceOffset, bytes, to.offset(), moved);
        return true;
    }

    /** The bytes at an offset, for work that holds a lease: they are there although the buffer may be closed. */
    MemorySegment bytes(long offset, long length) {
        return bytes.asSlice(offset, length);
    }

    /** Sets a byte that no tensor was asked for. */
    void spoil(long offset) {
        if (offset >= 0 && offset < size()) {
            bytes.asSlice(offset, 1).fill((byte) ~bytes.get(ValueLayout.JAVA_BYTE, offset));
        }
    }

    @Override
    protected void doClose() {
        arena.close();
    }
}
