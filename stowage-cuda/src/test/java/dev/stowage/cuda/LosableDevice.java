package dev.stowage.cuda;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.Event;
import dev.stowage.device.OpSupport;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.backend.LossInjection;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Lets the suite lose devices on purpose. */
record LosableDevice(CudaDevice device, Supplier<CudaDevice> others) implements Device, LossInjection {

    @Override
    public Subject another() {
        CudaDevice other = others.get();
        return new Subject(new LosableDevice(other, others), other.context().health()::lose);
    }

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public String description() {
        return device.description();
    }

    @Override
    public DeviceType type() {
        return device.type();
    }

    @Override
    public DeviceMemory memory() {
        return device.memory();
    }

    @Override
    public BufferType bufferType() {
        return device.bufferType();
    }

    @Override
    public OpSupport supports(Tensor node) {
        return device.supports(node);
    }

    @Override
    public boolean supportsBufferType(BufferType type) {
        return device.supportsBufferType(type);
    }

    @Override
    public Set<Capability> capabilities() {
        return device.capabilities();
    }

    @Override
    public Optional<BufferType> hostBufferType() {
        return device.hostBufferType();
    }

    @Override
    public Optional<Throwable> lossCause() {
        return device.lossCause();
    }

    @Override
    public Event createEvent() {
        return device.createEvent();
    }

    @Override
    public Backend open(BackendOptions options) {
        return device.open(options);
    }
}
