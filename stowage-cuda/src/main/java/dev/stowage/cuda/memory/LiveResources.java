package dev.stowage.cuda.memory;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what a device has taken from the driver and not given back, so that tests can require that it is nothing. */
public final class LiveResources {

    final AtomicInteger deviceAllocations = new AtomicInteger();
    final AtomicLong deviceBytes = new AtomicLong();
    final AtomicInteger pinnedAllocations = new AtomicInteger();
    final AtomicInteger streams = new AtomicInteger();
    final AtomicInteger events = new AtomicInteger();

    LiveResources() {}

    /** Pieces of device memory. */
    public int deviceAllocations() {
        return deviceAllocations.get();
    }

    /** Bytes of device memory, as asked for. */
    public long deviceBytes() {
        return deviceBytes.get();
    }

    /** Pieces of pinned host memory. */
    public int pinnedAllocations() {
        return pinnedAllocations.get();
    }

    public int streams() {
        return streams.get();
    }

    public int events() {
        return events.get();
    }

    /** Whether nothing is left. */
    public boolean isEmpty() {
        return deviceAllocations() == 0 && pinnedAllocations() == 0 && streams() == 0 && events() == 0;
    }

    @Override
    public String toString() {
        return deviceAllocations() + " pieces of device memory (" + deviceBytes() + " bytes), " + pinnedAllocations()
                + " of pinned memory, " + streams() + " streams, " + events() + " events";
    }
}
