package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.error.InvalidGraphException;
import dev.stowage.error.RunException;
import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.plan.PlanRequest;
import dev.stowage.tensor.Storage;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A schedule whose tensors have places, with the splits of every run in flight ready to be run. */
final class BoundSchedule implements AutoCloseable {

    /** The splits as one of the runs in flight runs them. */
    private static final class Turn {

        private final BoundSplit[] splits;

        Turn(BoundSplit[] splits) {
            this.splits = splits;
        }
    }

    static final int NO_SPLIT = -1;

    private static final int[] NOBODY = {};

    private final List<Backend> backends;
    private final Draft draft;
    private final PlanRequest planRequest;
    private final Schedule schedule;
    /** By id of the caller's graph, what a tensor lay in that had memory of its own when the graph was scheduled. */
    private final @Nullable Storage[] lain;

    private final long[] lainAt;
    /** By number of the run in flight, made when first needed. */
    private final @Nullable Turn[] turns;
    /** By number of the run in flight, which tensor of its graphs is which; the same for all twins. */
    private final @Nullable Twins[] twins;

    private BoundSchedule(
            List<Backend> backends,
            Draft draft,
            PlanRequest planRequest,
            Schedule schedule,
            int turn,
            List<Graph> graphs,
            @Nullable Twins[] twins) {
        this.backends = backends;
        this.twins = twins;
        this.draft = draft;
        this.planRequest = planRequest;
        this.schedule = schedule;
        Graph graph = schedule.graph();
        this.lain = new Storage[graph.size()];
        this.lainAt = new long[graph.size()];
        for (int id = 0; id < lain.length; id++) {
            lain[id] = Twins.ownStorage(graph, id);
            lainAt[id] = lain[id] == null ? 0 : graph.tensor(id).storageOffset();
        }
        this.turns = new Turn[draft.request().options().copies()];
        this.turns[turn] = new Turn(bindSplits(turn, graphs));
    }

    /** Schedules a graph and gives it memory; {@code beforeNewPlan} is called before tensors move to another plan's places. */
    static BoundSchedule of(
            ScheduleRequest request,
            List<Backend> backends,
            GraphAllocator allocator,
            int turn,
            Runnable beforeNewPlan) {
        Draft draft = Draft.of(request);
        PlanRequest planRequest = draft.planRequest();
        List<Graph> graphs = draft.runGraphs(planRequest.graph(), turn);
        if (reorder(draft, backends, graphs)) {
            planRequest = draft.planRequest();
            graphs = draft.runGraphs(planRequest.graph(), turn);
        }
        Schedule schedule = draft.with(allocator.bind(planRequest, beforeNewPlan));
        return new BoundSchedule(
                backends,
                draft,
                planRequest,
                schedule,
                turn,
                graphs,
                new Twins[request.options().copies()]);
    }

    /** Has the nodes of each split run in the order its backend likes best, before memory is planned for that order. */
    private static boolean reorder(Draft draft, List<Backend> backends, List<Graph> graphs) {
        boolean changed = false;
        for (int split = 0; split < graphs.size(); split++) {
            Graph graph = graphs.get(split);
            Graph liked = backends.get(draft.splitting().device(split)).reorder(graph);
            if (liked != graph) {
                if (liked.nodeCount() != graph.nodeCount()) {
                    throw new InvalidGraphException("device '"
                            + backends.get(draft.splitting().device(split)).name() + "' reordered " + graph.nodeCount()
                            + " nodes to " + liked.nodeCount());
                }
                int[] order = new int[graph.nodeCount()];
                for (int node = 0; node < order.length; node++) {
                    order[node] = graph.idOf(liked.node(node));
                }
                draft.reorder(split, order);
                changed = true;
            }
        }
        return changed;
    }

    /** Whether what was decided here holds for another graph too, with nothing assigned by the caller. */
    boolean servesTwin(Graph graph, Map<Tensor, Integer> assignments) {
        return assignments.isEmpty()
                && draft.request().assignments().isEmpty()
                && Twins.areAlike(schedule.graph(), lain, graph);
    }

    /** The same for a graph that is put together alike; what backends made ready is taken over, so this is closed now. */
    BoundSchedule forTwin(Graph graph, GraphAllocator allocator, int turn, Runnable beforeNewPlan) {
        BoundSplit[] own = splits(turn);
        Twins mapping = twins[turn];
        if (mapping == null) {
            mapping = Twins.of(schedule.graph(), planRequest.graph(), own);
            twins[turn] = mapping;
        }
        Draft draftTwin = draft.forTwin(graph);
        PlanRequest requestTwin = planRequest.forTwin(mapping.planned(planRequest.graph(), graph));
        Schedule scheduleTwin = draftTwin.with(allocator.bind(requestTwin, beforeNewPlan));
        List<Graph> graphs = new ArrayList<>(own.length);
        for (int split = 0; split < own.length; split++) {
            graphs.add(mapping.split(split, own[split].graph(), requestTwin.graph()));
        }
        BoundSchedule twin = new BoundSchedule(backends, draftTwin, requestTwin, scheduleTwin, turn, graphs, twins);
        twin.takeOver(this);
        return twin;
    }

