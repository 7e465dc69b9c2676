package dev.stowage.reference;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBuffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** The processor, working in plain Java on one thread: runs every op, fast at none. */
final class ReferenceDevice implements Device {

    @Override
    public String name() {
        return "reference";
    }

    @Override
    public String description() {
        return "plain Java on one thread, the reference for all other devices";
    }

    @Override
    public DeviceType type() {
        return DeviceType.CPU;
    }

    @Override
    public boolean isLastResort() {
        return true;
    }

    @Override
    public DeviceMemory memory() {
        return HostMemory.now();
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.BUFFER_FROM_HOST);
    }

    @Override
    public BufferType bufferType() {
        return HostBufferType.standard();
    }

    @Override
    public Buffer bufferOver(MemorySegment segment) {
        return HostBuffer.over(segment);
    }

    @Override
    public OpSupport supports(Tensor node) {
        return ReferenceOps.supports(node);
    }

    @Override
    public boolean supportsBufferType(BufferType type) {
        return type.isHost();
    }

    @Override
    public Backend open(BackendOptions options) {
        return new ReferenceBackend(this, options);
    }
}
