package dev.stowage.llm;

import dev.stowage.device.Device;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Host memory that arrays go through on their way to and from a device whose memory the host does not reach: a device
 * transfers fastest with its own {@linkplain Device#hostBufferType() kind of host memory}, and cannot transfer with the
 * Java heap at all. What is stored in host memory is read and written directly.
 */
final class HostStaging implements AutoCloseable {

    private final IdentityHashMap<Device, Buffer> buffers = new IdentityHashMap<>();

    /** Writes an array into the first bytes of a tensor on a device. */
    void write(BoundTensor tensor, Device device, MemorySegment array) {
        if (tensor.buffer().isHost()) {
            tensor.set(0, array);
            return;
        }
        MemorySegment staging = staging(device, array.byteSize());
        staging.copyFrom(array);
        tensor.set(0, staging);
    }

    /** Reads the first bytes of a tensor on a device into {@code count} arrays of equal length, {@code first} on. */
    void read(BoundTensor tensor, Device device, List<MemorySegment> arrays, int first, int count) {
        long length = arrays.get(first).byteSize();
        if (tensor.buffer().isHost()) {
            for (int i = 0; i < count; i++) {
                tensor.get(i * length, arrays.get(first + i));
            }
            return;
        }
        MemorySegment staging = staging(device, count * length);
        tensor.get(0, staging);
        for (int i = 0; i < count; i++) {
            MemorySegment.copy(staging, i * length, arrays.get(first + i), 0, length);
        }
    }

    private MemorySegment staging(Device device, long bytes) {
        @Nullable Buffer buffer = buffers.get(device);
        if (buffer == null || buffer.size() < bytes) {
            BufferType type = device.hostBufferType().orElse(HostBufferType.standard());
            Buffer larger = Allocations.allocate(type, bytes);
            buffers.put(device, larger);
            if (buffer != null) {
                buffer.close();
            }
            buffer = larger;
        }
        return buffer.segment().asSlice(0, bytes);
    }

    @Override
    public void close() {
        buffers.values().forEach(Buffer::close);
        buffers.clear();
    }
}
