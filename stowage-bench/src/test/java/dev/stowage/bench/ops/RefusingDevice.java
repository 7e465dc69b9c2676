package dev.stowage.bench.ops;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Tensor;

/** Another device that computes nothing. */
record RefusingDevice(Device other) implements Device {

    @Override
    public String name() {
        return "refusing";
    }

    @Override
    public String description() {
        return "refuses everything";
    }

    @Override
    public DeviceType type() {
        return other.type();
    }

    @Override
    public DeviceMemory memory() {
        return other.memory();
    }

    @Override
    public BufferType bufferType() {
        return other.bufferType();
    }

    @Override
    public OpSupport supports(Tensor node) {
        return OpSupport.no("too hot today");
    }

    @Override
    public boolean supportsBufferType(BufferType type) {
        return other.supportsBufferType(type);
    }

    @Override
    public Backend open(BackendOptions options) {
        return other.open(options);
    }
}
