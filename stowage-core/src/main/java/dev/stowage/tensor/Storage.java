package dev.stowage.tensor;

/**
 * The memory a tensor is stored in. Implemented by buffers; it exists so that this package does not depend on that of
 * buffers. Callers use {@code Buffer}.
 */
public interface Storage {

    /** The name of this kind of memory, for messages. */
    String name();

    /** The size in bytes. */
    long size();

    /** Whether it is closed. */
    boolean isClosed();
}
