package dev.stowage.cuda;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver.Context;
import dev.stowage.cuda.driver.Driver.EventHandle;
import dev.stowage.cuda.driver.Driver.Stream;
import dev.stowage.cuda.memory.DeviceContext;
import dev.stowage.cuda.program.Program;
import dev.stowage.device.Backend;
import dev.stowage.device.RunListener;
import dev.stowage.graph.Graph;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures one run by the clock of the GPU: an event after the launches of each group of nodes. The first event is waited
 * for, so that its time is known by the clock of the host too; the run is waited for before it is reported.
 */
final class GroupTimes implements AutoCloseable {

    private static final double NANOS_PER_MILLISECOND = 1e6;

    private final DeviceContext context;
    private final Context handle;
    private final Stream stream;
    /** One before the first group and one after each. */
    private final List<EventHandle> events = new ArrayList<>();

    private final List<List<Integer>> groups = new ArrayList<>();
    private long originNanos;

    GroupTimes(DeviceContext context, Stream stream) {
        this.context = context;
        this.handle = context.handle();
        this.stream = stream;
    }

    void begin() {
        mark();
        try {
            context.driver().eventSynchronize(handle, events.getFirst());
        } catch (CudaException e) {
            throw context.failure("compute", e);
        }
        originNanos = System.nanoTime();
    }

    /** The same calls, and the times of groups. */
    Program.GroupListener around(Program.GroupListener inner) {
        return new Program.GroupListener() {

            @Override
            public void before(List<Integer> nodes) {
                inner.before(nodes);
            }

            @Override
            public void after(List<Integer> nodes) {
                inner.after(nodes);
                mark();
                groups.add(nodes);
            }
        };
    }

    private void mark() {
        EventHandle event = context.createEvent("compute", true);
        events.add(event);
        try {
            context.driver().eventRecord(handle, event, stream);
        } catch (CudaException e) {
            throw context.failure("compute", e);
        }
    }

    /** Waits for the run, and reports every group. */
    void report(Backend backend, BoundGraph bound, RunListener listener) {
        try {
            context.driver().eventSynchronize(handle, events.getLast());
            long start = originNanos;
            for (int group = 0; group < groups.size(); group++) {
                long end = originNanos + nanosTo(group + 1);
                listener.computed(backend, nodes(bound.graph(), groups.get(group)), start, end);
                start = end;
            }
        } catch (CudaException e) {
            throw context.failure("compute", e);
        }
    }

    private long nanosTo(int event) {
        double milliseconds = context.driver().eventElapsedTime(handle, events.getFirst(), events.get(event));
        return Math.round(milliseconds * NANOS_PER_MILLISECOND);
    }

    private static List<Tensor> nodes(Graph graph, List<Integer> numbers) {
        return numbers.stream().map(graph::node).toList();
    }

    @Override
    public void close() {
        events.forEach(context::destroyEvent);
    }
}
