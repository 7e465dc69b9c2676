package dev.stowage.schedule;

import dev.stowage.schedule.cost.Prediction;
import dev.stowage.schedule.pass.Splitting;
import dev.stowage.schedule.search.CostSheet;
import dev.stowage.schedule.search.DeviceTimeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Executes a {@link ScheduleProgram} on a {@link DeviceTimeline}: adds up the time of every wait, copy and run without
 * doing them. With a pipeline it submits as many runs as can be in flight.
 */
final class DryRun {

    private final CostSheet sheet;
    private final Assignment assignment;
    private final DeviceTimeline time;
    private final int copies;
    private final long[][] events;

    DryRun(CostSheet sheet, Assignment assignment, int copies) {
        this.sheet = sheet;
        this.assignment = assignment;
        this.time = new DeviceTimeline(sheet);
        this.copies = copies;
        this.events = new long[sheet.deviceCount()][copies];
    }

    /** The time per run when as many runs as possible are in flight. */
    long nanos(Splitting splitting, ScheduleProgram program, InputWaits inputWaits) {
        start();
        for (int slot = 0; slot < copies; slot++) {
            for (int device : inputWaits.forSlot()) {
                waitOnHost(program, device, slot);
            }
            for (int device : inputWaits.forAll()) {
                time.waitFor(device);
            }
            run(splitting, program, slot, null);
        }
        return time.end() / copies;
    }

    /** The same, with the splits of the first run. */
    Prediction predict(Splitting splitting, ScheduleProgram program, InputWaits inputWaits) {
        List<Prediction.PredictedSplit> splits = new ArrayList<>();
        start();
        run(splitting, program, 0, splits);
        return new Prediction(nanos(splitting, program, inputWaits), splits);
    }

    private void start() {
        time.reset();
        for (long[] ofDevice : events) {
            Arrays.fill(ofDevice, 0);
        }
    }

    private void run(
            Splitting splitting, ScheduleProgram program, int slot, @Nullable List<Prediction.PredictedSplit> splits) {
        for (int split = 0; split < program.splitCount(); split++) {
            int device = splitting.device(split);
            long submitted = time.host();
            long copied = 0;
            long computed = 0;
            for (int action = program.first(split); action < program.end(split); action++) {
                int on = program.device(action);
                int input = program.input(action);
                switch (program.kind(action)) {
                    case SYNCHRONIZE -> time.waitFor(on);
                    case WAIT_EVENT -> time.hostReaches(events[on][slot]);
                    case AWAIT_EVENT -> time.await(on, events[on][slot]);
                    case COPY_INPUT -> copied += copyOnHost(splitting, input, on);
                    case COPY -> copied += copy(splitting, program, input, slot);
                    case COPY_EXPERTS -> copied += copyExperts(splitting, program.firstNode(split), input, on);
                    case RUN -> computed += compute(splitting, split, on);
                    case RECORD_EVENT -> events[on][slot] = time.mark(on);
                }
            }
            if (splits != null) {
                splits.add(new Prediction.PredictedSplit(device, copied, computed, submitted, time.stream(device)));
            }
        }
    }

    private long compute(Splitting splitting, int split, int device) {
        long nanos = 0;
        for (int node = splitting.firstNode(split); node < splitting.endNode(split); node++) {
            nanos += sheet.nodeNanos(node, device);
        }
        time.work(device, nanos);
        return nanos;
    }

    private void waitOnHost(ScheduleProgram program, int device, int slot) {
        if (program.hasEvents(device)) {
            time.hostReaches(events[device][slot]);
        } else {
            time.waitFor(device);
        }
    }

    private long copyOnHost(Splitting splitting, int input, int to) {
        long nanos = sheet.copyNanos(splitting.inputSource(input), splitting.inputFrom(input), to);
        time.hostWorks(nanos);
        return nanos;
    }

    private long copy(Splitting splitting, ScheduleProgram program, int input, int slot) {
        int from = splitting.inputFrom(input);
        int to = splitting.inputDevice(input);
        if (!sheet.copiesAsync(from, to)) {
            time.waitFor(from);
            waitOnHost(program, to, slot);
            return copyOnHost(splitting, input, to);
        }
        long nanos = sheet.copyNanos(splitting.inputSource(input), from, to);
        time.copy(from, to, nanos);
        return nanos;
    }

    /** The host reads which experts are used and submits their copies. */
    private long copyExperts(Splitting splitting, int node, int input, int to) {
        int from = splitting.inputFrom(input);
        time.waitFor(from);
        time.waitFor(assignment.device(sheet.choiceOf(node)));
        time.hostWorks(sheet.copyNanos(0.0, to, from));
        long nanos = sheet.copyNanos(sheet.expectedExpertBytes(splitting.inputSource(input), node), from, to);
        time.work(to, nanos);
        return nanos;
    }
}
