package dev.stowage.llm.fit;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.util.Optional;
import java.util.Set;

/**
 * A device as a scheduler will see it once weights and caches are stored there: everything as the device itself says,
 * but for the memory that is then left. A placement by cost keeps to that memory.
 *
 * @param budget the device, and what may be taken there
 * @param held the bytes that weights and caches take
 */
record BudgetedDevice(DeviceBudget budget, long held) implements Device {

    private Device device() {
        return budget.device();
    }

    @Override
    public String name() {
        return device().name();
    }

    @Override
    public String description() {
        return device().description();
    }

    @Override
    public DeviceType type() {
        return device().type();
    }

    @Override
    public boolean isLastResort() {
        return device().isLastResort();
    }

    @Override
    public DeviceMemory memory() {
        long left = budget.isLimited() ? Math.max(0, budget.bytes() - held) : budget.bytes();
        return new DeviceMemory(left, budget.bytes());
    }

    @Override
    public Set<Capability> capabilities() {
        return device().capabilities();
    }

    @Override
    public BufferType bufferType() {
        return device().bufferType();
    }

    @Override
    public Optional<BufferType> hostBufferType() {
        return device().hostBufferType();
    }

    @Override
    public BufferType weightsType(Layout layout) {
        return device().weightsType(layout);
    }

    @Override
    public OpSupport supports(Tensor node) {
        return device().supports(node);
    }

    @Override
    public boolean[] supports(Graph graph) {
        return device().supports(graph);
    }

    @Override
    public Graph reorder(Graph graph) {
        return device().reorder(graph);
    }

    @Override
    public Optional<Throwable> lossCause() {
        return device().lossCause();
    }

    @Override
    public boolean supportsBufferType(BufferType type) {
        return device().supportsBufferType(type);
    }

    @Override
    public boolean offloadsOp(Tensor node) {
        return device().offloadsOp(node);
    }

    @Override
    public boolean copiesAsyncFrom(Device producer) {
        return device().copiesAsyncFrom(producer instanceof BudgetedDevice other ? other.device() : producer);
    }

    @Override
    public Backend open(BackendOptions options) {
        throw DeviceException.of(name(), "open", "this is a plan for it: open the device itself");
    }
}
