package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Event;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.DeviceException;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.RowRange;
import dev.stowage.plan.BoundGraph;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A stream of work that is done when it is waited for, with the defect of its device. */
final class MutantBackend extends Backend {

    private final MutantDevice device;
    private final Backend reference;
    private final Deque<Runnable> work = new ArrayDeque<>();
    private final Map<Graph, BoundGraph> firstPlaces = new HashMap<>();
    private final Thread opener = Thread.currentThread();
    private long submitted;
    private long done;
    private @Nullable StowageException stuck;
    private @Nullable Graph lastGraph;

    MutantBackend(MutantDevice device) {
        super(device);
        this.device = device;
        this.reference = device.reference().open();
    }

    private void submit(Runnable task) {
        if (device.has(Defect.BACKENDS_BELONG_TO_A_THREAD)
                && !Thread.currentThread().equals(opener)) {
            throw DeviceException.of(name(), "call", "this backend belongs to thread '" + opener.getName() + "'");
        }
        work.add(task);
        submitted++;
    }

    /** Whether everything before a mark is done. */
    boolean hasDone(long mark) {
        return done >= mark;
    }

    /** Does everything before a mark; after a failure, the rest is dropped. */
    void work(long mark) {
        while (done < mark && !work.isEmpty()) {
            done++;
            try {
                work.remove().run();
            } catch (StowageException failure) {
                failed(failure);
            }
        }
    }

    private void failed(StowageException failure) {
        if (device.has(Defect.FAILURES_DO_NOT_STOP_WHAT_FOLLOWS)) {
            work(submitted);
        }
        work.clear();
        done = submitted;
        if (device.has(Defect.FAILURES_ARE_SWALLOWED)) {
            return;
        }
        stuck = device.has(Defect.FAILURES_ARE_TOLD_AGAIN_AND_AGAIN) ? failure : null;
        throw failure;
    }

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        if (!(tensor.buffer() instanceof MutantBuffer buffer)) {
            super.doSet(tensor, offset, source);
            return;
        }
        Runnable task = () -> {
            if (device.mayUse(buffer)) {
                buffer.doSet(tensor, tensor.offset() + offset, source);
            }
        };
        if (device.has(Defect.SET_IS_TOO_EARLY)) {
            task.run();
        } else {
            submit(task);
        }
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        if (!(tensor.buffer() instanceof MutantBuffer buffer)) {
            super.doGet(tensor, offset, target);
            return;
        }
        Runnable task = () -> {
            if (device.mayUse(buffer)) {
                buffer.doGet(tensor, tensor.offset() + offset, target);
            }
        };
        if (device.has(Defect.GET_IS_TOO_EARLY)) {
            task.run();
        } else {
            submit(task);
        }
    }

    @Override
    protected void doFill(BoundTensor tensor, long offset, long length, byte value) {
        long filled = device.has(Defect.FILL_THROUGH_A_BACKEND_IGNORES_ITS_END) ? tensor.byteSize() - offset : length;
        inOrder(Defect.FILL_IS_TOO_EARLY, () -> tensor.memset(offset, filled, value));
    }

    @Override
    protected void doSetRows(BoundTensor tensor, RowRange target, MemorySegment source, RowRange from) {
        RowRange used = device.has(Defect.ROWS_THROUGH_A_BACKEND_HAVE_NO_GAPS)
                ? new RowRange(target.offset(), target.rowBytes(), target.rows(), target.rowBytes())
                : target;
        inOrder(Defect.WRITTEN_ROWS_ARE_TOO_EARLY, () -> tensor.buffer().setRows(tensor, used, source, from));
    }

    @Override
    protected void doGetRows(BoundTensor tensor, RowRange source, MemorySegment target, RowRange to) {
        inOrder(Defect.READ_ROWS_ARE_TOO_EARLY, () -> tensor.buffer().getRows(tensor, source, target, to));
    }

    private void inOrder(Defect tooEarly, Runnable task) {
        if (device.has(tooEarly)) {
            task.run();
        } else {
            submit(task);
        }
    }

    @Override
    protected boolean doTryCopy(Backend producer, BoundTensor from, BoundTensor to) {
        if (!(producer instanceof MutantBackend other)
                || !(from.buffer() instanceof MutantBuffer)
                || !(to.buffer() instanceof MutantBuffer target)) {
            return false;
        }
        long mark = other.submitted;
        submit(() -> {
            if (other != this && !device.has(Defect.COPY_DOES_NOT_WAIT_FOR_ITS_SOURCE)) {
                other.work(mark);
            }
            target.doTryCopy(from, to);
        });
        return true;
    }

    @Override
    protected void doCompute(BoundGraph bound) {
        submit(bound, () -> false);
    }

    /** Submits a graph, which is left out if that says so when its time comes. */
    void submit(BoundGraph wanted, BooleanSupplier isLeftOut) {
        Graph graph = wanted.graph();
        if (device.has(Defect.SECOND_RUN_IS_SKIPPED) && graph == lastGraph) {
            return;
        }
        lastGraph = graph;
        BoundGraph first = firstPlaces.computeIfAbsent(graph, _ -> wanted);
        BoundGraph bound = device.has(Defect.PLACES_BELONG_TO_THE_GRAPH) ? first : wanted;
        int skipped = device.has(Defect.LAST_NODE_OF_LONG_GRAPHS_IS_SKIPPED) && graph.nodeCount() > 8 ? 1 : 0;
        MutantRun run = device.has(Defect.OPERANDS_ARE_READ_WHEN_SUBMITTED)
                ? MutantRun.early(device, reference, bound)
                : MutantRun.of(device, reference, bound, graph.nodeCount() - skipped);
        submit(() -> {
            try (run) {
                if (!isLeftOut.getAsBoolean()) {
                    run.compute();
                }
            }
        });
    }

    @Override
    protected void doSynchronize() {
        StowageException again = stuck;
        if (again != null) {
            throw again;
        }
        if (!device.has(Defect.SYNCHRONIZE_RETURNS_TOO_EARLY)) {
            work(submitted);
        }
    }

    @Override
    protected PreparedGraph doPrepare(BoundGraph graph) {
        return new MutantPreparedGraph(this, device, graph);
    }

    @Override
    protected void doRecord(Event event) {
        ((MutantEvent) event).moveTo(this, submitted);
    }

    @Override
    protected void doAwait(Event event) {
        if (!device.has(Defect.AWAIT_DOES_NOT_WAIT)) {
            submit(((MutantEvent) event).now());
        }
    }

    @Override
    protected void doClose() {
        if (device.lossCause().isPresent()) {
            work.clear();
            if (device.has(Defect.LOST_BACKENDS_CANNOT_BE_CLOSED)) {
                throw new IllegalStateException("the connection is broken");
            }
        } else if (!device.has(Defect.CLOSE_DOES_NOT_WAIT)) {
            work(submitted);
        }
        reference.close();
    }
}
