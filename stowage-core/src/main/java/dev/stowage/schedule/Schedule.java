package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.schedule.cost.CostModel;
import dev.stowage.schedule.cost.PredictedGain;
import dev.stowage.schedule.pass.Splitting;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The schedule of a graph over devices: the device of every node and why, the splits, the input copies, and the memory
 * plan. Plain data that needs no backend and no memory; a {@link Scheduler} binds and runs it. Immutable.
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
     * Schedules a graph and plans the memory of each device.
     *
     * @throws dev.stowage.error.UnsupportedOpException if no device can compute a node
     */
    public static Schedule of(ScheduleRequest request) {
        Draft draft = Draft.of(request);
        return new Schedule(draft, request.options().planner().plan(new PlannedGraph(draft).request()));
    }

    public ScheduleRequest request() {
        return draft.request();
    }

    public Graph graph() {
        return draft.request().graph();
    }

    public DeviceSet devices() {
        return draft.request().devices();
    }

    /** The device of every tensor, with the reason. */
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
        return IntStream.range(0, splitCount()).mapToObj(this::split).toList();
    }

    public Split split(int index) {
        Splitting splitting = draft.splitting();
        List<SplitInput> inputs = IntStream.range(splitting.firstInput(index), splitting.endInput(index))
                .mapToObj(draft.copies()::input)
                .toList();
        return new Split(index, splitting.device(index), splitting.firstNode(index), splitting.endNode(index), inputs);
    }

    /** How many runs can be in flight at once. */
    public int copies() {
        return request().options().copies();
    }

    /** How many tensors are copied between devices in a run. */
    public int inputCopyCount() {
        return draft.splitting().inputCount();
    }

    /** The bytes copied between devices in a run; an upper bound with experts. */
    public long inputCopyBytes() {
        return IntStream.range(0, inputCopyCount())
                .mapToLong(input -> draft.copies().input(input).bytes())
                .sum();
    }

    /**
     * The memory plan, made for this graph or a structurally identical one. Its graph also has the input copies and the
     * nodes that keep their sources alive; its buffers are the devices.
     */
    public MemoryPlan plan() {
        return plan;
    }

    /** The bytes of a device's results; 0 if an earlier device has the same memory. */
    public long computeSize(int device) {
        return plan.bufferSize(device);
    }

    /** The program of a run: waits, copies, runs and events in order. */
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

    /** The predicted time per run in nanoseconds; in a pipeline, with as many runs in flight as possible. */
    public long predictedNanos(CostModel model) {
        return draft.predictedNanos(model);
    }

    /** The predicted gain of a placement by cost; empty for other placements. */
    public Optional<PredictedGain> gain() {
        return draft.gain();
    }

    /** A human-readable page: splits, copies, memory per device, and the reason of every assignment. */
    public String explain() {
        return ScheduleText.explain(this);
    }

    @Override
    public String toString() {
        return "Schedule[" + graph().nodeCount() + " nodes over " + devices() + ", " + splitCount() + " splits, "
                + inputCopyCount() + " copies]";
    }
}
