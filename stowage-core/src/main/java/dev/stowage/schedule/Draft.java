package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import dev.stowage.schedule.cost.CostModel;
import dev.stowage.schedule.cost.PredictedGain;
import dev.stowage.schedule.pass.AssignmentPasses;
import dev.stowage.schedule.pass.AssignmentTable;
import dev.stowage.schedule.pass.Hazards;
import dev.stowage.schedule.pass.SplitCopies;
import dev.stowage.schedule.pass.SplitPass;
import dev.stowage.schedule.pass.Splitting;
import dev.stowage.schedule.search.CostSheet;
import java.util.Optional;

/**
 * A schedule without memory: the results of all steps before planning, each a function of those before it. Immutable.
 *
 * <pre>
 *   request ─► assignment ─► splitting ─► hazards ─► copies ─► apart ─► order
 * </pre>
 *
 * @param request the request
 * @param assignment the device of every tensor, with the reason
 * @param splitting the splits and their inputs
 * @param hazards which devices access the same memory
 * @param copies the tensors that inputs are copied to
 * @param inputWaits the devices to wait for before the inputs of a slot are written
 * @param apart the nodes that must not overwrite an operand
 * @param order the nodes in the order they run, which a device may change within its splits; empty if none does
 * @param gain the predicted gain of a placement by cost
 */
@SuppressWarnings("ArrayRecordComponent") // drafts are never compared
record Draft(
        ScheduleRequest request,
        Assignment assignment,
        Splitting splitting,
        Hazards hazards,
        SplitCopies copies,
        InputWaits inputWaits,
        IntList apart,
        int[] order,
        Optional<PredictedGain> gain) {

    static Draft of(ScheduleRequest request) {
        AssignmentTable table = AssignmentTable.of(request);
        Optional<PredictedGain> gain = switch (request.options().placement()) {
            case GgmlPlacement _ -> {
                AssignmentPasses.run(table, request.options().offloadsOps());
                yield Optional.empty();
            }
            case CostPlacement cost -> Optional.of(cost.place(request, table));
        };
        Draft draft = of(request, table, gain);
        return draft.withOrder(PreferredOrder.of(draft));
    }

    /** The draft for the assignments of a table, in the graph's order. */
    static Draft of(ScheduleRequest request, AssignmentTable table) {
        return of(request, table, Optional.empty());
    }

    private static Draft of(ScheduleRequest request, AssignmentTable table, Optional<PredictedGain> gain) {
        ScheduleOptions options = request.options();
        Splitting splitting = SplitPass.run(table, options.copies() > 1);
        Hazards hazards = Hazards.of(table);
        SplitCopies copies = SplitCopies.of(table, splitting, hazards, options);
        InputWaits inputWaits = InputWaits.of(table, splitting, hazards, copies, options.copies());
        return new Draft(
                request,
                new Assignment(request.graph(), table),
                splitting,
                hazards,
                copies,
                inputWaits,
                computedApart(table),
                PreferredOrder.NONE,
                gain);
    }

    private Draft withOrder(int[] newOrder) {
        return new Draft(request, assignment, splitting, hazards, copies, inputWaits, apart, newOrder, gain);
    }

    Draft forGraph(Graph identical) {
        return new Draft(
                request.forGraph(identical),
                assignment.forGraph(identical),
                splitting,
                hazards,
                copies.forGraph(identical, splitting),
                inputWaits,
                apart,
                order,
                gain);
    }

    private static IntList computedApart(AssignmentTable table) {
        IntList apart = new IntList(4);
        Graph graph = table.graph();
        boolean hasSeparateMemories = table.hasSeparateMemories();
        for (int id = 0; id < graph.nodeCount() && !hasSeparateMemories; id++) {
            if (graph.isComputed(id) && !graph.isViewOp(id) && readsBeyondReaders(table, id)) {
                apart.add(id);
            }
        }
        return apart;
    }

    private static boolean readsBeyondReaders(AssignmentTable table, int id) {
        Graph graph = table.graph();
        int device = table.device(id);
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID
                    && !table.worksIn(device, source)
                    && table.reaches(source, device)
                    && !table.readersReach(device, source)) {
                return true;
            }
        }
        return false;
    }

    ScheduleProgram program() {
        return ScheduleProgram.of(request, splitting, hazards, order);
    }

    /** The predicted time per run, with as many runs in flight as possible. */
    long predictedNanos(CostModel model) {
        CostSheet sheet = new CostSheet(request.graph(), request.devices(), model);
        return DryRun.nanos(
                sheet,
                assignment,
                splitting,
                program(),
                inputWaits,
                request.options().copies());
    }
}
