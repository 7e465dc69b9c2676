package dev.stowage.testkit.simulated;

import dev.stowage.error.DeviceException;
import dev.stowage.error.StowageException;

/** Has a stream wait for a fence of another. */
record AwaitTask(Work work, Fence fence, Reason reason) implements QueuedTask {

    /** Why it waits, which decides what a fence that is never signaled means. */
    enum Reason {
        /** The caller asked for it with an event: later work needs what is before the fence. */
        EVENT,
        /** The later copy needs what is before the fence. */
        SOURCE_OF_COPY,
        /** Work before the fence reads or writes what later work may change; it need only be over. */
        COPY_OVER
    }

    @Override
    public void run(WorkQueue queue) throws InterruptedException {
        if (reason == Reason.EVENT) {
            queue.begin(work);
        }
        fence.await();
        if (reason != Reason.COPY_OVER) {
            fence.failure().ifPresent(cause -> {
                throw failed(cause);
            });
        }
        queue.reach(fence.nanos());
    }

    private DeviceException failed(StowageException cause) {
        return work.failure("it waits for work that failed: " + cause.getMessage())
                .because(cause);
    }
}
