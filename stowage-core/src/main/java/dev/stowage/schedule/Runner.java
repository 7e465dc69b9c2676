package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendHold;
import dev.stowage.device.Event;
import dev.stowage.device.RunListener;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.internal.flight.FlightRecording;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import dev.stowage.schedule.ScheduleProgram.Action;
import dev.stowage.schedule.ScheduleProgram.Kind;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Executes a {@link ScheduleProgram} on backends. Each device with events has one per pipeline slot, which marks the
 * end of its last split in that slot; it is waited for before anything that the run reads is overwritten.
 */
final class Runner implements AutoCloseable {

    private final Backend[] backends;
    private final @Nullable Event[][] events;
    private final ExpertWeights experts = new ExpertWeights();
    private final WeightPrefetch prefetch = new WeightPrefetch();
    private final DeviceTimes times = new DeviceTimes();
    private final BackendHold hold = new BackendHold();
    private final Set<Backend> measured;
    private @Nullable NodeObserver observer;
    private @Nullable RunListener listener;
    private int current;

    Runner(List<Backend> backends, boolean[] hasEvents, int slots) {
        this.backends = backends.toArray(Backend[]::new);
        this.events = new Event[this.backends.length][slots];
        this.measured = backends.stream().filter(DeviceTimes::measures).collect(Collectors.toUnmodifiableSet());
        try {
            for (int device = 0; device < events.length; device++) {
                for (int slot = 0; hasEvents[device] && slot < slots; slot++) {
                    events[device][slot] = this.backends[device].device().createEvent();
                }
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    void observe(@Nullable NodeObserver newObserver) {
        observer = newObserver;
    }

    void listen(@Nullable RunListener newListener) {
        listener = newListener;
    }

    /** The split that is running, or at which a run failed. */
    int current() {
        return current;
    }

    /**
     * Runs all splits in a pipeline slot. Unless somebody is called back who may use the backends too, they are held for
     * the whole run.
     */
    void run(ScheduleProgram program, BoundSlot bound, int slot) {
        current = 0;
        if (listener != null || observer != null) {
            runSplits(program, bound.splits(), slot);
            return;
        }
        hold(bound);
        try {
            runSplits(program, bound.splits(), slot);
        } finally {
            hold.end();
        }
    }

    private void hold(BoundSlot bound) {
        try {
            hold.begin(bound.backends(), bound.buffers());
        } catch (ClosedException e) {
            BoundSplit[] splits = bound.splits();
            while (current < splits.length - 1 && !splits[current].isStale()) {
                current++;
            }
            splits[current].graph().requireOpen();
            throw e;
        }
    }

    private void runSplits(ScheduleProgram program, BoundSplit[] splits, int slot) {
        experts.startRun();
        prefetch.startRun();
        boolean recorded = FlightRecording.isOn();
        boolean goesOn = true;
        for (current = 0; goesOn && current < splits.length; current++) {
            RunListener notified = listener;
            long start = notified == null ? 0 : System.nanoTime();
            BoundSplit split = splits[current];
            prefetch.advance(splits, current);
            goesOn = recorded ? runRecorded(program, split, slot) : run(program, split, slot, false);
            if (notified != null && !measured.contains(split.backend())) {
                Graph graph = split.graph().graph();
                notified.ranSplit(split.backend(), split.index(), graph, start, System.nanoTime());
            }
        }
        if (goesOn) {
            prefetch.endRun();
        }
    }

    private boolean runRecorded(ScheduleProgram program, BoundSplit split, int slot) {
        SplitEvent event = new SplitEvent();
        event.begin();
        boolean goesOn = run(program, split, slot, true);
        event.split = split.index();
        event.device = split.backend().name();
        event.nodes = split.graph().graph().nodeCount();
        event.inputs = split.inputCount();
        event.commit();
        return goesOn;
    }

    private boolean run(ScheduleProgram program, BoundSplit split, int slot, boolean recorded) {
        boolean goesOn = true;
        int input = 0;
        for (Action action : program.split(split.index())) {
            int device = action.device();
            switch (action.kind()) {
                case SYNCHRONIZE -> backends[device].synchronize();
                case WAIT_EVENT -> event(device, slot).synchronize();
                case AWAIT_EVENT -> backends[device].await(event(device, slot));
                case COPY_INPUT, COPY, COPY_EXPERTS -> copy(action.kind(), split, input++, device, slot, recorded);
                case RUN -> goesOn = compute(split);
                case RECORD_EVENT -> backends[device].record(event(device, slot));
            }
        }
        return goesOn;
    }

    private Event event(int device, int slot) {
        Event event = events[device][slot];
        if (event == null) {
            throw DeviceException.of(backends[device].name(), "event", "it has no events to order its work by");
        }
        return event;
    }

    /** Waits until the inputs of a slot can be written. */
    void waitForInputs(InputWaits waits, int slot) {
        for (int device : waits.forSlot()) {
            waitOnHost(device, slot);
        }
        for (int device : waits.forAll()) {
            backends[device].synchronize();
        }
    }

    private void waitOnHost(int device, int slot) {
        Event event = events[device][slot];
        if (event != null) {
            event.synchronize();
        } else {
            backends[device].synchronize();
        }
    }

    private void copy(Kind kind, BoundSplit split, int input, int device, int slot, boolean recorded) {
        RunListener notified = listener;
        if (notified == null && !recorded) {
            copy(kind, split, input, device, slot);
            return;
        }
        CopyEvent event = recorded ? new CopyEvent() : null;
        if (event != null) {
            event.begin();
        }
        long start = System.nanoTime();
        boolean async = copy(kind, split, input, device, slot);
        long end = System.nanoTime();
        InputCopy copied = split.input(input);
        BoundTensor source = copied.source();
        long bytes = kind == Kind.COPY_EXPERTS ? experts.copiedBytes() : source.byteSize();
        if (event != null) {
            event.commit(source.tensor().name(), copied.producer(), split.backend(), bytes, async);
        }
        if (notified != null) {
            notified.copied(copied.producer(), split.backend(), split.index(), source.tensor(), bytes, start, end);
        }
    }

    /** Copies one input; returns whether the copy was only submitted. */
    private boolean copy(Kind kind, BoundSplit split, int input, int device, int slot) {
        InputCopy copy = split.input(input);
        if (kind == Kind.COPY_EXPERTS) {
            experts.copy(split, input);
            return true;
        }
        if (kind == Kind.COPY) {
            if (copy.mayBeAsync() && split.backend().tryCopyAsync(copy.producer(), copy.tensors())) {
                return true;
            }
            copy.producer().synchronize();
            waitOnHost(device, slot);
        }
        hold.copy(copy.tensors());
        return false;
    }

    private boolean compute(BoundSplit split) {
        if (listener == null || !measured.contains(split.backend())) {
            return computeNodes(split);
        }
        DeviceTimes.Span span = times.begin(split);
        boolean ended = false;
        try {
            boolean goesOn = computeNodes(split);
            times.end(span);
            ended = true;
            return goesOn;
        } finally {
            if (!ended) {
                DeviceTimes.giveBack(span);
            }
        }
    }

    /** Notifies the listener of splits that asynchronous devices have done by now. */
    void reportDone() {
        RunListener notified = listener;
        if (notified == null) {
            times.drop();
        } else {
            times.report(notified);
        }
    }

    /** Forgets the times of a run that failed. */
    void dropTimes() {
        times.drop();
    }

    private boolean computeNodes(BoundSplit split) {
        NodeObserver watching = observer;
        if (watching == null) {
            split.computeAsync();
            return true;
        }
        return computeObserved(split, watching);
    }

    private static boolean computeObserved(BoundSplit split, NodeObserver watching) {
        BoundGraph bound = split.graph();
        Graph graph = bound.graph();
        for (int first = 0; first < graph.nodeCount(); ) {
            int next = first;
            boolean selected = watching.wants(graph.node(next++));
            while (!selected && next < graph.nodeCount()) {
                selected = watching.wants(graph.node(next++));
            }
            split.backend().computeAsync(bound.part(graph.slice(first, next)));
            split.backend().synchronize();
            if (selected && !watching.show(bound.tensor(next - 1))) {
                return false;
            }
            first = next;
        }
        return true;
    }

    @Override
    public void close() {
        times.close();
        for (@Nullable Event[] ofDevice : events) {
            for (int slot = 0; slot < ofDevice.length; slot++) {
                Event event = ofDevice[slot];
                ofDevice[slot] = null;
                if (event != null) {
                    DeviceTimes.close(event);
                }
            }
        }
    }
}
