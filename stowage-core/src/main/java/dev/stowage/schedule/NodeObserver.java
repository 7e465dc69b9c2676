package dev.stowage.schedule;

import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.Tensor;

/**
 * Observes results while a graph runs ({@code ggml_backend_sched_eval_callback}). Nodes between two observed ones still
 * run in one go; the device is waited for before each observation.
 */
public interface NodeObserver {

    /** Whether to show this node once it has been computed. */
    boolean wants(Tensor node);

    /**
     * Shows a node that has been computed.
     *
     * @return whether to continue; if not, the rest of the run is skipped
     */
    boolean show(BoundTensor node);
}
