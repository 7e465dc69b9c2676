package dev.stowage.testkit.simulated;

import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Reaches the bytes of tensors in hidden memory, with the checks a buffer makes before bytes are touched. */
final class HiddenBytes {

    private HiddenBytes() {}

    /** The simulated buffer that a tensor lies in, if it lies in one that is open. */
    static @Nullable SimulatedBuffer bufferOf(Tensor tensor) {
        return Buffer.of(tensor) instanceof SimulatedBuffer buffer && !buffer.isClosed() ? buffer : null;
    }

    /** All bytes of a tensor in such a buffer. */
    static MemorySegment of(SimulatedBuffer buffer, Tensor tensor) {
        return buffer.hidden().segment().asSlice(tensor.storageOffset(), tensor.byteSize());
    }

    /**
     * The bytes of a tensor in such a buffer from {@code offset} on that are to be exchanged with {@code other}; the
     * backend has checked that they are within the tensor.
     *
     * @throws ClosedException if the other's bytes are gone
     */
    static MemorySegment range(SimulatedBuffer buffer, Tensor tensor, long offset, MemorySegment other) {
        long length = other.byteSize();
        if (!other.scope().isAlive()) {
            throw new ClosedException("the segment of " + length + " bytes belongs to a closed arena");
        }
        return of(buffer, tensor).asSlice(offset, length);
    }

    /**
     * The memory of the host that a tensor the device works on really lies in.
     *
     * @throws DeviceException if the device cannot reach it
     */
    static Buffer hostBuffer(SimulatedDevice device, Tensor node, Tensor tensor) {
        Buffer buffer = Buffer.of(tensor);
        if (!device.supportsBufferType(buffer.type())) {
            throw device.compute(node).failure("it does not reach " + tensor.describe() + ", which lies in " + buffer);
        }
        if (buffer.isClosed()) {
            throw new ClosedException(
                    tensor.describe() + " lies in the buffer " + buffer + ": displace() it and give it other memory");
        }
        if (buffer instanceof SimulatedBuffer simulated) {
            return simulated.hidden();
        }
        if (!buffer.hasSegment()) {
            throw device.compute(node)
                    .failure("it can reach no bytes of " + tensor.describe() + ", which lies in " + buffer);
        }
        return buffer;
    }
}
