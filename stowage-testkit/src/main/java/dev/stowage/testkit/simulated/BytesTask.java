package dev.stowage.testkit.simulated;

import java.lang.foreign.MemorySegment;

/** Bytes that go from one place to another in the turn of a stream. */
record BytesTask(Work work, MemorySegment source, MemorySegment target) implements Task {

    @Override
    public void run(WorkQueue queue) throws InterruptedException {
        queue.begin(work);
        target.copyFrom(source);
    }
}
