package dev.stowage.schedule;

import dev.stowage.schedule.cost.CostModel;
import dev.stowage.schedule.cost.PredictedGain;
import dev.stowage.schedule.pass.AssignmentPasses;
import dev.stowage.schedule.pass.AssignmentTable;
import dev.stowage.schedule.search.CostSearch;
import dev.stowage.schedule.search.CostSheet;
import dev.stowage.schedule.search.MovableUnits;
import java.util.Map;

/**
 * Starts from ggml's assignment and moves units that are predicted to take less time elsewhere, within the memory of
 * every device. Without a predicted gain ggml's assignment stays.
 */
final class CostPlacement implements Placement {

    /** The least gain for which anything is moved: predictions are not more precise. */
    private static final double LEAST_GAIN = 0.01;

    private final CostModel model;
    private final Map<String, Long> limits;

    CostPlacement(CostModel model, Map<String, Long> limits) {
        this.model = model;
        this.limits = Map.copyOf(limits);
    }

    @Override
    public String name() {
        return "cost";
    }

    /** Completes a table that has only the caller's assignments. */
    PredictedGain place(ScheduleRequest request, AssignmentTable table) {
        AssignmentPasses.run(table, request.options().offloadsOps());
        CostSheet sheet = new CostSheet(request.graph(), request.devices(), model);
        MovableUnits units = new MovableUnits(table, sheet);
        MemoryLimits memory = new MemoryLimits(request.devices(), limits, Draft.of(request, table));
        ScheduledCandidates evaluator = new ScheduledCandidates(request, table, units, sheet, memory);
        int[] initialDevices = units.initialDevices();
        long before = evaluator.nanos(initialDevices);
        boolean fits = evaluator.overfull(initialDevices) == AssignmentTable.NONE;
        CostSearch search = new CostSearch(table, units, sheet, evaluator);
        int[] found = search.run(initialDevices, fits ? before : Long.MAX_VALUE);
        boolean gains = !fits || search.nanos() < before * (1 - LEAST_GAIN);
        int[] chosen = search.hasFound() && gains ? found : initialDevices;
        long nanos = evaluator.nanos(chosen);
        for (int unit = 0; unit < chosen.length; unit++) {
            for (int id : units.get(unit).ids()) {
                if (chosen[unit] != initialDevices[unit]) {
                    assign(table, id, chosen[unit]);
                }
            }
        }
        return new PredictedGain(nanos, before);
    }

    private static void assign(AssignmentTable table, int id, int device) {
        if (table.graph().isViewOp(id)) {
            table.assign(id, device, Rule.WITH_VIEW_SOURCE, table.graph().viewSource(id));
        } else {
            table.assign(id, device, Rule.CHEAPEST);
        }
    }

    @Override
    public String toString() {
        return "CostPlacement[" + model + "]";
    }
}
