package dev.stowage.testkit.simulated;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.error.DeviceException;
import dev.stowage.plan.BoundGraph;
import java.util.List;

/** A node that is computed in the order of a stream: by the reference, as a graph of that node alone. */
record NodeTask(Work work, Backend backend, Backend kernels, BackendOptions options, BoundGraph graph)
        implements QueuedTask {

    @Override
    public void run(WorkQueue queue) throws InterruptedException {
        if (options.abort().getAsBoolean()) {
            throw work.failure("the caller asked to stop before this node");
        }
        long start = System.nanoTime();
        queue.begin(work);
        try {
            kernels.compute(graph);
        } catch (DeviceException e) {
            throw work.failure(String.valueOf(e.getMessage())).because(e);
        }
        long end = System.nanoTime();
        options.listener()
                .ifPresent(listener ->
                        work.tensor().ifPresent(node -> listener.computed(backend, List.of(node), start, end)));
    }
}
