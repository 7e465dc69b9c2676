package dev.stowage.cuda.recording;

import java.lang.foreign.MemorySegment;

/** What a kernel does on a driver without a GPU. */
@FunctionalInterface
public interface KernelBody {

    /** Work, and the memory it touches: address and length, one after the other. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Bound(Runnable work, long... ranges) {}

    /**
     * Reads the arguments of a launch, which are not valid later.
     *
     * @param parameters addresses of the arguments
     */
    Bound bind(MemorySegment parameters);
}
