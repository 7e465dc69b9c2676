package dev.stowage.schedule;

import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.Tensor;

/**
 * Looks at results while a graph runs. With an observer the nodes between two it wants to see still run in one go; the
 * device is waited for before each look.
 */
public interface NodeObserver {

    /** Whether this node is to be shown once it has been computed; asked before it is. */
    boolean wants(Tensor node);

    /**
     * Shows a node that has been computed.
     *
     * @return whether to go on; if not, the rest of the run is left out
     */
    boolean show(BoundTensor node);
}