    /** Takes over what backends have made ready for another graph of the same make. */
    private void takeOver(BoundSchedule before) {
        for (int turn = 0; turn < turns.length; turn++) {
            Turn own = turns[turn];
            Turn theirs = before.turns[turn];
            for (int split = 0; own != null && theirs != null && split < own.splits.length; split++) {
                own.splits[split].takeOver(theirs.splits[split]);
            }
        }
    }

    private BoundSplit[] bindSplits(int turn, List<Graph> graphs) {
        Splitting splitting = draft.splitting();
        BoundSplit[] made = new BoundSplit[splitting.count()];
        for (int split = 0; split < made.length; split++) {
            Graph graph = graphs.get(split);
            Crossing[] inputs = new Crossing[splitting.endInput(split) - splitting.firstInput(split)];
            for (int input = 0; input < inputs.length; input++) {
                inputs[input] = crossing(splitting.firstInput(split) + input, turn, graph);
            }
            int device = splitting.device(split);
            made[split] = new BoundSplit(split, device, backends.get(device), graph, inputs, waits(split));
        }
        return made;
    }

    private Crossing crossing(int input, int turn, Graph split) {
        Graph graph = schedule.graph();
        SplitInput brought = draft.copies().input(input);
        int id = draft.splitting().inputSource(input);
        Tensor copy = brought.copy(turn);
        boolean isInput = graph.isInput(id);
        return new Crossing(
                brought.source(),
                copy,
                backends.get(brought.from()),
                isInput,
                isInput
                        && graph.isNode(id)
                        && graph.isComputed(id)
                        && draft.hazards().isAsync(brought.from()),
                ExpertWeights.areIn(brought.source(), copy, split));
    }

    /** The devices that may still be at work in the memory the split works in, or in that its inputs are copied from. */
    private int[] waits(int split) {
        Splitting splitting = draft.splitting();
        IntList waits = new IntList(4);
        for (int other = 0; other < backends.size(); other++) {
            boolean mustWait = draft.hazards().mustWaitFor(splitting.device(split), other);
            for (int input = splitting.firstInput(split); !mustWait && input < splitting.endInput(split); input++) {
                mustWait =
                        draft.hazards().mustWaitFor(draft.copies().input(input).from(), other);
            }
            if (mustWait) {
                waits.add(other);
            }
        }
        return waits.size() == 0 ? NOBODY : waits.toArray();
    }

    Schedule schedule() {
        return schedule;
    }

    /** Whom to wait for before the caller may write the inputs of a run. */
    InputWaits inputWaits() {
        return draft.inputWaits();
    }

    PlanRequest planRequest() {
        return planRequest;
    }

    /** Whether this is still the schedule for a graph: the same one, assigned in the same way, with everything where it was. */
    @SuppressWarnings("ReferenceEquality") // a graph or memory is the same only if it is the same object
    boolean serves(Graph graph, Map<Tensor, Integer> assignments) {
        if (schedule.graph() != graph || !draft.request().assignments().equals(assignments)) {
            return false;
        }
        for (int id = 0; id < lain.length; id++) {
            Storage storage = Twins.ownStorage(graph, id);
            if (lain[id] != storage
                    || (storage != null && lainAt[id] != graph.tensor(id).storageOffset())) {
                return false;
            }
        }
        return true;
    }

    /** The splits as run number {@code turn} of those in flight runs them. */
    BoundSplit[] splits(int turn) {
        Turn known = turns[turn];
        if (known == null) {
            known = new Turn(bindSplits(turn, draft.runGraphs(planRequest.graph(), turn)));
            turns[turn] = known;
        }
        return known.splits;
    }

    /** Has the inputs of the graph that take places in turn lie where run number {@code turn} reads them. */
    void turnInputs(int turn) {
        for (int index = 0; turn > 0 && index < draft.splitting().graphInputCount(); index++) {
            Tensor[] spares = draft.copies().spares(index);
            int id = draft.splitting().graphInput(index);
            Tensor input = schedule.graph().tensor(id);
            // What has memory of its own stays there, and so do views of it.
            if (spares.length > 0 && lain[id] == null && !input.isView()) {
                Tensor spare = spares[turn - 1];
                Buffer.of(spare).place(input, spare.storageOffset());
            }
        }
    }

    /** A failure with the split it was in and, where the device told, the node; {@code split} is where the run had got to. */
    RunException failed(int split, Throwable failure) {
        return FailureSite.told(schedule, split, failure);
    }

    @Override
    public void close() {
        for (Turn turn : turns) {
            if (turn != null) {
                for (BoundSplit split : turn.splits) {
                    split.close();
                }
            }
        }
    }
}
