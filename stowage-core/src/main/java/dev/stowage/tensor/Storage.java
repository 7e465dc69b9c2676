package dev.stowage.tensor;

/**
 * The memory a tensor is stored in: the superclass of buffers. It exists so that this package does not depend on that
 * of buffers, and so that only buffers can place tensors. Callers use {@code Buffer}.
 */
public abstract class Storage {

    /** For buffers. */
    protected Storage() {}

    /** The name of this kind of memory, for messages. */
    public abstract String name();

    /** The size in bytes. */
    public abstract long size();

    /** Whether it is closed. */
    public abstract boolean isClosed();

    /**
     * Gives a tensor memory of its own at an offset of this storage, until this is closed. Subclasses check alignment
     * first.
     *
     * @throws dev.stowage.error.InvalidTensorException if it is a view, which is stored where its source is
     * @throws dev.stowage.error.AccessException if the range is not within this storage, or the tensor has memory that
     *     is still open
     */
    protected final void assign(Tensor tensor, long offset) {
        tensor.place(this, offset);
    }

    /**
     * The storage of a tensor with memory of its own; for a view that of its source.
     *
     * @throws dev.stowage.error.AccessException if it has none
     */
    protected static Storage storageOf(Tensor tensor) {
        return tensor.storage();
    }
}
