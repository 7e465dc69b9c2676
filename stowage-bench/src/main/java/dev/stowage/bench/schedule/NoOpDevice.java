package dev.stowage.bench.schedule;

import dev.stowage.bench.ggml.schedule.NoOpRules;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.BufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** A device that computes and copies nothing, so that what is left of a run is the scheduler's own work. */
final class NoOpDevice implements Device {

    private final NoOpRules rules;
    private final NoOpMemory memory;
    /** The answers by op, made beforehand, so that asking costs next to nothing, as in the devices of ggml. */
    private final Map<Op, OpSupport> support = new EnumMap<>(Op.class);

    private final Set<Op> offloads = EnumSet.noneOf(Op.class);

    NoOpDevice(NoOpRules rules) {
        this.rules = rules;
        this.memory = new NoOpMemory(rules.memory());
        for (Op op : Op.values()) {
            boolean runs = op == Op.NONE || rules.supported().contains(op);
            support.put(op, runs ? OpSupport.yes() : OpSupport.no("it was made without " + op));
        }
        offloads.addAll(rules.offloaded());
    }

    @Override
    public String name() {
        return rules.name();
    }

    @Override
    public String description() {
        return "computes nothing";
    }

    @Override
    public DeviceType type() {
        return rules.type();
    }

    @Override
    public DeviceMemory memory() {
        return new DeviceMemory(Long.MAX_VALUE, Long.MAX_VALUE);
    }

    @Override
    public BufferType bufferType() {
        return memory;
    }

    @Override
    public OpSupport supports(Tensor node) {
        return Objects.requireNonNull(support.get(node.op()));
    }

    @Override
    public boolean supportsBufferType(BufferType type) {
        return rules.readable().contains(type.name());
    }

    @Override
    public boolean offloadsOp(Tensor node) {
        return offloads.contains(node.op());
    }

    @Override
    public boolean copiesAsyncFrom(Device producer) {
        return rules.copiesAsync() && producer instanceof NoOpDevice other && other.rules.copiesAsync();
    }

    @Override
    public Backend open(BackendOptions options) {
        return new NoOpBackend(this);
    }

    /** Takes everything on and does nothing. */
    private static final class NoOpBackend extends Backend {

        private final NoOpDevice device;

        NoOpBackend(NoOpDevice device) {
            super(device);
            this.device = device;
        }

        @Override
        protected boolean doTryCopy(Backend producer, BoundTensor from, BoundTensor to) {
            return device.copiesAsyncFrom(producer.device());
        }

        @Override
        protected void doCompute(BoundGraph graph) {}

        @Override
        protected void doClose() {}
    }
}
