package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.pass.AssignmentTable;
import dev.stowage.schedule.pass.Hazards;
import dev.stowage.schedule.pass.SplitCopies;
import dev.stowage.schedule.pass.SplitPass;
import dev.stowage.schedule.pass.Splitting;
import dev.stowage.schedule.search.CandidateEvaluator;
import dev.stowage.schedule.search.CostSheet;
import dev.stowage.schedule.search.MovableUnits;

/** Evaluates an assignment by splitting the graph as it would be run, pricing that program and planning its memory. */
final class ScheduledCandidates implements CandidateEvaluator {

    private final ScheduleRequest request;
    private final AssignmentTable board;
    private final MovableUnits units;
    private final CostSheet sheet;
    private final int[] order;
    private final boolean[] hasEvents;
    private final MemoryLimits limits;
    private final int[] shown;
    private final long[] largest;
    private final boolean mayWaitForInputs;
    private int asked;

    ScheduledCandidates(
            ScheduleRequest request, AssignmentTable board, MovableUnits units, CostSheet sheet, MemoryLimits limits) {
        this.request = request;
        this.board = board;
        this.units = units;
        this.sheet = sheet;
        this.order = PreferredOrder.none(board.graph());
        this.hasEvents = request.options().devicesWithEvents(request.devices());
        this.limits = limits;
        this.shown = units.homes();
        this.largest = new long[sheet.deviceCount()];
        this.mayWaitForInputs = mayWaitForInputs();
        countLargest();
    }

    /** What a device can need at the most: everything is on it, and every operand of every node is a copy. */
    private void countLargest() {
        Graph graph = board.graph();
        long bytes = 0;
        long tensors = graph.size();
        for (int id = 0; id < graph.size(); id++) {
            bytes += sheet.bytes(id);
            for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
                bytes += graph.sourceAt(slot) == Graph.NO_ID ? 0 : sheet.bytes(graph.sourceAt(slot));
                tensors++;
            }
        }
        for (int device = 0; device < largest.length; device++) {
            long padding = board.devices().bufferType(device).alignment() * tensors;
            largest[device] = request.options().copies() * (bytes + padding);
        }
    }

    /** Puts every unit on its device. */
    void show(int[] devices) {
        for (int unit = 0; unit < devices.length; unit++) {
            if (shown[unit] != devices[unit]) {
                shown[unit] = devices[unit];
                for (int id : units.get(unit).ids()) {
                    board.move(id, devices[unit]);
                }
            }
        }
    }

    @Override
    public long nanos(int[] devices) {
        asked++;
        show(devices);
        Splitting splitting = SplitPass.run(board, request.options().copies() > 1);
        Hazards hazards = Hazards.of(board);
        ScheduleProgram program = ScheduleProgram.of(
                board.graph(),
                splitting,
                hazards,
                order,
                hasEvents,
                request.options().eventsAlways());
        DryRun run = new DryRun(sheet, Assignment.of(board), request.options().copies());
        return run.nanos(splitting, program, mayWaitForInputs ? inputWaits(splitting, hazards) : InputWaits.NONE);
    }

    private InputWaits inputWaits(Splitting splitting, Hazards hazards) {
        SplitCopies copies = SplitCopies.of(board, splitting, hazards, request.options());
        return InputWaits.of(
                board, splitting, hazards, copies, request.options().copies());
    }

    /** Whether a device that works on reads inputs of a pipeline where they lie; inputs are never moved. */
    private boolean mayWaitForInputs() {
        Graph graph = board.graph();
        boolean may = false;
        for (int id = 0; request.options().copies() > 1 && id < graph.size(); id++) {
            for (int device = 0; graph.isInput(id) && device < sheet.deviceCount(); device++) {
                may |= sheet.isAsync(device) && board.reaches(id, device);
            }
        }
        return may;
    }

    @Override
    public int overfull(int[] devices) {
        boolean surely = true;
        for (int device = 0; device < largest.length; device++) {
            surely &= limits.isEnough(device, largest[device]);
        }
        if (surely) {
            return AssignmentTable.NONE;
        }
        show(devices);
        return limits.overfull(Draft.of(request, board));
    }

    @Override
    public int asked() {
        return asked;
    }
}
