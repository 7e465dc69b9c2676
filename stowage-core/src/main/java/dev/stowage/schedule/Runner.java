package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.device.Capability;
import dev.stowage.device.Event;
import dev.stowage.device.RunListener;
import dev.stowage.graph.Graph;
import dev.stowage.internal.flight.FlightRecording;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs splits one after the other, with the waits, copies and events of ggml in the same order. With a pipeline each
 * device that can has an event for every run in flight; it stands behind the last split that the device was handed in
 * that run, and whoever is about to overwrite what the run reads waits for it.
 */
final class Runner implements AutoCloseable {

    private static final int NO_DEVICE = -1;

    private final Backend[] backends;
    private final @Nullable Event[][] events;
    private final ExpertWeights experts = new ExpertWeights();
    private @Nullable NodeObserver observer;
    private @Nullable RunListener listener;
    private int current;

    Runner(List<Backend> backends, int copies) {
        this.backends = backends.toArray(Backend[]::new);
        this.events = new Event[this.backends.length][copies];
        try {
            for (int device = 0; copies > 1 && device < events.length; device++) {
                makeEvents(device);
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void makeEvents(int device) {
        if (backends[device].device().capabilities().contains(Capability.EVENTS)) {
            for (int copy = 0; copy < events[device].length; copy++) {
                events[device][copy] = backends[device].device().createEvent();
            }
        }
    }

    void observe(@Nullable NodeObserver newObserver) {
        observer = newObserver;
    }

    void listen(@Nullable RunListener newListener) {
        listener = newListener;
    }

    /** The split that is being run, or was when a run failed. */
    int current() {
        return current;
    }

    /** Runs all splits as run number {@code copy} of those in flight. */
    void run(BoundSplit[] splits, int copy) {
        experts.startRun();
        boolean recorded = FlightRecording.isOn();
        int previous = NO_DEVICE;
        for (current = 0; current < splits.length; current++) {
            BoundSplit split = splits[current];
            RunListener told = listener;
            boolean goesOn = told == null
                    ? run(split, previous, copy, recorded)
                    : runTold(split, previous, copy, recorded, told);
            if (!goesOn) {
                return;
            }
            previous = split.device();
        }
    }

    private boolean runTold(BoundSplit split, int previous, int copy, boolean recorded, RunListener told) {
        long start = System.nanoTime();
        boolean goesOn = run(split, previous, copy, recorded);
        told.ranSplit(split.backend(), split.index(), split.graph(), start, System.nanoTime());
        return goesOn;
    }

    private boolean run(BoundSplit split, int previous, int copy, boolean recorded) {
        return recorded ? runRecorded(split, previous, copy) : runNow(split, previous, copy, false);
    }

    private boolean runRecorded(BoundSplit split, int previous, int copy) {
        SplitEvent event = new SplitEvent();
        event.begin();
        boolean goesOn = runNow(split, previous, copy, true);
        event.split = split.index();
        event.device = split.backend().name();
        event.nodes = split.graph().nodeCount();
        event.inputs = split.inputCount();
        event.commit();
        return goesOn;
    }

    private boolean runNow(BoundSplit split, int previous, int copy, boolean recorded) {
        for (int device : split.waits()) {
            backends[device].synchronize();
        }
        int device = split.device();
        if (split.inputCount() == 0 && previous != NO_DEVICE && previous != device) {
            // Its memory may be used again by this split where the two share it.
            waitOnHost(previous, copy);
        }
        RunListener told = listener;
        for (int input = 0; input < split.inputCount(); input++) {
            if (told == null) {
                bring(split, input, copy, recorded);
            } else {
                bringTold(split, input, copy, recorded, told);
            }
        }
        NodeObserver watching = observer;
        boolean goesOn = true;
        if (watching == null) {
            split.computeAsync();
        } else {
            goesOn = computeObserved(split, watching);
        }
        Event event = events[device][copy];
        if (event != null) {
            backends[device].record(event);
        }
        return goesOn;
    }

    /** Waits until the inputs of run number {@code copy} of those in flight can be written. */
    void waitForInputs(InputWaits waits, int copy) {
        for (int device : waits.forTurn()) {
            waitOnHost(device, copy);
        }
        for (int device : waits.forAll()) {
            backends[device].synchronize();
        }
    }

    private void waitOnHost(int device, int copy) {
        Event event = events[device][copy];
        if (event != null) {
            event.synchronize();
        } else {
            backends[device].synchronize();
        }
    }

    private void bringTold(BoundSplit split, int input, int copy, boolean recorded, RunListener told) {
        long start = System.nanoTime();
        bring(split, input, copy, recorded);
        long end = System.nanoTime();
        Crossing crossing = split.input(input);
        told.copied(
                crossing.producer(),
                split.backend(),
                split.index(),
                crossing.source(),
                bytesBrought(crossing),
                start,
                end);
    }

    private void bring(BoundSplit split, int input, int copy, boolean recorded) {
        if (recorded) {
            bringRecorded(split, input, copy);
        } else {
            bring(split, input, copy);
        }
    }

    private void bringRecorded(BoundSplit split, int input, int copy) {
        CopyEvent event = new CopyEvent();
        event.begin();
        event.async = bring(split, input, copy);
        Crossing crossing = split.input(input);
        event.tensor = crossing.source().name();
        event.from = crossing.producer().name();
        event.to = split.backend().name();
        event.bytes = bytesBrought(crossing);
        event.commit();
    }

    /** What the copy that was just made, or handed in, came to. */
    private long bytesBrought(Crossing crossing) {
        return crossing.hasExperts() ? experts.copiedBytes() : crossing.source().byteSize();
    }

    /** Copies one input, and says whether the copy was only handed in. */
    private boolean bring(BoundSplit split, int input, int copy) {
        Crossing crossing = split.input(input);
        if (crossing.isInput()) {
            if (crossing.mayBeUnderWay()) {
                crossing.producer().synchronize();
            }
            waitOnHost(split.device(), copy);
            Buffer.copy(crossing.source(), crossing.copy());
            return false;
        }
        Event event = events[split.device()][copy];
        if (event != null) {
            split.backend().await(event);
        } else {
            split.backend().synchronize();
        }
        if (crossing.hasExperts()) {
            experts.copy(split, input);
            return true;
        }
        if (split.backend().tryCopyAsync(crossing.producer(), crossing.source(), crossing.copy())) {
            return true;
        }
        crossing.producer().synchronize();
        waitOnHost(split.device(), copy);
        Buffer.copy(crossing.source(), crossing.copy());
        return false;
    }

    private boolean computeObserved(BoundSplit split, NodeObserver watching) {
        Graph graph = split.graph();
        for (int first = 0; first < graph.nodeCount(); ) {
            int next = first;
            boolean wanted = watching.wants(graph.node(next++));
            while (!wanted && next < graph.nodeCount()) {
                wanted = watching.wants(graph.node(next++));
            }
            split.backend().computeAsync(graph.slice(first, next));
            split.backend().synchronize();
            Tensor shown = graph.node(next - 1);
            if (wanted && !watching.show(shown)) {
                return false;
            }
            first = next;
        }
        return true;
    }

    @Override
    public void close() {
        for (@Nullable Event[] ofDevice : events) {
            for (int copy = 0; copy < ofDevice.length; copy++) {
                Event event = ofDevice[copy];
                ofDevice[copy] = null;
                if (event != null) {
                    event.close();
                }
            }
        }
    }
}
