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
import java.util.stream.IntStream;

/** Evaluates a candidate assignment: splits the graph, predicts the time of the program, and plans its memory. */
final class ScheduledCandidates implements CandidateEvaluator {

    private final ScheduleRequest request;
    private final AssignmentTable table;
    private final MovableUnits units;
    private final CostSheet sheet;
    private final MemoryLimits limits;
    private final int[] applied;
    private final long[] largest;
    private final boolean mayWaitForInputs;
    private int evaluations;

    ScheduledCandidates(
            ScheduleRequest request, AssignmentTable table, MovableUnits units, CostSheet sheet, MemoryLimits limits) {
        this.request = request;
        this.table = table;
        this.units = units;
        this.sheet = sheet;
        this.limits = limits;
        this.applied = units.initialDevices();
        this.largest = new long[sheet.deviceCount()];
        this.mayWaitForInputs = mayWaitForInputs();
        boundMemory();
    }

    /** An upper bound of what a device needs: everything is on it, and every operand is a copy. */
    private void boundMemory() {
        Graph graph = table.graph();
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
            long padding = table.devices().bufferType(device).alignment() * tensors;
            largest[device] = request.options().copies() * (bytes + padding);
        }
    }

    /** Puts every unit on its device. */
    void apply(int[] devices) {
        for (int unit = 0; unit < devices.length; unit++) {
            if (applied[unit] != devices[unit]) {
                applied[unit] = devices[unit];
                for (int id : units.get(unit).ids()) {
                    table.move(id, devices[unit]);
                }
            }
        }
    }

    @Override
    public long nanos(int[] devices) {
        evaluations++;
        apply(devices);
        Splitting splitting = SplitPass.run(table, request.options().copies() > 1);
        Hazards hazards = Hazards.of(table);
        ScheduleProgram program = ScheduleProgram.of(request, splitting, hazards, PreferredOrder.NONE);
        InputWaits waits = mayWaitForInputs ? inputWaits(splitting, hazards) : InputWaits.NONE;
        Assignment assignment = new Assignment(table.graph(), table);
        return DryRun.nanos(
                sheet, assignment, splitting, program, waits, request.options().copies());
    }

    private InputWaits inputWaits(Splitting splitting, Hazards hazards) {
        SplitCopies copies = SplitCopies.of(table, splitting, hazards, request.options());
        return InputWaits.of(
                table, splitting, hazards, copies, request.options().copies());
    }

    /** Whether an asynchronous device reads pipeline inputs in place; inputs are never moved. */
    private boolean mayWaitForInputs() {
        Graph graph = table.graph();
        boolean may = false;
        for (int id = 0; request.options().copies() > 1 && id < graph.size(); id++) {
            for (int device = 0; graph.isInput(id) && device < sheet.deviceCount(); device++) {
                may |= sheet.isAsync(device) && table.reaches(id, device);
            }
        }
        return may;
    }

    @Override
    public int overfull(int[] devices) {
        boolean surely =
                IntStream.range(0, largest.length).allMatch(device -> limits.isEnough(device, largest[device]));
        if (surely) {
            return AssignmentTable.NONE;
        }
        apply(devices);
        return limits.overfull(Draft.of(request, table));
    }

    @Override
    public int evaluations() {
        return evaluations;
    }
}
