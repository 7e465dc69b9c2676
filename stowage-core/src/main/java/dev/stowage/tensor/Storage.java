package dev.stowage.tensor;

/**
 * The memory a tensor is stored in, as much of it as a tensor needs to know. Buffers are storages; this type is here so
 * that a tensor can refer to its memory without knowing how memory is made.
 */
public interface Storage {

    /** A name for messages: what kind of memory this is. */
    String name();

    /** How many bytes there are. */
    long size();

    /** Whether the memory has been given back. */
    boolean isClosed();
}
