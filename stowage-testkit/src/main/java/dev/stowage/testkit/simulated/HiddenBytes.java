package dev.stowage.testkit.simulated;

import dev.stowage.error.ClosedException;
import dev.stowage.memory.BoundTensor;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Reaches the bytes of tensors in hidden memory, with the checks a buffer makes before bytes are touched. */
final class HiddenBytes {

    private HiddenBytes() {}

    /**
     * The simulated buffer that a tensor is stored in, if it is stored in one. It may have been closed meanwhile: the
     * backend holds a lease on it, so that its bytes are still there.
     */
    static @Nullable SimulatedBuffer bufferOf(BoundTensor tensor) {
        return tensor.buffer() instanceof SimulatedBuffer buffer ? buffer : null;
    }

    /** All bytes of a tensor in such a buffer. */
    static MemorySegment of(SimulatedBuffer buffer, BoundTensor tensor) {
        return buffer.hidden().segment().asSlice(tensor.offset(), tensor.byteSize());
    }

    /**
     * The bytes of a tensor in such a buffer from {@code offset} on that are to be exchanged with {@code other}; the
     * backend has checked that they are within the tensor.
     *
     * @throws ClosedException if the other's bytes are gone
     */
    static MemorySegment range(SimulatedBuffer buffer, BoundTensor tensor, long offset, MemorySegment other) {
        long length = other.byteSize();
        if (!other.scope().isAlive()) {
            throw new ClosedException("the segment of " + length + " bytes belongs to a closed arena");
        }
        return of(buffer, tensor).asSlice(offset, length);
    }
}
