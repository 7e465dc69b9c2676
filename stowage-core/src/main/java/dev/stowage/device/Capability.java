package dev.stowage.device;

/** Optional abilities of a device. */
public enum Capability {
    /** Backends work asynchronously. */
    ASYNC,
    /** There is a host memory type, such as pinned memory, that is fast to exchange with the device. */
    HOST_BUFFER,
    /** Existing host memory can be used as a buffer without a copy. */
    BUFFER_FROM_HOST,
    /** Events can be made, so that one backend can wait for another. */
    EVENTS,
    /** The device prefers to run nodes in another order; see {@link Device#reorder}. */
    REORDER,
    /** Questions about a whole graph are answered in one call; see {@link Device#supports(dev.stowage.graph.Graph)}. */
    BULK_QUERIES
}
