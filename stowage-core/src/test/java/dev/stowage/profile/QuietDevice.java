package dev.stowage.profile;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;

/** A device with a name that does nothing: tests report its work themselves. */
record QuietDevice(String name) implements Device {

    static Backend open(String name) {
        return new QuietDevice(name).open();
    }

    @Override
    public String description() {
        return "does nothing";
    }

    @Override
    public DeviceType type() {
        return DeviceType.CPU;
    }

    @Override
    public DeviceMemory memory() {
        return new DeviceMemory(0, 0);
    }

    @Override
    public BufferType bufferType() {
        return HostBufferType.standard();
    }

    @Override
    public OpSupport supports(Tensor node) {
        return OpSupport.yes();
    }

    @Override
    public boolean supportsBufferType(BufferType type) {
        return true;
    }

    @Override
    public Backend open(BackendOptions options) {
        return new Backend(this) {
            @Override
            protected void doCompute(BoundGraph graph) {}

            @Override
            protected void doClose() {}
        };
    }
}
