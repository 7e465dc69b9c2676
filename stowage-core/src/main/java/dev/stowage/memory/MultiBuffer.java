package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Several buffers as one, for tensors that do not fit in one buffer; ggml's {@code ggml_backend_multi_buffer}. Its size
 * is the sum; clear, reset, setUsage and close apply to every part. Tensors are placed in the parts. Its type is that
 * of the first part.
 *
 * <p>Thread-safe. Accesses to the same bytes must be ordered by the caller.
 */
public final class MultiBuffer extends Buffer {

    private final List<Buffer> parts;

    private MultiBuffer(List<Buffer> parts, long size) {
        super(parts.getFirst().type(), size);
        this.parts = parts;
    }

    /**
     * One owner for these buffers, which from now on belong to it.
     *
     * @throws AllocationException if there is none, or they have more bytes than a {@code long} can count
     */
    public static MultiBuffer of(List<? extends Buffer> buffers) {
        List<Buffer> parts = List.copyOf(buffers);
        if (parts.isEmpty()) {
            throw new AllocationException("a multi-buffer needs at least one buffer", "multi-buffer", 0, -1);
        }
        long size = 0;
        for (Buffer part : parts) {
            size += part.size();
            if (size < 0) {
                throw new AllocationException(
                        "the " + parts.size() + " buffers of " + part.name()
                                + " have more bytes together than a long can count",
                        part.name(),
                        Long.MAX_VALUE,
                        -1);
            }
        }
        return new MultiBuffer(parts, size);
    }

    /** The buffers that tensors are stored in, in the order given. */
    public List<Buffer> parts() {
        return parts;
    }

    /** Whether a part is read-only; clearing the whole is refused then. */
    @Override
    public boolean isReadOnly() {
        return parts.stream().anyMatch(Buffer::isReadOnly);
    }

    @Override
    protected long baseAddress() {
        throw notOneMemory();
    }

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        throw notOneMemory();
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        throw notOneMemory();
    }

    /** Tensors are only placed in parts, so that this is only called by {@link #clear}. */
    @Override
    protected void doMemset(long offset, long length, byte value) {
        requireOpenParts();
        parts.forEach(part -> part.clear(value));
    }

    @Override
    protected void onUsage(BufferUsage newUsage) {
        requireOpenParts();
        parts.forEach(part -> part.setUsage(newUsage));
    }

    @Override
    protected void onReset() {
        requireOpenParts();
        parts.forEach(Buffer::reset);
    }

    @Override
    protected void doClose() {
        Cleanup.closeAll(parts);
    }

    private void requireOpenParts() {
        parts.forEach(Buffer::requireOpen);
    }

    private AccessException notOneMemory() {
        return new AccessException("the buffer " + this + " consists of " + parts.size()
                + " buffers with addresses of their own: place tensors in one of its parts()");
    }
}
