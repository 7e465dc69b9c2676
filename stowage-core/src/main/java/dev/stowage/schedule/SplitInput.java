package dev.stowage.schedule;

import dev.stowage.tensor.Tensor;
import java.util.List;

/**
 * A tensor that is copied to another device before a split runs.
 *
 * @param source the tensor on its own device
 * @param from the number of the device it is on
 * @param to the number of the device it is copied to
 * @param copies the tensors it is copied to: one, or one per pipeline slot
 */
public record SplitInput(Tensor source, int from, int to, List<Tensor> copies) {

    public long bytes() {
        return source.byteSize();
    }
}
