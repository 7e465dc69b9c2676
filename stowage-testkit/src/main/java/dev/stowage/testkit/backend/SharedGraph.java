package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** A small graph with one input that has no memory, so that it can be bound as often as wanted. */
final class SharedGraph {

    private static final int STEPS = 6;

    private final CheckFixture fixture;
    private final Tensor x;
    private final Tensor y;
    private final Graph graph;

    SharedGraph(CheckFixture fixture) {
        this.fixture = fixture;
        GraphBuilder b = new GraphBuilder();
        this.x = b.input("x", ElementType.F32, SampleOp.WIDTH, SampleOp.WIDTH);
        Tensor last = x;
        for (int i = 0; i < STEPS; i++) {
            last = fixture.program().step(b, last, x);
        }
        this.y = last.named("y").asOutput();
        this.graph = b.build(y);
    }

    Graph graph() {
        return graph;
    }

    Tensor x() {
        return x;
    }

    BoundTensor x(BoundGraph bound) {
        return bound.tensor(x);
    }

    BoundTensor y(BoundGraph bound) {
        return bound.tensor(y);
    }

    /** An allocator in memory of the device. */
    GraphAllocator allocator() {
        return allocator(fixture.device());
    }

    private GraphAllocator allocator(Device device) {
        GraphAllocator allocator = GraphAllocator.on(device.bufferType());
        fixture.afterwards(allocator::close);
        return allocator;
    }

    /** The graph in memory of the device that nothing else uses. */
    BoundGraph bind() {
        return allocator().bind(graph);
    }

    /** Numbers to run on, others for each seed. */
    static float[] input(int seed) {
        float[] values = new float[SampleOp.WIDTH * SampleOp.WIDTH];
        for (int i = 0; i < values.length; i++) {
            values[i] = ((i * 31 + seed * 17) % 101 - 50) / 400f;
        }
        return values;
    }

    static float[] output() {
        return new float[SampleOp.WIDTH * SampleOp.WIDTH];
    }

    /** What the reference makes of the same graph and the numbers of a seed. */
    double[] expected(int seed) {
        SharedGraph same = new SharedGraph(fixture);
        try (Backend backend = fixture.reference().open();
                GraphAllocator allocator = GraphAllocator.on(fixture.reference().bufferType())) {
            return same.computed(backend, allocator.bind(same.graph), seed);
        }
    }

    /** What a backend makes of the numbers of a seed. */
    double[] computed(Backend backend, BoundGraph bound, int seed) {
        x(bound).set(0, MemorySegment.ofArray(input(seed)));
        backend.compute(bound);
        return CheckFixture.read(y(bound));
    }
}
