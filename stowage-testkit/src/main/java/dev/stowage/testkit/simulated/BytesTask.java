package dev.stowage.testkit.simulated;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Bytes that go from one place to another in the order of a stream; with the device they come from, if it is one. */
record BytesTask(Work work, MemorySegment source, MemorySegment target, Optional<SimulatedDevice> from)
        implements QueuedTask {

    @Override
    public void run(WorkQueue queue) throws InterruptedException {
        queue.begin(work);
        from.ifPresent(device -> device.streams().require("copy"));
        target.copyFrom(source);
    }
}
