package dev.stowage.device;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.List;

/**
 * Is told what ran where, from when to when. Backends that are {@linkplain BackendOptions#withListener opened with it} tell
 * of nodes; a scheduler that is given it tells of splits and copies. The times are those of {@link System#nanoTime()}.
 *
 * <p>It is called by the thread that did the work, right behind it and within the call of the backend, so several threads
 * may come at once where devices have threads of their own. It should be quick, must not throw, and must not call a backend.
 * What it is given belongs to the run: a tensor that is kept keeps its memory from being given back.
 */
@FunctionalInterface
public interface RunListener {

    /**
     * Nodes have been computed: one, or several in a row that the device computed as one. Nodes for which nothing had to run,
     * such as views, are told of only where they lie within such a row.
     *
     * @param nodes in the order of the graph; never empty
     */
    void computed(Backend backend, List<Tensor> nodes, long startNanos, long endNanos);

    /**
     * A split has run, the copies it takes included. On a device with {@link Capability#ASYNC} it has only been handed in,
     * and its nodes are told of when they are done.
     *
     * @param split its number in the schedule
     * @param graph its nodes
     */
    default void ranSplit(Backend backend, int split, Graph graph, long startNanos, long endNanos) {}

    /**
     * A tensor has been copied for a split, or the copy has been handed in. This is told before the split is.
     *
     * @param from what the tensor is on
     * @param to what it is copied to
     * @param split the number of the split that takes it
     * @param bytes how much was copied, which is less than the tensor has where only some of it is used
     */
    default void copied(
            Backend from, Backend to, int split, Tensor tensor, long bytes, long startNanos, long endNanos) {}

    /** A listener that passes on everything to this one, then to another. */
    default RunListener and(RunListener other) {
        return new RunListeners(this, other);
    }
}
