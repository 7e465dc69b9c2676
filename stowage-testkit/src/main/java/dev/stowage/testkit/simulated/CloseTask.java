package dev.stowage.testkit.simulated;

import dev.stowage.error.StowageException;
import dev.stowage.memory.Buffer;
import java.util.List;

/** Closes buffers that tasks before it needed, whether those were carried out or dropped. */
record CloseTask(Work work, List<Buffer> buffers) implements QueuedTask {

    @Override
    public void run(WorkQueue queue) {
        buffers.forEach(Buffer::close);
    }

    @Override
    public void drop(StowageException why) {
        buffers.forEach(Buffer::close);
    }
}
