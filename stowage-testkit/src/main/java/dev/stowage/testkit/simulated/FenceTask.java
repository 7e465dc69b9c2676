package dev.stowage.testkit.simulated;

import dev.stowage.error.StowageException;
import java.util.Optional;

/** Signals a fence in the order of a stream; with the event that was recorded, if there is one. */
record FenceTask(Work work, Fence fence, Optional<SimulatedEvent> event) implements QueuedTask {

    @Override
    public void run(WorkQueue queue) throws InterruptedException {
        if (event.isPresent()) {
            queue.begin(work);
        }
        fence.signal(queue.now());
    }

    @Override
    public void drop(StowageException why) {
        fence.fail(why);
    }

    @Override
    public void forget() {
        event.ifPresent(recorded -> recorded.forget(fence));
    }
}
