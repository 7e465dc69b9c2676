package dev.stowage.schedule;

import dev.stowage.schedule.ScheduleProgram.Action;
import dev.stowage.schedule.pass.Splitting;
import dev.stowage.schedule.search.CostSheet;
import dev.stowage.schedule.search.DeviceTimeline;

/**
 * Executes a {@link ScheduleProgram} on a {@link DeviceTimeline}: adds up the time of every wait, copy and run without
 * doing them. With a pipeline it submits as many runs as can be in flight.
 */
final class DryRun {

    private final CostSheet sheet;
    private final Assignment assignment;
    private final Splitting splitting;
    private final ScheduleProgram program;
    private final DeviceTimeline time;
    private final long[][] events;

    private DryRun(CostSheet sheet, Assignment assignment, Splitting splitting, ScheduleProgram program, int copies) {
        this.sheet = sheet;
        this.assignment = assignment;
        this.splitting = splitting;
        this.program = program;
        this.time = new DeviceTimeline(sheet);
        this.events = new long[sheet.deviceCount()][copies];
    }

    /** The time per run when as many runs as there are copies are in flight. */
    static long nanos(
            CostSheet sheet,
            Assignment assignment,
            Splitting splitting,
            ScheduleProgram program,
            InputWaits inputWaits,
            int copies) {
        DryRun run = new DryRun(sheet, assignment, splitting, program, copies);
        for (int slot = 0; slot < copies; slot++) {
            for (int device : inputWaits.forSlot()) {
                run.waitOnHost(device, slot);
            }
            for (int device : inputWaits.forAll()) {
                run.time.waitFor(device);
            }
            for (int split = 0; split < program.splitCount(); split++) {
                for (Action action : program.split(split)) {
                    run.execute(action, slot);
                }
            }
        }
        return run.time.end() / copies;
    }

    private void execute(Action action, int slot) {
        int device = action.device();
        switch (action.kind()) {
            case SYNCHRONIZE -> time.waitFor(device);
            case WAIT_EVENT -> time.hostReaches(events[device][slot]);
            case AWAIT_EVENT -> time.await(device, events[device][slot]);
            case COPY_INPUT -> copyOnHost(action.input(), device);
            case COPY -> copy(action.input(), device, slot);
            case COPY_EXPERTS -> copyExperts(action, device);
            case RUN -> compute(action.split(), device);
            case RECORD_EVENT -> events[device][slot] = time.mark(device);
        }
    }

    private void compute(int split, int device) {
        long nanos = 0;
        for (int node = splitting.firstNode(split); node < splitting.endNode(split); node++) {
            nanos += sheet.nodeNanos(node, device);
        }
        time.work(device, nanos);
    }

    private void waitOnHost(int device, int slot) {
        if (program.hasEvents(device)) {
            time.hostReaches(events[device][slot]);
        } else {
            time.waitFor(device);
        }
    }

    private void copyOnHost(int input, int to) {
        time.hostWorks(sheet.copyNanos(
                splitting.input(input).source(), splitting.input(input).from(), to));
    }

    private void copy(int input, int to, int slot) {
        int from = splitting.input(input).from();
        if (sheet.copiesAsync(from, to)) {
            time.copy(from, to, sheet.copyNanos(splitting.input(input).source(), from, to));
        } else {
            time.waitFor(from);
            waitOnHost(to, slot);
            copyOnHost(input, to);
        }
    }

    /** The host reads which experts are used and submits their copies. */
    private void copyExperts(Action action, int to) {
        int node = program.firstNode(action.split());
        int from = splitting.input(action.input()).from();
        time.waitFor(from);
        time.waitFor(assignment.device(sheet.choiceOf(node)));
        time.hostWorks(sheet.copyNanos(0.0, to, from));
        double bytes = sheet.expectedExpertBytes(splitting.input(action.input()).source(), node);
        time.work(to, sheet.copyNanos(bytes, from, to));
    }
}
