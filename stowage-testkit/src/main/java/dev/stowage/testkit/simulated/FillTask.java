package dev.stowage.testkit.simulated;

import java.lang.foreign.MemorySegment;

/** Bytes that are set to one value in the order of a stream. */
record FillTask(Work work, MemorySegment target, byte value) implements QueuedTask {

    @Override
    public void run(WorkQueue queue) throws InterruptedException {
        queue.begin(work);
        target.fill(value);
    }
}
