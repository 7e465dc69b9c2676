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
 * Starts from what ggml decides and moves what is predicted to take less time elsewhere, as long as the memory of every
 * device suffices. Where nothing is gained by it, everything stays as ggml has it.
 */
final class CostPlacement implements Placement {

    /** What must be gained for anything to be moved: predictions are not better than that. */
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

    /** Assigns everything on a board on which only the caller's assignments are made. */
    PredictedGain place(ScheduleRequest request, AssignmentTable board) {
        AssignmentPasses.run(board, request.options().offloadsOps());
        CostSheet sheet = new CostSheet(request.graph(), request.devices(), model);
        MovableUnits units = new MovableUnits(board, sheet);
        MemoryLimits memory = MemoryLimits.of(request.devices(), limits, Draft.of(request, board));
        ScheduledCandidates trial = new ScheduledCandidates(request, board, units, sheet, memory);
        int[] homes = units.homes();
        long before = trial.nanos(homes);
        boolean fits = trial.overfull(homes) == AssignmentTable.NONE;
        CostSearch search = new CostSearch(board, units, sheet, trial);
        int[] found = search.run(homes, fits ? before : Long.MAX_VALUE);
        boolean gains = !fits || search.nanos() < before * (1 - LEAST_GAIN);
        int[] chosen = search.hasFound() && gains ? found : homes;
        long nanos = trial.nanos(chosen);
        for (int unit = 0; unit < chosen.length; unit++) {
            for (int id : units.get(unit).ids()) {
                if (chosen[unit] != homes[unit]) {
                    explain(board, id, chosen[unit]);
                }
            }
        }
        return new PredictedGain(nanos, before);
    }

    private static void explain(AssignmentTable board, int id, int device) {
        if (board.graph().isViewOp(id)) {
            board.assign(id, device, Rule.WITH_VIEW_SOURCE, board.graph().viewSource(id));
        } else {
            board.assign(id, device, Rule.CHEAPEST);
        }
    }

    @Override
    public String toString() {
        return "CostPlacement[" + model + "]";
    }
}
