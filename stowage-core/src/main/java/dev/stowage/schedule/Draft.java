package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import dev.stowage.schedule.cost.CostModel;
import dev.stowage.schedule.cost.PredictedGain;
import dev.stowage.schedule.cost.Prediction;
import dev.stowage.schedule.pass.AssignmentPasses;
import dev.stowage.schedule.pass.AssignmentTable;
import dev.stowage.schedule.pass.Hazards;
import dev.stowage.schedule.pass.SplitCopies;
import dev.stowage.schedule.pass.SplitPass;
import dev.stowage.schedule.pass.Splitting;
import dev.stowage.schedule.search.CostSheet;
import java.util.Optional;

/**
 * A schedule without memory: what every step from a request to a plan has decided, each a function of those before it.
 * Immutable.
 *
 * <pre>
 *   request ─► assignment ─► splitting ─► hazards ─► copies ─► apart ─► order
 * </pre>
 *
 * @param request what was asked for
 * @param assignment the device of every tensor, and why
 * @param splitting where the graph is cut, and what is copied between devices
 * @param hazards which devices reach for the same memory
 * @param copies the tensors that are copied to
 * @param inputWaits which devices are waited for before the inputs of a slot may be written
 * @param apart the nodes that may not be computed in the place of an operand
 * @param order the nodes in the order they run, where a device prefers another than the graph's within its split
 * @param gain what was predicted to be gained, where time was what decided
 */
@SuppressWarnings("ArrayRecordComponent") // of this package only, and nobody compares drafts
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

    /** Spreads a graph over devices. */
    static Draft of(ScheduleRequest request) {
        AssignmentTable board = AssignmentTable.of(request);
        Draft draft = switch (request.options().placement()) {
            case GgmlPlacement _ -> {
                AssignmentPasses.run(board, request.options().offloadsOps());
                yield of(request, board, Optional.empty());
            }
            case CostPlacement cost -> {
                PredictedGain gain = cost.place(request, board);
                yield of(request, board, Optional.of(gain));
            }
        };
        return draft.withOrder(PreferredOrder.of(draft));
    }

    /** What follows from the devices that a board says, in the graph's own order. */
    static Draft of(ScheduleRequest request, AssignmentTable board) {
        return of(request, board, Optional.empty());
    }

    private static Draft of(ScheduleRequest request, AssignmentTable board, Optional<PredictedGain> gain) {
        ScheduleOptions options = request.options();
        Splitting splitting = SplitPass.run(board, options.copies() > 1);
        Hazards hazards = Hazards.of(board);
        SplitCopies copies = SplitCopies.of(board, splitting, hazards, options);
        InputWaits inputWaits = InputWaits.of(board, splitting, hazards, copies, options.copies());
        return new Draft(
                request,
                Assignment.of(board),
                splitting,
                hazards,
                copies,
                inputWaits,
                computedApart(board),
                PreferredOrder.none(request.graph()),
                gain);
    }

    private Draft withOrder(int[] newOrder) {
        return new Draft(request, assignment, splitting, hazards, copies, inputWaits, apart, newOrder, gain);
    }

    /** The same for a structurally identical graph. */
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

    private static IntList computedApart(AssignmentTable board) {
        IntList apart = new IntList(4);
        Graph graph = board.graph();
        boolean isEachForItself = board.isEachForItself();
        for (int id = 0; id < graph.nodeCount() && !isEachForItself; id++) {
            if (graph.isComputed(id) && !graph.isViewOp(id) && readsWhereReadersDoNot(board, id)) {
                apart.add(id);
            }
        }
        return apart;
    }

    private static boolean readsWhereReadersDoNot(AssignmentTable board, int id) {
        Graph graph = board.graph();
        int device = board.device(id);
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID
                    && !board.worksIn(device, source)
                    && board.reaches(source, device)
                    && !board.readersReach(device, source)) {
                return true;
            }
        }
        return false;
    }

    /** What a run does. */
    ScheduleProgram program() {
        boolean[] hasEvents = request.options().devicesWithEvents(request.devices());
        return ScheduleProgram.of(
                request.graph(),
                splitting,
                hazards,
                order,
                hasEvents,
                request.options().eventsAlways());
    }

    /** What a run would take by these costs. */
    Prediction predict(CostModel model) {
        CostSheet sheet = new CostSheet(request.graph(), request.devices(), model);
        return new DryRun(sheet, assignment, request.options().copies()).predict(splitting, program(), inputWaits);
    }
}
