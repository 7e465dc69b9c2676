package dev.stowage.device;

/** What some devices can do beyond what every device can. */
public enum Capability {
    /** Work handed to a backend goes on while the caller does something else. */
    ASYNC,
    /** There is a kind of host memory that the device reads and writes faster than any other. */
    HOST_BUFFER,
    /** Host memory that is there already can be used as a buffer without a copy. */
    BUFFER_FROM_HOST,
    /** Events can be made, so that one backend can wait for another. */
    EVENTS,
    /** The device prefers to run nodes in another order; see {@link Device#reorder}. */
    REORDER,
    /** Questions about a whole graph are answered in one call; see {@link Device#supports(dev.stowage.graph.Graph)}. */
    BULK_QUERIES
}
