package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.TensorPair;

/**
 * A copy that a run makes before a split.
 *
 * @param tensors the tensor on its own device, and the one it is copied to
 * @param producer the backend of the source
 * @param mayBeAsync whether the two devices can order the copy themselves, without the host, or there is nothing to order,
 *     as for weights; the reader may still refuse it
 * @param mayBePrefetched whether it is a weight that no node writes and that is copied whole, which can be fetched before
 *     its turn
 */
record InputCopy(TensorPair tensors, Backend producer, boolean mayBeAsync, boolean mayBePrefetched) {

    BoundTensor source() {
        return tensors.from();
    }

    BoundTensor copy() {
        return tensors.to();
    }
}
