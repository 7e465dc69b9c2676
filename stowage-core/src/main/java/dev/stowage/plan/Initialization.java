package dev.stowage.plan;

import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Initialises memory for the tensors of a graph: one by one, or in one call per buffer where it has bulk calls. */
final class Initialization {

    private @Nullable IdentityHashMap<Buffer, List<BoundTensor>> bulk;

    /** Initialises a tensor at an offset of a buffer, now or when {@link #complete} is called. */
    void add(Tensor tensor, Buffer buffer, long offset) {
        if (buffer.type().hasBulkCalls()) {
            if (bulk == null) {
                bulk = new IdentityHashMap<>();
            }
            bulk.computeIfAbsent(buffer, _ -> new ArrayList<>()).add(BoundTensor.at(tensor, buffer, offset));
        } else if (tensor.isView()) {
            buffer.initializeView(BoundTensor.at(tensor, buffer, offset));
        } else {
            buffer.initialize(tensor, offset);
        }
    }

    /** Initialises what {@link #add} has left for bulk calls. */
    void complete() {
        if (bulk != null) {
            bulk.forEach(Buffer::initialize);
        }
    }
}
