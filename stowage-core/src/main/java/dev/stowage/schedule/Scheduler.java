package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.device.RunListener;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.internal.flight.FlightRecording;
import dev.stowage.memory.BufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Runs graphs over several backends ({@code ggml_backend_sched}): schedules a graph over their devices, allocates
 * memory, and runs it split by split. It has the steps of {@link GraphAllocator}.
 *
 * {@snippet :
 * try (Scheduler scheduler = Scheduler.over(List.of(gpu, cpu))) {
 *     scheduler.reserve(largestGraph);              // optional: allocate for the worst case once
 *     BoundSchedule bound = scheduler.bind(graph);  // every tensor has a place now
 *     // write the inputs: bound.tensor(x)
 *     bound.run();
 *     // read the outputs: bound.tensor(y)
 * }
 * }
 *
 * <table>
 * <caption>The steps</caption>
 * <tr><th>step</th><th>schedules</th><th>allocates</th><th>runs</th></tr>
 * <tr><td>{@link #measure}</td><td>yes</td><td>no</td><td>no</td></tr>
 * <tr><td>{@link #reserve}</td><td>yes</td><td>when it must grow</td><td>no</td></tr>
 * <tr><td>{@link #bind}</td><td>yes</td><td>when it must grow</td><td>no</td></tr>
 * <tr><td>{@link #rebind}</td><td>unless structurally identical</td><td>when it must grow</td><td>no</td></tr>
 * <tr><td>{@link BoundSchedule#runAsync}</td><td>no</td><td>no</td><td>yes</td></tr>
 * </table>
 *
 * <p>All bound schedules share the memory. Assignments by the caller are part of the {@linkplain ScheduleRequest
 * request}; graphs and tensors are not changed. After a failed run, write the inputs and run again. The caller owns the
 * backends; closing the scheduler waits for them and frees memory and events. Thread-safe: calls are serialized.
 */
public final class Scheduler implements AutoCloseable {

    private final List<Backend> backends;
    private final DeviceSet devices;
    private final ScheduleOptions options;
    private final GraphAllocator allocator;
    private final Execution execution;
    private final Set<BoundSchedule> open = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean closed;

    private Scheduler(List<Backend> backends, DeviceSet devices, ScheduleOptions options) {
        this.backends = backends;
        this.devices = devices;
        this.options = options;
        this.allocator = GraphAllocator.on(devices.bufferTypes(), options.planner());
        this.execution = new Execution(backends, devices, options);
    }

    /** Over these backends in order of priority, with ggml's options. */
    public static Scheduler over(List<? extends Backend> backends) {
        return over(backends, ScheduleOptions.defaults());
    }

    /** Over these backends in order of priority, each with the preferred buffer type of its device. */
    public static Scheduler over(List<? extends Backend> backends, ScheduleOptions options) {
        return over(
                backends,
                backends.stream().map(backend -> backend.device().bufferType()).toList(),
                options);
    }

    /**
     * Over these backends in order of priority, each with the given buffer type.
     *
     * @throws InvalidPlanException if there is no backend, or one cannot use its buffer type
     */
    public static Scheduler over(
            List<? extends Backend> backends, List<? extends BufferType> types, ScheduleOptions options) {
        DeviceSet devices = DeviceSet.of(backends.stream().map(Backend::device).toList(), types);
        return new Scheduler(List.copyOf(backends), devices, options);
    }

    public DeviceSet devices() {
        return devices;
    }

    public ScheduleOptions options() {
        return options;
    }

    /** The backends in order of priority. */
    public List<Backend> backends() {
        return backends;
    }

    /** A request for a graph over this scheduler's devices, without assignments. */
    public ScheduleRequest request(Graph graph) {
        return ScheduleRequest.of(graph, devices, options);
    }

    /** As {@link #measure(ScheduleRequest)}, without assignments. */
    public Schedule measure(Graph graph) {
        return measure(request(graph));
    }

    /** Schedules and plans a graph without allocating. */
    public synchronized Schedule measure(ScheduleRequest request) {
        requireOwn(request);
        return Schedule.of(request);
    }

    /** As {@link #reserve(ScheduleRequest)}, without assignments. */
    public Schedule reserve(Graph graph) {
        return reserve(request(graph));
    }

    /**
     * Schedules and plans a graph and allocates what is missing.
     *
     * @throws dev.stowage.error.AllocationException if allocation fails; nothing has changed then
     */
    public synchronized Schedule reserve(ScheduleRequest request) {
        requireOwn(request);
        synchronize();
        Schedule schedule = Schedule.of(request);
        allocator.reserve(schedule.plan());
        execution.deactivate();
        return schedule;
    }

    /** As {@link #bind(ScheduleRequest)}, without assignments. */
    public BoundSchedule bind(Graph graph) {
        return bind(request(graph));
    }

    /**
     * Schedules a graph and binds it to memory, ready for its inputs to be written. Close the result when it is no
     * longer needed; closing the scheduler does too.
     *
     * @throws dev.stowage.error.RunException if an earlier run has failed; nothing is in flight then, and binding again
     *     works
     * @throws StowageException if scheduling or allocation fails; earlier bound schedules stay valid
     */
    public synchronized BoundSchedule bind(ScheduleRequest request) {
        requireOwn(request);
        BoundSchedule made = FlightRecording.isOn() ? ScheduleEvent.recorded(() -> bindNow(request)) : bindNow(request);
        open.add(made);
        execution.advance(made);
        return made;
    }

    private BoundSchedule bindNow(ScheduleRequest request) {
        Draft draft = Draft.of(request);
        PlannedGraph planned = new PlannedGraph(draft);
        return BoundSchedule.of(this, draft, planned, allocator.bind(planned.request()));
    }

    /** As {@link #rebind(BoundSchedule, ScheduleRequest)}, without assignments. */
    public BoundSchedule rebind(BoundSchedule before, Graph graph) {
        return rebind(before, request(graph));
    }

    /**
     * Binds a graph in place of another, which is closed, for callers that build a graph per run. If the two are
     * structurally identical and nothing is assigned, the schedule and the prepared graphs are reused.
     *
     * @throws StowageException as {@link #bind(ScheduleRequest)}; the other is still bound then
     */
    public synchronized BoundSchedule rebind(BoundSchedule before, ScheduleRequest request) {
        requireOwn(request);
        if (!open.contains(before)) {
            throw new InvalidPlanException(
                    "the graph to bind anew is not one that this scheduler has bound, or is closed");
        }
        if (!before.serves(request)) {
            BoundSchedule made = bind(request);
            before.close();
            return made;
        }
        BoundSchedule made = before.forGraph(request.graph(), execution.nextSlot());
        open.add(made);
        execution.advance(made);
        return made;
    }

    /** The runs in flight, for bound schedules that hold the lock of this scheduler. */
    Execution execution() {
        requireOpen();
        return execution;
    }

    /** Binds to the present buffers after they have grown for another graph. */
    BoundGraph bindAgain(BoundGraph memory) {
        return allocator.bind(memory.plan().orElseThrow(), memory.graph());
    }

    /** Removes a closed bound schedule. */
    void forget(BoundSchedule bound) {
        open.remove(bound);
    }

    /**
     * Waits until everything submitted is done.
     *
     * @throws dev.stowage.error.RunException with the first failure, once
     */
    public synchronized void synchronize() {
        execution().synchronize();
    }

    /** Sets an observer of results, from the next run on. */
    public synchronized void observe(NodeObserver observer) {
        execution().runner().observe(observer);
    }

    /** Ends {@link #observe}. */
    public synchronized void stopObserving() {
        execution.runner().observe(null);
    }

    /**
     * Notifies a listener of every split and copy, from the next run on. For nodes, {@linkplain
     * dev.stowage.device.BackendOptions#withListener open the backends} with the listener too.
     */
    public synchronized void listen(RunListener listener) {
        execution().runner().listen(Objects.requireNonNull(listener));
    }

    /** Ends {@link #listen}. */
    public synchronized void stopListening() {
        execution.runner().listen(null);
    }

    /** The buffer type of a backend's results. */
    public BufferType bufferType(Backend backend) {
        return devices.bufferType(numberOf(backend));
    }

    /** The bytes allocated for a backend's results; 0 if an earlier backend has the same memory. */
    public long bufferSize(Backend backend) {
        return allocator.bufferSize(numberOf(backend));
    }

    /**
     * The number of a backend among {@link #backends()}, for assignments.
     *
     * @throws InvalidPlanException if it is not one of this scheduler's
     */
    public int numberOf(Backend backend) {
        int number = backends.indexOf(backend);
        if (number < 0) {
            throw new InvalidPlanException("the backend of device '" + backend.name()
                    + "' is not one this scheduler was made with: " + devices);
        }
        return number;
    }

    /** Waits for the backends, which stay open, and frees memory and events. Idempotent. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        try {
            execution.finish();
            new ArrayList<>(open).forEach(BoundSchedule::close);
        } finally {
            closed = true;
            try {
                execution.close();
            } finally {
                allocator.close();
            }
        }
    }

    private void requireOwn(ScheduleRequest request) {
        requireOpen();
        if (request.devices() != devices || !request.options().equals(options)) {
            throw new InvalidPlanException("the request is for other devices or options than this scheduler's: make it"
                    + " with Scheduler.request()");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException("this scheduler is closed; make a new one");
        }
    }
}
