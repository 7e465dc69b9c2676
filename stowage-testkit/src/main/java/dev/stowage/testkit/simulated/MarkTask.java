package dev.stowage.testkit.simulated;

import dev.stowage.error.StowageException;
import java.util.Optional;

/** Reaches a mark in the turn of a stream; with the event that was recorded, where it was one. */
record MarkTask(Work work, Mark mark, Optional<SimulatedEvent> event) implements QueuedTask {

    @Override
    public void run(WorkQueue queue) throws InterruptedException {
        if (event.isPresent()) {
            queue.begin(work);
        }
        mark.reach(queue.now());
    }

    @Override
    public void drop(StowageException why) {
        mark.fail(why);
    }

    @Override
    public void forget() {
        event.ifPresent(recorded -> recorded.forget(mark));
    }
}
