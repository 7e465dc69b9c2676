package dev.stowage.testkit.simulated;

import dev.stowage.memory.RowRange;
import java.lang.foreign.MemorySegment;

/** Rows that go from one place to another in the order of a stream, with gaps between them on either side. */
record RowsTask(Work work, MemorySegment source, RowRange from, MemorySegment target, RowRange to)
        implements QueuedTask {

    @Override
    public void run(WorkQueue queue) throws InterruptedException {
        queue.begin(work);
        for (long row = 0; row < from.rows(); row++) {
            MemorySegment.copy(source, from.start(row), target, to.start(row), from.rowBytes());
        }
    }
}
