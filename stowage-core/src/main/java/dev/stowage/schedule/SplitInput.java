package dev.stowage.schedule;

import dev.stowage.tensor.Tensor;
import java.util.List;

/**
 * A tensor that is brought over to another device before a split runs.
 *
 * @param source the tensor as its own device has it
 * @param from the number of the device it is on
 * @param to the number of the device it is copied to
 * @param copies the tensors it is copied to: one, or as many as there are runs in flight, used in turn
 */
public record SplitInput(Tensor source, int from, int to, List<Tensor> copies) {

    /** The bytes that cross when it is copied as a whole. */
    public long bytes() {
        return source.byteSize();
    }

    /** The copy that run number {@code index} of those in flight uses. */
    public Tensor copy(int index) {
        return copies.size() == 1 ? copies.getFirst() : copies.get(index);
    }
}
