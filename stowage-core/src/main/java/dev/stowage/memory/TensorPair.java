package dev.stowage.memory;

import dev.stowage.error.InvalidTensorException;
import org.jspecify.annotations.Nullable;

/** Two tensors of the same layout, of which one is copied to the other: checked once for any number of copies. */
public final class TensorPair {

    private final BoundTensor from;
    private final BoundTensor to;
    /** A group that was found to have both buffers; groups never change, so that a stale value only costs time. */
    private @Nullable BufferGroup group;

    /**
     * A tensor, and the one it is copied to.
     *
     * @throws InvalidTensorException if the layouts differ
     */
    public TensorPair(BoundTensor from, BoundTensor to) {
        if (!from.layout().equals(to.layout())) {
            throw new InvalidTensorException("cannot copy " + from.describe() + " to " + to.describe()
                    + ": type, shape and strides must be the same");
        }
        this.from = from;
        this.to = to;
    }

    /** The tensor that is copied. */
    public BoundTensor from() {
        return from;
    }

    /** The tensor that is written. */
    public BoundTensor to() {
        return to;
    }

    /** Whether both are stored in buffers of a group. */
    boolean isStoredIn(BufferGroup buffers) {
        if (group == buffers) {
            return true;
        }
        boolean isStored = buffers.contains(from.buffer()) && buffers.contains(to.buffer());
        if (isStored) {
            group = buffers;
        }
        return isStored;
    }
}
