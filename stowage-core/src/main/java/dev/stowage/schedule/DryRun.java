package dev.stowage.schedule;

import dev.stowage.device.Capability;
import dev.stowage.graph.Graph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the splits as {@link Runner} does, with the same waits, copies and events in the same order, and only adds
 * up on a {@link Timeline} what they take. With a pipeline it hands in as many runs as can be in flight.
 */
final class DryRun {

    private static final int NO_DEVICE = -1;

    private final Board board;
    private final Graph graph;
    private final CostSheet sheet;
    private final Timeline time;
    private final int copies;
    private final boolean[] hasEvents;
    private final long[][] events;

    DryRun(Board board, CostSheet sheet, int copies) {
        this.board = board;
        this.graph = board.graph();
        this.sheet = sheet;
        this.time = new Timeline(sheet);
        this.copies = copies;
        this.hasEvents = new boolean[sheet.deviceCount()];
        this.events = new long[sheet.deviceCount()][copies];
        for (int device = 0; copies > 1 && device < hasEvents.length; device++) {
            hasEvents[device] = board.devices().device(device).capabilities().contains(Capability.EVENTS);
        }
    }

    /** What a run takes of the time that as many as can be in flight take together, with the devices the board says. */
    long nanos(Splitting splitting, Hazards hazards, @Nullable InputWaits inputWaits) {
        start();
        for (int turn = 0; turn < copies; turn++) {
            if (inputWaits != null) {
                waitForInputs(inputWaits, turn);
            }
            run(splitting, hazards, turn, null);
        }
        return time.end() / copies;
    }

    /** The same, split by split; the splits are those of the first run. */
    Prediction predict(Splitting splitting, Hazards hazards, @Nullable InputWaits inputWaits) {
        List<Prediction.PredictedSplit> splits = new ArrayList<>();
        start();
        run(splitting, hazards, 0, splits);
        return new Prediction(nanos(splitting, hazards, inputWaits), splits);
    }

    private void start() {
        time.reset();
        for (long[] ofDevice : events) {
            Arrays.fill(ofDevice, 0);
        }
    }

    private void waitForInputs(InputWaits waits, int turn) {
        for (int device : waits.forTurn()) {
            waitOnHost(device, turn);
        }
        for (int device : waits.forAll()) {
            time.waitFor(device);
        }
    }

    private void run(Splitting splitting, Hazards hazards, int turn, @Nullable List<Prediction.PredictedSplit> splits) {
        int previous = NO_DEVICE;
        for (int split = 0; split < splitting.count(); split++) {
            int device = splitting.device(split);
            long handedIn = time.host();
            for (int other = 0; other < hasEvents.length; other++) {
                if (mustWait(splitting, hazards, split, other)) {
                    time.waitFor(other);
                }
            }
            if (splitting.firstInput(split) == splitting.endInput(split)
                    && previous != NO_DEVICE
                    && previous != device) {
                waitOnHost(previous, turn);
            }
            long copied = 0;
            for (int input = splitting.firstInput(split); input < splitting.endInput(split); input++) {
                copied += bring(splitting, split, input, turn);
            }
            long computed = compute(splitting, split, device);
            if (hasEvents[device]) {
                events[device][turn] = time.mark(device);
            }
            previous = device;
            if (splits != null) {
                splits.add(new Prediction.PredictedSplit(device, copied, computed, handedIn, time.stream(device)));
            }
        }
    }

    /** Whether another device may still be at work where a split works or where its inputs are copied from. */
    private boolean mustWait(Splitting splitting, Hazards hazards, int split, int other) {
        int device = splitting.device(split);
        boolean mustWait = hazards.mustWaitFor(device, other);
        for (int input = splitting.firstInput(split); !mustWait && input < splitting.endInput(split); input++) {
            mustWait = hazards.mustWaitFor(from(splitting.inputSource(input), device), other);
        }
        return mustWait;
    }

    private int from(int source, int to) {
        return board.device(board.device(source) == to ? board.root(source) : source);
    }

    private long compute(Splitting splitting, int split, int device) {
        long nanos = 0;
        for (int node = splitting.firstNode(split); node < splitting.endNode(split); node++) {
            nanos += sheet.nodeNanos(node, device);
        }
        time.work(device, nanos);
        return nanos;
    }

    private void waitOnHost(int device, int turn) {
        if (hasEvents[device]) {
            time.hostReaches(events[device][turn]);
        } else {
            time.waitFor(device);
        }
    }

    private long bring(Splitting splitting, int split, int input, int turn) {
        int source = splitting.inputSource(input);
        int to = splitting.device(split);
        int from = from(source, to);
        long nanos = sheet.copyNanos(source, from, to);
        if (graph.isInput(source)) {
            if (graph.isNode(source) && graph.isComputed(source) && sheet.isAsync(from)) {
                time.waitFor(from);
            }
            waitOnHost(to, turn);
            time.hostWorks(nanos);
            return nanos;
        }
        if (hasEvents[to]) {
            time.await(to, events[to][turn]);
        } else {
            time.waitFor(to);
        }
        if (sheet.bringsExperts(source, splitting.firstNode(split))) {
            return bringExperts(source, splitting.firstNode(split), from, to);
        }
        if (sheet.copiesAsync(from, to)) {
            time.copy(from, to, nanos);
        } else {
            time.waitFor(from);
            waitOnHost(to, turn);
            time.hostWorks(nanos);
        }
        return nanos;
    }

    /** The host reads which experts are in use, and hands in the copying of those. */
    private long bringExperts(int source, int node, int from, int to) {
        time.waitFor(from);
        int chooser = board.device(sheet.choiceOf(node));
        time.waitFor(chooser);
        time.hostWorks(sheet.copyNanos(0.0, to, from));
        long nanos = sheet.copyNanos(sheet.expectedExpertBytes(source, node), from, to);
        time.work(to, nanos);
        return nanos;
    }
}
