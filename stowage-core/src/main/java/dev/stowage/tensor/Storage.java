package dev.stowage.tensor;

/**
 * The memory a tensor lies in, as much of it as a tensor needs to know. Buffers are storages; this type lives here so
 * that a tensor can say where it lies without knowing how memory is made.
 */
public interface Storage {

    /** A name for messages: what kind of memory this is. */
    String name();

    /** How many bytes there are. */
    long size();
}
