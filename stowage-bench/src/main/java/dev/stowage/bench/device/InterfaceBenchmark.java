package dev.stowage.bench.device;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.device.PreparedGraph;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Runs a graph of a thousand nodes on a device that only looks at each node. What is left is the cost of the interface,
 * per node. Run with {@code -prof gc} to see that it makes no garbage.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class InterfaceBenchmark {

    private static final int NODES = 1000;
    private static final BufferType MEMORY = MeasuringBufferType.of("idle", 64);

    private GraphAllocator allocator;
    private BoundGraph graph;
    private IdleBackend backend;
    private PreparedGraph prepared;

    @Setup(Level.Trial)
    public void open() {
        Tensor last = Tensor.leaf(Layout.contiguous(ElementType.F32, 64));
        for (int i = 0; i < NODES; i++) {
            last = Tensor.builder(last.layout()).op(Op.SQR).sources(last).build();
        }
        allocator = GraphAllocator.on(MEMORY);
        graph = allocator.bind(Graph.of(last));
        backend = new IdleBackend(new IdleDevice());
        prepared = backend.prepare(graph);
    }

    @TearDown(Level.Trial)
    public void close() {
        prepared.close();
        backend.close();
        allocator.close();
    }

    @Benchmark
    @OperationsPerInvocation(NODES)
    public int compute() {
        backend.compute(graph);
        return backend.seen;
    }

    @Benchmark
    @OperationsPerInvocation(NODES)
    public int computePrepared() {
        backend.compute(prepared);
        return backend.seen;
    }

    /** Counts the nodes it is given. */
    private static final class IdleBackend extends Backend {

        private int seen;

        IdleBackend(Device device) {
            super(device);
        }

        @Override
        protected void doCompute(BoundGraph bound) {
            Graph graph = bound.graph();
            for (int node = 0; node < graph.nodeCount(); node++) {
                seen += graph.op(node).isViewOp() ? 0 : 1;
            }
        }

        @Override
        protected void doClose() {}
    }

    /** A device with nothing to it. */
    private static final class IdleDevice implements Device {

        @Override
        public String name() {
            return "idle";
        }

        @Override
        public String description() {
            return "computes nothing";
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
            return MEMORY;
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
            return new IdleBackend(this);
        }
    }
}
