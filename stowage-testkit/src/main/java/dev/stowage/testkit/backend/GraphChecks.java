package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.OpSupport;
import dev.stowage.device.compare.BackendComparison;
import dev.stowage.device.compare.GraphCopy;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Whole graphs, in memory that a plan gave them: results reuse the memory of tensors that are not live any more. */
final class GraphChecks {

    private GraphChecks() {}

    static List<Check> of(Device device, Device reference) {
        CheckGroup group = new CheckGroup("graphs", device, reference)
                .add("without nodes run", GraphChecks::empty)
                .add("of views alone run", GraphChecks::views)
                .add("of one op after the other come out right in planned memory", GraphChecks::chain)
                .add("in the order the device prefers come out the same", GraphChecks::reordered);
        for (ElementType weights :
                new ElementType[] {ElementType.F32, ElementType.F16, ElementType.Q8_0, ElementType.Q4_K}) {
            group.add(
                    "of a transformer layer with " + weights + " weights come out right in planned memory",
                    fixture -> transformer(fixture, weights));
        }
        return group.add("of a transformer layer come out right when copied to the device", GraphChecks::copied)
                .add("of a transformer layer agree node by node", GraphChecks::nodeByNode)
                .checks();
    }

    private static void empty(CheckFixture fixture) {
        Backend backend = fixture.open();
        backend.compute(Graph.listed(List.of(), List.of()));
        backend.computeAsync(BoundGraph.of(Graph.listed(List.of(), List.of())));
        backend.synchronize();
    }

    private static void views(CheckFixture fixture) {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input("x", ElementType.F32, 8, 4);
        Tensor y = b.reshape(b.view2d(x, 8, 2, x.stride(1), x.stride(1)), 16);
        fixture.buffer(fixture.room(x)).place(x, 0);
        byte[] bytes = Bytes.random(128, 1);
        Bytes.write(x, bytes);
        fixture.open().compute(b.build(y));
        Verify.bytes(Arrays.copyOfRange(bytes, 32, 96), Bytes.read(y), "two rows as one");
    }

    private static void chain(CheckFixture fixture) {
        SampleOp program = fixture.program();
        for (int steps : new int[] {1, 2, 3, 10}) {
            double[] expected = chained(program, steps, fixture.reference());
            SampleGraph.verify(expected, chained(program, steps, fixture.device()), steps + " times " + program);
        }
    }

    private static double[] chained(SampleOp program, int steps, Device device) {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input("x", ElementType.F32, SampleOp.WIDTH, SampleOp.WIDTH);
        Tensor c = b.input("c", ElementType.F32, SampleOp.WIDTH, SampleOp.WIDTH);
        Tensor last = x;
        for (int i = 0; i < steps; i++) {
            last = program.step(b, last, c);
        }
        Graph graph = b.build(last.asOutput());
        try (GraphAllocator allocator = GraphAllocator.on(device.bufferType());
                Backend backend = device.open()) {
            BoundGraph bound = allocator.bind(graph);
            Inputs.fill(bound);
            backend.compute(bound);
            return CheckFixture.read(bound.tensor(last));
        }
    }

    private static void reordered(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.lasting();
        Graph graph = sample.graph().graph();
        Graph reordered = fixture.device().reorder(graph);
        Verify.that(identities(reordered.nodes()).equals(identities(graph.nodes())), "reorder left out or added nodes");
        float[] input = sample.input(1);
        sample.compute(backend, input);
        backend.compute(sample.graph().part(reordered));
        SampleGraph.verify(
                fixture.expected(sample, input), CheckFixture.read(sample.y()), "in the order of the device");
    }

    private static Set<Tensor> identities(List<Tensor> tensors) {
        Set<Tensor> set = Collections.newSetFromMap(new IdentityHashMap<>());
        set.addAll(tensors);
        return set;
    }

    private static void transformer(CheckFixture fixture, ElementType weights) {
        TransformerLayer layer = new TransformerLayer(weights);
        requireSupport(fixture.device(), layer.graph());
        double[] expected = computed(new TransformerLayer(weights), fixture.reference());
        Verify.numbers(expected, computed(layer, fixture.device()), layer.maxError(), "the layer's output");
    }

    private static void requireSupport(Device device, Graph graph) {
        for (Tensor node : graph.nodes()) {
            OpSupport support = device.supports(node);
            if (!support.isSupported()) {
                throw new CheckSkipped(support.reason());
            }
        }
    }

    private static double[] computed(TransformerLayer layer, Device device) {
        try (GraphAllocator allocator = GraphAllocator.on(device.bufferType());
                Backend backend = device.open()) {
            BoundGraph bound = allocator.bind(layer.graph());
            Inputs.fill(bound);
            backend.compute(bound);
            return CheckFixture.read(bound.tensor(layer.output()));
        }
    }

    private static void copied(CheckFixture fixture) {
        TransformerLayer layer = new TransformerLayer(ElementType.F32);
        requireSupport(fixture.device(), layer.graph());
        try (GraphAllocator allocator = GraphAllocator.on(fixture.reference().bufferType());
                Backend host = fixture.reference().open()) {
            BoundGraph bound = allocator.bind(layer.graph());
            Inputs.fill(bound);
            try (GraphCopy copy = GraphCopy.of(bound, fixture.device().bufferType())) {
                fixture.open().compute(copy.bound());
                double[] actual = CheckFixture.read(BoundTensor.of(copy.copyOf(layer.output())));
                host.compute(bound);
                Verify.numbers(
                        CheckFixture.read(bound.tensor(layer.output())), actual, layer.maxError(), "the copy's output");
            }
        }
    }

    private static void nodeByNode(CheckFixture fixture) {
        TransformerLayer layer = new TransformerLayer(ElementType.F32);
        requireSupport(fixture.device(), layer.graph());
        try (GraphAllocator allocator = GraphAllocator.on(fixture.reference().bufferType());
                Backend host = fixture.reference().open()) {
            BoundGraph bound = allocator.bind(layer.graph());
            Inputs.fill(bound);
            List<Integer> seen = new ArrayList<>();
            BackendComparison.compare(host, fixture.open(), bound, (node, expected, actual) -> {
                seen.add(node);
                Verify.numbers(
                        CheckFixture.read(expected),
                        CheckFixture.read(actual),
                        layer.maxError(),
                        "node " + node + ", " + expected.describe());
                return true;
            });
            Verify.that(seen.size() == layer.graph().nodeCount(), "only " + seen.size() + " nodes were compared");
        }
    }
}
