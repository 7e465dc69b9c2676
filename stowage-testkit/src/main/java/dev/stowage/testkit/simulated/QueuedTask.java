package dev.stowage.testkit.simulated;

import dev.stowage.error.StowageException;

/** A piece of work in the queue of a stream. */
interface QueuedTask {

    /** What it is, for messages. */
    Work work();

    /** Does it, in the thread of the stream. */
    void run(WorkQueue queue) throws InterruptedException;

    /** Called instead if it will not be done, or has failed. */
    default void drop(StowageException why) {}

    /** Called when the failure for which it was dropped has been reported. */
    default void forget() {}
}
