package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.error.ClosedException;
import dev.stowage.error.RunException;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.wiring.GraphPart;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A scheduled graph with memory, made by {@link Scheduler#bind}. It runs any number of times without being scheduled,
 * planned or prepared again.
 *
 * {@snippet :
 * BoundSchedule bound = scheduler.bind(graph);
 * TensorData.setFloats(bound.tensor(x), 1, 2, 3);
 * bound.run();
 * float[] result = TensorData.getFloats(bound.tensor(y));
 * }
 *
 * <p>All bound schedules of a scheduler share its memory: running one overwrites inputs and results of another. To keep
 * a result, read it first, or give the tensor memory of its own before binding.
 *
 * <p><b>Pipelines.</b> With several copies, repeat {@link #advance()}, writing the inputs and {@link #runAsync()}
 * without waiting: every {@code advance} moves to the next pipeline slot, whose inputs can be written while earlier
 * runs are in flight.
 *
 * <p>Thread-safe: calls on a scheduler and its bound schedules are serialized.
 */
public final class BoundSchedule implements AutoCloseable {

    private final Scheduler scheduler;
    private final Schedule schedule;
    private final PlannedGraph planned;
    private final ScheduleProgram program;
    /** By slot, made when first needed; shared by structurally identical graphs. */
    private final @Nullable List<GraphPart>[] parts;

    private final @Nullable BoundSlot[] slots;
    /** By slot, those of the previous structurally identical graph, with its prepared graphs. */
    private final @Nullable BoundSlot[] inherited;

    private BoundGraph memory;
    /** Whether the caller has asked for a leaf that is not marked as an input, and may write it before a run. */
    private boolean writesUnmarked;

    private boolean closed;

    private BoundSchedule(
            Scheduler scheduler,
            Schedule schedule,
            PlannedGraph planned,
            ScheduleProgram program,
            BoundGraph memory,
            @Nullable List<GraphPart>[] parts) {
        this.scheduler = scheduler;
        this.schedule = schedule;
        this.planned = planned;
        this.program = program;
        this.memory = memory;
        this.parts = parts;
        this.slots = new BoundSlot[parts.length];
        this.inherited = new BoundSlot[parts.length];
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static BoundSchedule of(Scheduler scheduler, Draft draft, PlannedGraph planned, BoundGraph memory) {
        Schedule schedule = new Schedule(draft, memory.plan().orElseThrow());
        int count = draft.request().options().copies();
        return new BoundSchedule(
                scheduler, schedule, planned, schedule.program(), memory, (List<GraphPart>[]) new List[count]);
    }

    /** The same for a structurally identical graph; prepared graphs are reused, and this is closed. */
    BoundSchedule forGraph(Graph identical, int slot) {
        Schedule other = new Schedule(schedule.draft().forGraph(identical), schedule.plan());
        BoundSchedule next = new BoundSchedule(scheduler, other, planned, program, memory, parts);
        next.slot(slot);
        for (int i = 0; i < slots.length; i++) {
            next.inherited[i] = slots[i] == null ? inherited[i] : slots[i];
            slots[i] = null;
            inherited[i] = null;
        }
        next.slot(slot).reuse(next.inherited, slot);
        next.writesUnmarked = writesUnmarked;
        close();
        return next;
    }

    /** The assignment, splits, copies and sizes. */
    public Schedule schedule() {
        return schedule;
    }

    public Graph graph() {
        return schedule.graph();
    }

    public Backend backendOf(Tensor tensor) {
        return scheduler.backends().get(schedule.deviceOf(tensor));
    }

    /**
     * A tensor of the graph with its memory, to write an input or read an output. In a pipeline, inputs move with every
     * {@link #advance()}. A leaf that is not marked as an input has one place only: asking for it waits for all runs in
     * flight, and so does every {@code advance()} from then on.
     *
     * @throws dev.stowage.error.InvalidGraphException if it is not in the graph
     */
    public BoundTensor tensor(Tensor tensor) {
        synchronized (scheduler) {
            requireOpen();
            Execution execution = scheduler.execution();
            execution.activate(this);
            BoundSlot slot = slot(execution.slot());
            if (slots.length > 1 && slot.isUnmarked(tensor)) {
                writesUnmarked = true;
                execution.waitForSubmitted();
            }
            return slot.tensor(tensor);
        }
    }

    /**
     * Moves to the next pipeline slot and waits until its inputs can be written; without a pipeline, until submitted
     * runs are done.
     *
     * @throws RunException if an earlier run has failed; nothing is in flight then
     */
    public void advance() {
        synchronized (scheduler) {
            requireOpen();
            scheduler.execution().advance(this);
        }
    }

    /**
     * Submits a run; it is done when {@link Scheduler#synchronize()} returns.
     *
     * @throws RunException if a device fails; nothing is in flight then, and this can be run again
     */
    public void runAsync() {
        synchronized (scheduler) {
            requireOpen();
            scheduler.execution().runAsync(this);
        }
    }

    /** Runs the graph and waits until it is done. */
    public void run() {
        synchronized (scheduler) {
            runAsync();
            scheduler.synchronize();
        }
    }

    ScheduleProgram program() {
        return program;
    }

    /** Whether nothing may be in flight when the caller writes the next inputs. */
    boolean writesInOnePlace() {
        return slots.length == 1 || writesUnmarked;
    }

    /** Whether a device computes a split, or is copied from. */
    boolean uses(int device) {
        return schedule.splits().stream()
                .anyMatch(split ->
                        split.device() == device || split.inputs().stream().anyMatch(input -> input.from() == device));
    }

    /** The devices to wait for before the inputs of a slot are written. */
    InputWaits inputWaits() {
        return schedule.draft().inputWaits();
    }

    /** Whether this and another have the same plan, so that both may be in flight at once. */
    @SuppressWarnings("ReferenceEquality") // equal places in plans of different graphs are not enough
    boolean hasPlanOf(BoundSchedule other) {
        return schedule.plan() == other.schedule.plan();
    }

    /** Whether this schedule holds for another graph too. */
    boolean serves(ScheduleRequest request) {
        return !closed
                && request.assignments().isEmpty()
                && schedule.request().assignments().isEmpty()
                && !memory.isStale()
                && StructuralMatch.areIdentical(graph(), request.graph())
                && isStoredAsPlanned(request.graph());
    }

    /** Whether the same tensors have memory of their own as when this was bound. */
    private boolean isStoredAsPlanned(Graph identical) {
        for (int id = 0; id < identical.size(); id++) {
            boolean hasOwn = identical.isWeight(id) || identical.tensor(id).isPlaced();
            if (identical.viewSource(id) == Graph.NO_ID && hasOwn != planned.hasOwnMemory(planned.idOf(id))) {
                return false;
            }
        }
        return true;
    }

    BoundSlot slot(int number) {
        requireOpen();
        if (memory.isStale()) {
            closeAll(slots);
            memory = scheduler.bindAgain(memory);
        }
        BoundSlot known = slots[number];
        if (known == null) {
            List<GraphPart> cut = parts[number];
            if (cut == null) {
                cut = planned.runGraphs(number);
                parts[number] = cut;
            }
            known = new BoundSlot(schedule.draft(), planned, memory, cut, scheduler.backends(), number);
            known.reuse(inherited, number);
            slots[number] = known;
        }
        return known;
    }

    /** The failure of a run, with its split and, if known, its node. */
    RunException failed(int split, StowageException failure) {
        return FailureSite.locate(schedule, split, failure);
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException("this bound schedule is closed: bind the graph again");
        }
    }

    /** Closes prepared graphs; the memory belongs to the scheduler. Idempotent. */
    @Override
    public void close() {
        synchronized (scheduler) {
            if (!closed) {
                closed = true;
                closeAll(slots);
                closeAll(inherited);
                scheduler.forget(this);
            }
        }
    }

    private static void closeAll(@Nullable BoundSlot[] slots) {
        for (int i = 0; i < slots.length; i++) {
            BoundSlot slot = slots[i];
            slots[i] = null;
            if (slot != null) {
                slot.close();
            }
        }
    }
}
