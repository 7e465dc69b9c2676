package dev.stowage.bench.ops;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;

/** A graph, what is in its leaves, and which tensor to compare afterwards. */
final class BenchWorkload {

    private final Graph graph;
    private final Map<Tensor, MemorySegment> contents;
    private final Tensor result;

    BenchWorkload(Graph graph, Map<Tensor, MemorySegment> contents, Tensor result) {
        this.graph = graph;
        this.contents = Map.copyOf(contents);
        this.result = result;
    }

    Graph graph() {
        return graph;
    }

    /** The bytes that a leaf holds. */
    MemorySegment contents(Tensor leaf) {
        return Objects.requireNonNull(contents.get(leaf), () -> leaf.describe() + " has no contents");
    }

    Tensor result() {
        return result;
    }
}
