package dev.stowage.testkit.schedule;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.Event;
import dev.stowage.device.OpSupport;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;
import java.util.Set;

/** Does nothing, says nothing and allocates nothing, so that what is left is the scheduler's. */
record SilentDevice(HostBufferType bufferType) implements Device {

    @Override
    public String name() {
        return bufferType.name();
    }

    @Override
    public String description() {
        return "does nothing";
    }

    @Override
    public DeviceType type() {
        return DeviceType.GPU;
    }

    @Override
    public DeviceMemory memory() {
        return new DeviceMemory(Long.MAX_VALUE, Long.MAX_VALUE);
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.EVENTS);
    }

    @Override
    public OpSupport supports(Tensor node) {
        return OpSupport.yes();
    }

    @Override
    public boolean supportsBufferType(BufferType type) {
        return type.equals(bufferType);
    }

    @Override
    public boolean copiesAsyncFrom(Device producer) {
        return true;
    }

    @Override
    public Event createEvent() {
        return new Event() {
            @Override
            public Device device() {
                return SilentDevice.this;
            }

            @Override
            public void synchronize() {}

            @Override
            public boolean isDone() {
                return true;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public Backend open(BackendOptions options) {
        return new Backend(this) {
            @Override
            protected boolean doTryCopy(Backend producer, BoundTensor from, BoundTensor to) {
                return true;
            }

            @Override
            protected void doCompute(BoundGraph graph) {}

            @Override
            protected void doRecord(Event event) {}

            @Override
            protected void doClose() {}
        };
    }
}
