package dev.stowage.device;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Objects;

/** Two listeners as one. */
record RunListeners(RunListener first, RunListener second) implements RunListener {

    RunListeners {
        Objects.requireNonNull(first);
        Objects.requireNonNull(second);
    }

    @Override
    public void computed(Backend backend, List<Tensor> nodes, long startNanos, long endNanos) {
        first.computed(backend, nodes, startNanos, endNanos);
        second.computed(backend, nodes, startNanos, endNanos);
    }

    @Override
    public void ranSplit(Backend backend, int split, Graph graph, long startNanos, long endNanos) {
        first.ranSplit(backend, split, graph, startNanos, endNanos);
        second.ranSplit(backend, split, graph, startNanos, endNanos);
    }

    @Override
    public void copied(Backend from, Backend to, int split, Tensor tensor, long bytes, long startNanos, long endNanos) {
        first.copied(from, to, split, tensor, bytes, startNanos, endNanos);
        second.copied(from, to, split, tensor, bytes, startNanos, endNanos);
    }
}
