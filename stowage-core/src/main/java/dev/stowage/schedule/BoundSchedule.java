package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.error.ClosedException;
import dev.stowage.error.RunException;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphPart;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A graph spread over devices, with memory: it can be run any number of times, and nothing is planned, scheduled or
 * prepared again for it. {@link Scheduler#bind} makes one.
 *
 * {@snippet :
 * BoundSchedule bound = scheduler.bind(graph);
 * TensorData.setFloats(bound.tensor(x), 1, 2, 3);
 * bound.run();
 * float[] result = TensorData.getFloats(bound.tensor(y));
 * }
 *
 * <p>Any number of bound schedules share the memory of their scheduler: running one overwrites what another has left there,
 * its inputs included. A result that is to be kept is read first, or is given memory of its own before the graph is bound.
 *
 * <p><b>Pipelines.</b> With several copies, call {@link #advance()}, write the inputs and {@link #runAsync()}, again and
 * again without waiting: every {@code advance} moves on to the next pipeline slot, so that the inputs of the next run can be
 * written while earlier ones are still under way.
 *
 * <p>One thread at a time uses a scheduler and its bound schedules; calls of others wait.
 */
public final class BoundSchedule implements AutoCloseable {

    private final Scheduler scheduler;
    private final Schedule schedule;
    private final PlannedGraph planned;
    private final ScheduleProgram program;
    /** By slot, made when first needed; the same for all structurally identical graphs. */
    private final @Nullable List<GraphPart>[] parts;

    private final @Nullable BoundSlot[] slots;
    /** By slot, that of a structurally identical graph before, with what backends prepared for it. */
    private final @Nullable BoundSlot[] inherited;

    private BoundGraph memory;
    /** Whether the caller has asked for a leaf that is not marked as an input, and may write it before every run. */
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

    /** The same for a structurally identical graph; what backends prepared is taken over, and this is closed. */
    BoundSchedule forGraph(Graph identical, int slot) {
        Schedule other = new Schedule(schedule.draft().forGraph(identical), schedule.plan());
        BoundSchedule next = new BoundSchedule(scheduler, other, planned, program, memory, parts);
        next.slot(slot);
        for (int i = 0; i < slots.length; i++) {
            next.inherited[i] = slots[i] == null ? inherited[i] : slots[i];
            slots[i] = null;
            inherited[i] = null;
        }
        next.slot(slot).takeOver(next.inherited, slot);
        next.writesUnmarked = writesUnmarked;
        close();
        return next;
    }

    /** Which device computes what and why, the splits, copies and sizes. */
    public Schedule schedule() {
        return schedule;
    }

    public Graph graph() {
        return schedule.graph();
    }

    /** The backend that a tensor of the graph is on. */
    public Backend backendOf(Tensor tensor) {
        return scheduler.backends().get(schedule.deviceOf(tensor));
    }

    /**
     * A tensor of the graph, where it is stored: an input to be written before a run, an output to be read after one. With
     * a pipeline an input is stored elsewhere after {@link #advance()}. A leaf that is not marked as an input is stored in one
     * place only: asking for it waits for all runs under way, and so does every {@code advance()} from then on.
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
     * Moves on to the next pipeline slot, and waits until its inputs can be written; without a pipeline until the runs that
     * were submitted are done.
     *
     * @throws RunException if an earlier run turns out to have failed; nothing is under way then
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
     * @throws RunException if a device fails; nothing is under way then, and this can be run again
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

    /** Whether nothing may be under way when the caller writes the next inputs. */
    boolean writesInOnePlace() {
        return slots.length == 1 || writesUnmarked;
    }

    /** Whether something is computed on a device, or copied from it. */
    boolean uses(int device) {
        for (Split split : schedule.splits()) {
            if (split.device() == device || split.inputs().stream().anyMatch(input -> input.from() == device)) {
                return true;
            }
        }
        return false;
    }

    /** Which devices to wait for before the caller may write the inputs of a slot. */
    InputWaits inputWaits() {
        return schedule.draft().inputWaits();
    }

    /** Whether this and another have the very same plan, so that the two may be under way at once as two runs of one are. */
    @SuppressWarnings("ReferenceEquality") // equal places in plans of different graphs are not enough
    boolean hasPlanOf(BoundSchedule other) {
        return schedule.plan() == other.schedule.plan();
    }

    /** The splits as they run in a slot. */
    BoundSplit[] splits(int slot) {
        return slot(slot).splits();
    }

    /** Whether what was decided here holds for another graph too, nothing assigned by the caller. */
    boolean serves(ScheduleRequest request) {
        return !closed
                && request.assignments().isEmpty()
                && schedule.request().assignments().isEmpty()
                && !memory.isStale()
                && StructuralMatch.areIdentical(graph(), request.graph())
                && isStoredAsPlanned(request.graph());
    }

    /** Whether those tensors of a structurally identical graph have memory of their own that had when this was bound. */
    private boolean isStoredAsPlanned(Graph identical) {
        for (int id = 0; id < identical.size(); id++) {
            boolean hasOwn = identical.isWeight(id) || identical.tensor(id).isPlaced();
            if (identical.viewSource(id) == Graph.NO_ID && hasOwn != planned.hasOwnMemory(planned.idOf(id))) {
                return false;
            }
        }
        return true;
    }

    private BoundSlot slot(int number) {
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
            known = BoundSlot.of(schedule.draft(), planned, memory, cut, scheduler.backends(), number);
            known.takeOver(inherited, number);
            slots[number] = known;
        }
        return known;
    }

    /** A failure with the split it was in and, where the device reported it, the node. */
    RunException failed(int split, StowageException failure) {
        return FailureSite.locate(schedule, split, failure);
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException("this bound schedule is closed: bind the graph again");
        }
    }

    /** Gives back what backends prepared; the memory stays with the scheduler. Closing twice is fine. */
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
