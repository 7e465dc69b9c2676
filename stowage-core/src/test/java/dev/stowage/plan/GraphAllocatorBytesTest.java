package dev.stowage.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.function.LongFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs random graphs on real memory without computing anything: every node writes random bytes where it is stored, and what
 * a node reads must still be what was written there last. Nothing of a plan is looked at, only bytes.
 */
class GraphAllocatorBytesTest {

    /** A run: what every tensor that is not a view should hold. */
    private static final class Run {

        private final long seed;
        private final BoundGraph bound;
        private final Graph graph;
        private final Random random;
        private final IdentityHashMap<Tensor, byte[]> expected = new IdentityHashMap<>();

        Run(long seed, BoundGraph bound) {
            this.seed = seed;
            this.bound = bound;
            this.graph = bound.graph();
            this.random = new Random(seed);
        }

        void run() {
            for (int id = 0; id < graph.size(); id++) {
                boolean isThereFromTheStart = !graph.isNode(id) || graph.isInput(id);
                if (isThereFromTheStart && !graph.tensor(id).isView()) {
                    write(graph.tensor(id));
                }
            }
            for (int id = graph.nodeCount(); id < graph.size(); id++) {
                int owner = graph.viewSource(id) == Graph.NO_ID ? id : graph.viewSource(id);
                if (!graph.isNode(owner)) {
                    assertIntact(graph.tensor(id), "before the first node");
                }
            }
            for (Tensor node : graph.nodes()) {
                for (int slot = 0; slot < node.sourceCount(); slot++) {
                    if (node.hasSource(slot) && !node.source(slot).equals(node)) {
                        assertIntact(node.source(slot), "read by " + node.describe());
                    }
                }
                if (!node.isLeaf() && !node.op().isViewOp()) {
                    write(node);
                }
            }
            for (Tensor output : graph.outputs()) {
                if (!output.isView()) {
                    assertIntact(output, "after the last node");
                }
            }
        }

        private void write(Tensor tensor) {
            byte[] bytes = new byte[(int) tensor.byteSize()];
            random.nextBytes(bytes);
            bound.tensor(tensor).set(0, MemorySegment.ofArray(bytes));
            byte[] whole = expected.computeIfAbsent(owner(tensor), owner -> new byte[(int) owner.byteSize()]);
            System.arraycopy(bytes, 0, whole, (int) tensor.viewOffset(), bytes.length);
        }

        private void assertIntact(Tensor tensor, String when) {
            byte[] bytes = new byte[(int) tensor.byteSize()];
            bound.tensor(tensor).get(0, MemorySegment.ofArray(bytes));
            byte[] whole = expected.get(owner(tensor));
            int from = (int) tensor.viewOffset();

            assertThat(whole).as("seed %d: %s, %s", seed, tensor, when).isNotNull();
            assertThat(MemorySegment.ofArray(bytes)
                            .mismatch(MemorySegment.ofArray(whole).asSlice(from, bytes.length)))
                    .as("seed %d: first byte of %s that was overwritten, %s", seed, tensor, when)
                    .isEqualTo(-1);
        }

        private static Tensor owner(Tensor tensor) {
            return tensor.isView() ? tensor.viewSource() : tensor;
        }
    }

    static List<String> planners() {
        return Planner.names();
    }

    @ParameterizedTest
    @MethodSource("planners")
    void nothingIsOverwrittenThatIsStillNeeded(String planner) {
        runAll(RandomGraphs::graph, Planner.named(planner));
    }

    @ParameterizedTest
    @MethodSource("planners")
    void nothingIsOverwrittenThatIsStillNeededWhereGgmlWould(String planner) {
        runAll(RandomGraphs::oddGraph, Planner.named(planner));
    }

    private static void runAll(LongFunction<Graph> graphs, Planner planner) {
        HostBufferType small = HostBufferType.standard().withMaxBufferSize(1500);
        try (GraphAllocator allocator = GraphAllocator.on(List.of(HostBufferType.standard()), planner);
                GraphAllocator chunked = GraphAllocator.on(List.of(small), planner)) {
            for (long seed = 0; seed < 200; seed++) {
                Graph graph = graphs.apply(seed);
                List<Tensor> weights =
                        graph.leaves().stream().filter(Tensor::isWeight).toList();
                try (Buffer _ = Allocations.allocateAll(weights, HostBufferType.standard())) {
                    BoundGraph first = allocator.bind(graph);
                    BoundGraph second = chunked.bind(graph);
                    new Run(seed, first).run();
                    new Run(seed, second).run();
                }
            }
        }
    }
}
