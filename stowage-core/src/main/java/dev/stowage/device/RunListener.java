package dev.stowage.device;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.List;

/**
 * Is notified of what ran where, and when. Backends {@linkplain BackendOptions#withListener opened with it} report
 * nodes; a scheduler that it is registered with reports splits and copies. Times are those of {@link
 * System#nanoTime()}.
 *
 * <p>It is called by the thread that did the work, right after it and within the call of the backend, possibly by
 * several threads at once where devices have their own threads. It should be quick, must not throw, and must not call a
 * backend. A listener that keeps a reference to a tensor keeps its memory reachable.
 */
@FunctionalInterface
public interface RunListener {

    /**
     * Nodes have been computed: one, or several in a row that the device computed as one. Nodes for which nothing had
     * to run, such as views, are reported only within such a row.
     *
     * @param nodes in the order of the graph; never empty
     */
    void computed(Backend backend, List<Tensor> nodes, long startNanos, long endNanos);

    /**
     * A split has run. On a device with {@link Capability#ASYNC} and {@link Capability#EVENTS} the times are those of its
     * nodes by the device's own clock, and the split is reported by a later call of the scheduler, once it is done; on one
     * without events the times are those of the submission. Elsewhere they include the copies of the split.
     *
     * @param split its number in the schedule
     * @param graph its nodes
     */
    default void ranSplit(Backend backend, int split, Graph graph, long startNanos, long endNanos) {}

    /**
     * A tensor has been copied for a split, or the copy has been submitted. Reported before the split.
     *
     * @param from the backend that the tensor is on
     * @param to the backend that it is copied to
     * @param split the number of the split that reads it
     * @param bytes how much was copied, which is less than the tensor has where only some of it is used
     */
    default void copied(
            Backend from, Backend to, int split, Tensor tensor, long bytes, long startNanos, long endNanos) {}

    /** A listener that passes on everything to this one, then to another. */
    default RunListener and(RunListener other) {
        return new RunListeners(this, other);
    }
}
