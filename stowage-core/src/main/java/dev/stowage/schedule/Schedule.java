package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.schedule.cost.CostModel;
import dev.stowage.schedule.cost.PredictedGain;
import dev.stowage.schedule.cost.Prediction;
import dev.stowage.schedule.pass.Splitting;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A graph spread over devices: which device computes every node and why, the splits, what is copied between them, and
 * where everything is stored. Plain data that needs no backend and no memory; a {@link Scheduler} binds and runs one, and
 * {@link #of} makes one just to look at. Immutable.
 *
 * {@snippet :
 * Schedule schedule = Schedule.of(ScheduleRequest.of(graph, DeviceSet.of(gpu, cpu)));
 * System.out.println(schedule.explain());
 * long needed = schedule.computeSize(0);
 * }
 */
public final class Schedule {

    private final Draft draft;
    private final MemoryPlan plan;
    private volatile @Nullable ScheduleProgram program;

    Schedule(Draft draft, MemoryPlan plan) {
        this.draft = draft;
        this.plan = plan;
    }

    /**
     * Spreads a graph over devices and plans the memory of each.
     *
     * @throws dev.stowage.error.UnsupportedOpException if no device can compute a node
     */
    public static Schedule of(ScheduleRequest request) {
        Draft draft = Draft.of(request);
        return new Schedule(
                draft, request.options().planner().plan(PlannedGraph.of(draft).request()));
    }

    /** What was asked for. */
    public ScheduleRequest request() {
        return draft.request();
    }

    /** The graph that is spread, as the caller made it. */
    public Graph graph() {
        return draft.request().graph();
    }

    public DeviceSet devices() {
        return draft.request().devices();
    }

    /** The device of every tensor, and why. */
    public Assignment assignment() {
        return draft.assignment();
    }

    /** The number of the device a tensor of the graph is on. */
    public int deviceOf(Tensor tensor) {
        return assignment().device(graph().idOf(tensor));
    }

    /** Why a tensor of the graph is on its device. */
    public Reason reasonOf(Tensor tensor) {
        return assignment().reason(graph().idOf(tensor));
    }

    public int splitCount() {
        return draft.splitting().count();
    }

    /** The splits in the order they run. */
    public List<Split> splits() {
        List<Split> splits = new ArrayList<>();
        for (int split = 0; split < splitCount(); split++) {
            splits.add(split(split));
        }
        return List.copyOf(splits);
    }

    /** One split. */
    public Split split(int index) {
        Splitting splitting = draft.splitting();
        List<SplitInput> inputs = new ArrayList<>();
        for (int input = splitting.firstInput(index); input < splitting.endInput(index); input++) {
            inputs.add(draft.copies().input(input));
        }
        return new Split(
                index,
                splitting.device(index),
                splitting.firstNode(index),
                splitting.endNode(index),
                List.copyOf(inputs));
    }

    /** How many runs can be in flight at once. */
    public int copies() {
        return request().options().copies();
    }

    /** How many tensors are copied from one device to another in a run. */
    public int crossingCount() {
        return draft.splitting().inputCount();
    }

    /** The bytes copied from one device to another in a run; for weights of experts at most. */
    public long crossingBytes() {
        long bytes = 0;
        for (int input = 0; input < crossingCount(); input++) {
            bytes += draft.copies().input(input).bytes();
        }
        return bytes;
    }

    /**
     * Where everything is stored, as the graph of this schedule or a structurally identical one was planned. Its graph holds the copies
     * and what keeps their originals alive beside the nodes of {@link #graph()}, and its buffers are the devices.
     */
    public MemoryPlan plan() {
        return plan;
    }

    /** The bytes a device's results take; 0 where an earlier device works in the same memory and has been counted. */
    public long computeSize(int device) {
        return plan.bufferSize(device);
    }

    /** What a run does, in order: waits, copies, runs and events. */
    public ScheduleProgram program() {
        ScheduleProgram known = program;
        if (known == null) {
            known = draft.program();
            program = known;
        }
        return known;
    }

    Draft draft() {
        return draft;
    }

    /** What a run of this schedule would take by these costs, split by split. */
    public Prediction predict(CostModel model) {
        return draft.predict(model);
    }

    /** What was predicted when the graph was placed by cost; empty for a placement that does not go by time. */
    public Optional<PredictedGain> gain() {
        return draft.gain();
    }

    /** A human-readable page: the splits, what is copied, what each device needs, and why every node is where it is. */
    public String explain() {
        return ScheduleText.explain(this);
    }

    @Override
    public String toString() {
        return "Schedule[" + graph().nodeCount() + " nodes over " + devices() + ", " + splitCount() + " splits, "
                + crossingCount() + " copies]";
    }
}
