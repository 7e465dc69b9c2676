package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.error.DeviceException;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;

/** A device that has memory and runs nothing. */
final class IdleDevice implements Device {

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public String description() {
        return "runs nothing";
    }

    @Override
    public DeviceType type() {
        return DeviceType.ACCELERATOR;
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
        return node.isLeaf() || node.op().isViewOp() ? OpSupport.yes() : OpSupport.no("it runs nothing");
    }

    @Override
    public boolean supportsBufferType(BufferType type) {
        return type.isHost();
    }

    @Override
    public Backend open(BackendOptions options) {
        return new Backend(this) {
            @Override
            protected void doCompute(BoundGraph bound) {
                for (Tensor node : bound.graph().nodes()) {
                    if (!supports(node).isSupported()) {
                        throw DeviceException.of(
                                "idle",
                                "compute",
                                node.describe(),
                                supports(node).reason());
                    }
                }
            }

            @Override
            protected void doClose() {}
        };
    }
}
