package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.device.PreparedGraph;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A device made up by a test: by default it runs every op, has memory of its own that takes no bytes, reads no
 * other, and is done when a call returns. Its backends compute nothing and record the graphs that are submitted.
 */
public final class FakeDevice implements Device {

    static final long ALIGNMENT = 32;

    private final String name;
    private final Set<Op> refused = EnumSet.noneOf(Op.class);
    private final Set<Op> wanted = EnumSet.noneOf(Op.class);
    private final Set<Capability> capabilities = EnumSet.noneOf(Capability.class);
    private final Set<Device> asyncProducers = new HashSet<>();
    private final List<BufferType> readable = new ArrayList<>();
    private BufferType memory;
    private UnaryOperator<Graph> preferredOrder = UnaryOperator.identity();

    private FakeDevice(String name) {
        this.name = name;
        this.memory = MeasuringBufferType.of(name + " memory", ALIGNMENT);
    }

    /** A device with memory of its own. */
    public static FakeDevice called(String name) {
        return new FakeDevice(name);
    }

    /** A device whose memory the processor reaches. */
    public static FakeDevice onTheHost(String name) {
        FakeDevice device = new FakeDevice(name);
        device.memory = MeasuringBufferType.of("host", ALIGNMENT).withHost(true);
        return device;
    }

    public FakeDevice refusing(Op... ops) {
        refused.addAll(List.of(ops));
        return this;
    }

    FakeDevice runningOnly(Op... ops) {
        refused.addAll(EnumSet.complementOf(EnumSet.copyOf(List.of(ops))));
        return this;
    }

    /** Has it ask for such nodes although their weights are on the host. */
    public FakeDevice wanting(Op... ops) {
        wanted.addAll(List.of(ops));
        return this;
    }

    public FakeDevice reading(BufferType... types) {
        readable.addAll(List.of(types));
        return this;
    }

    /** Has it read in place what is stored in the memory of other devices. */
    public FakeDevice readingMemoryOf(FakeDevice... others) {
        for (FakeDevice other : others) {
            readable.add(other.memory);
        }
        return this;
    }

    /** Has its results stored in the memory of another device. */
    public FakeDevice workingInMemoryOf(FakeDevice other) {
        memory = other.memory;
        return this;
    }

    public FakeDevice having(Capability... newCapabilities) {
        capabilities.addAll(List.of(newCapabilities));
        return this;
    }

    public FakeDevice copyingAsyncFrom(Device... producers) {
        asyncProducers.addAll(List.of(producers));
        return this;
    }

    /** Has it reorder the nodes of its splits. */
    FakeDevice preferringOrder(UnaryOperator<Graph> newOrder) {
        preferredOrder = newOrder;
        return having(Capability.REORDER);
    }

    /** A weight that is stored in this device's memory. */
    public Tensor weight(String tensor) {
        return stored(tensor, memory, BufferUsage.WEIGHTS);
    }

    /** A tensor that is stored in this device's memory and is not a weight, as the cache of earlier tokens is. */
    public Tensor cache(String tensor) {
        return stored(tensor, memory, BufferUsage.ANY);
    }

    public static Tensor stored(String name, BufferType type, BufferUsage usage) {
        Tensor tensor = Tensors.leaf(name);
        place(tensor, type, usage);
        return tensor;
    }

    static void place(Tensor tensor, BufferType type, BufferUsage usage) {
        Buffer buffer = type.allocate(tensor.byteSize());
        buffer.setUsage(usage);
        buffer.place(tensor, 0);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String description() {
        return "made up";
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
    public Set<Capability> capabilities() {
        return capabilities;
    }

    @Override
    public BufferType bufferType() {
        return memory;
    }

    @Override
    public OpSupport supports(Tensor node) {
        return refused.contains(node.op())
                ? OpSupport.no(name + " has no " + node.op().name().toLowerCase(Locale.ROOT))
                : OpSupport.yes();
    }

    @Override
    public boolean supportsBufferType(BufferType type) {
        return type.equals(memory) || readable.contains(type);
    }

    @Override
    public boolean offloadsOp(Tensor node) {
        return wanted.contains(node.op());
    }

    @Override
    public boolean copiesAsyncFrom(Device producer) {
        return asyncProducers.contains(producer);
    }

    @Override
    public Graph reorder(Graph graph) {
        return preferredOrder.apply(graph);
    }

    @Override
    public FakeBackend open(BackendOptions options) {
        return new FakeBackend(this);
    }

    @Override
    public FakeBackend open() {
        return new FakeBackend(this);
    }

    @Override
    public String toString() {
        return name;
    }

    /** Computes nothing, and records what is submitted. */
    static final class FakeBackend extends Backend {

        private final List<BoundGraph> submitted = new ArrayList<>();
        private int prepared;
        private int closedPreparations;

        private FakeBackend(FakeDevice device) {
            super(device);
        }

        List<BoundGraph> submitted() {
            return submitted;
        }

        int prepared() {
            return prepared;
        }

        int closedPreparations() {
            return closedPreparations;
        }

        @Override
        protected PreparedGraph doPrepare(BoundGraph graph) {
            prepared++;
            return new Counted(graph);
        }

        @Override
        protected void doCompute(BoundGraph graph) {
            submitted.add(graph);
        }

        @Override
        protected void doClose() {}

        /** A prepared graph whose closing is counted. */
        private final class Counted extends PreparedGraph {

            private Counted(BoundGraph graph) {
                super(FakeBackend.this, graph);
            }

            @Override
            protected void doCompute() {
                FakeBackend.this.doCompute(graph());
            }

            @Override
            protected void doUpdate(BoundGraph newGraph) {}

            @Override
            protected void doClose() {
                closedPreparations++;
            }
        }
    }
}
