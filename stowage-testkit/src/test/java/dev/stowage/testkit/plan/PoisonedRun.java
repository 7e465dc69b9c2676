package dev.stowage.testkit.plan;

import dev.stowage.device.Backend;
import dev.stowage.device.compare.GraphCopy;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.plan.Liveness;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.Planner;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Runs a computation node by node in the memory of a plan. Before each node, every byte that no tensor needs any more or
 * yet becomes part of a NaN; so does everything but the outputs after the last. A plan that puts something where it does
 * not belong then gives other numbers.
 */
final class PoisonedRun {

    private static final byte POISON = (byte) 0xff;

    private final RandomComputation computation;
    private final Graph graph;
    private final Liveness liveness;
    private final BoundGraph bound;
    private final MemoryPlan plan;
    private final List<Buffer> chunks;

    private PoisonedRun(RandomComputation computation, GraphAllocator allocator, Graph graph) {
        this.computation = computation;
        this.graph = graph;
        this.liveness = Liveness.of(graph);
        this.bound = allocator.bind(graph);
        this.plan = bound.plan().orElseThrow();
        this.chunks = allocator.buffers(0);
    }

    /** The bytes of every output when each tensor has a place of its own. */
    static Map<Tensor, List<Byte>> apart(Backend backend, RandomComputation computation) {
        Graph graph = computation.graph();
        try (GraphCopy copy = GraphCopy.of(graph, HostBufferType.standard())) {
            Function<Tensor, BoundTensor> places = tensor -> BoundTensor.of(copy.copyOf(tensor));
            computation.writeInputs(places);
            backend.compute(copy.bound());
            return outputs(graph, places);
        }
    }

    /** The bytes of every output when the tensors are stored where a planner puts them, the nodes in the order of that graph. */
    static Map<Tensor, List<Byte>> planned(
            Backend backend, RandomComputation computation, Graph graph, Planner planner, BufferType type) {
        try (GraphAllocator allocator = GraphAllocator.on(List.of(type), planner)) {
            PoisonedRun run = new PoisonedRun(computation, allocator, graph);
            run.compute(backend);
            return outputs(graph, run.bound::tensor);
        }
    }

    private void compute(Backend backend) {
        chunks.forEach(chunk -> chunk.clear(POISON));
        computation.writeInputs(bound::tensor);
        for (int node = 0; node < graph.nodeCount(); node++) {
            poisonAllBut(node);
            backend.compute(bound.part(graph.slice(node, node + 1)));
        }
        poisonAllBut(graph.nodeCount());
    }

    /** Leaves what was written before that node and is needed there or later. */
    private void poisonAllBut(int node) {
        boolean[][] needed = new boolean[chunks.size()][];
        for (int chunk = 0; chunk < needed.length; chunk++) {
            needed[chunk] = new boolean[Math.toIntExact(chunks.get(chunk).size())];
        }
        for (int id = 0; id < graph.size(); id++) {
            if (plan.isPlanned(id) && liveness.from(id) < node && liveness.to(id) >= node) {
                for (long at = plan.offset(id); at < plan.offset(id) + plan.size(id); at++) {
                    needed[plan.chunk(id)][(int) at] = true;
                }
            }
        }
        for (int chunk = 0; chunk < needed.length; chunk++) {
            MemorySegment bytes = chunks.get(chunk).segment();
            for (int at = 0; at < needed[chunk].length; at++) {
                if (!needed[chunk][at]) {
                    bytes.set(ValueLayout.JAVA_BYTE, at, POISON);
                }
            }
        }
    }

    private static Map<Tensor, List<Byte>> outputs(Graph graph, Function<Tensor, BoundTensor> places) {
        Map<Tensor, List<Byte>> outputs = new HashMap<>();
        for (Tensor output : graph.outputs()) {
            byte[] bytes = places.apply(output).segment().toArray(ValueLayout.JAVA_BYTE);
            List<Byte> boxed = new ArrayList<>();
            for (byte each : bytes) {
                boxed.add(each);
            }
            outputs.put(output, boxed);
        }
        return outputs;
    }
}
