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
 * Runs graphs over several backends: spreads a graph over their devices, gives every tensor memory there, and runs it
 * split by split with the copies that takes. It is for graphs and devices what {@link GraphAllocator} is for graphs and
 * memory, and has the same steps.
 *
 * {@snippet :
 * try (Scheduler scheduler = Scheduler.over(List.of(gpu, cpu))) {
 *     scheduler.reserve(largestGraph);              // optional: take the memory of the worst case once
 *     BoundSchedule bound = scheduler.bind(graph);  // every tensor has a place now
 *     // write the inputs: bound.tensor(x)
 *     bound.run();
 *     // read the outputs: bound.tensor(y)
 * }
 * }
 *
 * <table>
 * <caption>The steps</caption>
 * <tr><th>step</th><th>schedules</th><th>takes memory</th><th>runs</th></tr>
 * <tr><td>{@link #measure}</td><td>yes</td><td>no</td><td>no</td></tr>
 * <tr><td>{@link #reserve}</td><td>yes</td><td>when it must grow</td><td>no</td></tr>
 * <tr><td>{@link #bind}</td><td>yes</td><td>when it must grow</td><td>no</td></tr>
 * <tr><td>{@link #rebind}</td><td>unless structurally identical</td><td>when it must grow</td><td>no</td></tr>
 * <tr><td>{@link BoundSchedule#runAsync}</td><td>no</td><td>no</td><td>yes</td></tr>
 * </table>
 *
 * <p>Any number of bound schedules share the memory. What the caller assigns to devices is part of the {@linkplain
 * ScheduleRequest request}; neither graphs nor tensors are changed. A run that fails leaves everything usable: write the
 * inputs and run again. The backends stay the caller's; closing the scheduler waits for them and gives back the memory and
 * the events. One thread at a time uses a scheduler; calls of others wait.
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

    /** Over these backends in order of priority, as ggml does it. */
    public static Scheduler over(List<? extends Backend> backends) {
        return over(backends, ScheduleOptions.defaults());
    }

    /** Over these backends in order of priority, each with the memory its device prefers. */
    public static Scheduler over(List<? extends Backend> backends, ScheduleOptions options) {
        return over(
                backends,
                backends.stream().map(backend -> backend.device().bufferType()).toList(),
                options);
    }

    /**
     * Over these backends in order of priority, each with the kind of memory given for it.
     *
     * @throws InvalidPlanException if there is no backend, or one cannot use the memory given for it
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

    /** A request for a graph over this scheduler's devices, nothing assigned by the caller yet. */
    public ScheduleRequest request(Graph graph) {
        return ScheduleRequest.of(graph, devices, options);
    }

    /** As {@link #measure(ScheduleRequest)}, with nothing assigned by the caller. */
    public Schedule measure(Graph graph) {
        return measure(request(graph));
    }

    /** Spreads and plans a graph without taking memory, to see what it would need. */
    public synchronized Schedule measure(ScheduleRequest request) {
        requireOwn(request);
        return Schedule.of(request);
    }

    /** As {@link #reserve(ScheduleRequest)}, with nothing assigned by the caller. */
    public Schedule reserve(Graph graph) {
        return reserve(request(graph));
    }

    /**
     * Spreads and plans a graph and makes sure that there is memory for it.
     *
     * @throws dev.stowage.error.AllocationException if the memory is not to be had; nothing has changed then
     */
    public synchronized Schedule reserve(ScheduleRequest request) {
        requireOwn(request);
        synchronize();
        Schedule schedule = Schedule.of(request);
        allocator.reserve(schedule.plan());
        execution.deactivate();
        return schedule;
    }

    /** As {@link #bind(ScheduleRequest)}, with nothing assigned by the caller. */
    public BoundSchedule bind(Graph graph) {
        return bind(request(graph));
    }

    /**
     * Spreads a graph over the devices and gives every tensor its place, ready for its inputs to be written. Close what is
     * bound when it is not needed any more; closing the scheduler does.
     *
     * @throws dev.stowage.error.RunException if an earlier run turns out to have failed; nothing is under way then, and binding again works
     * @throws StowageException if the graph cannot be spread or there is not enough memory; what was bound before still is
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
        PlannedGraph planned = PlannedGraph.of(draft);
        return BoundSchedule.of(this, draft, planned, allocator.bind(planned.request()));
    }

    /** As {@link #rebind(BoundSchedule, ScheduleRequest)}, with nothing assigned by the caller. */
    public BoundSchedule rebind(BoundSchedule before, Graph graph) {
        return rebind(before, request(graph));
    }

    /**
     * Binds a graph in place of another, which is closed: for a caller who builds a new graph for every run. If the two are
     * structurally identical and nothing is assigned by the caller, what was decided and prepared for one serves the other.
     *
     * @throws StowageException as {@link #bind(ScheduleRequest)}; the one before is still bound then
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

    /** What is under way, for bound schedules of this scheduler, which hold its lock. */
    Execution execution() {
        requireOpen();
        return execution;
    }

    /** The places of a plan in the memory as it is now, after it had to grow for another graph. */
    BoundGraph bindAgain(BoundGraph memory) {
        return allocator.bind(memory.plan().orElseThrow(), memory.graph());
    }

    /** Drops a bound schedule that has been closed. */
    void forget(BoundSchedule bound) {
        open.remove(bound);
    }

    /**
     * Waits until everything submitted is done.
     *
     * @throws dev.stowage.error.RunException if something of it failed; the first failure, once
     */
    public synchronized void synchronize() {
        execution().synchronize();
    }

    /** Shows results to an observer while graphs run, from the next run on. */
    public synchronized void observe(NodeObserver observer) {
        execution().runner().observe(observer);
    }

    /** Ends {@link #observe}. */
    public synchronized void stopObserving() {
        execution.runner().observe(null);
    }

    /**
     * Notifies a listener of every split and copy, from the next run on. Of nodes only the backends know: {@linkplain
     * dev.stowage.device.BackendOptions#withListener open them} with the listener too.
     */
    public synchronized void listen(RunListener listener) {
        execution().runner().listen(Objects.requireNonNull(listener));
    }

    /** Notifies nobody of splits and copies any more. */
    public synchronized void stopListening() {
        execution.runner().listen(null);
    }

    /** The kind of memory a backend's results are stored in. */
    public BufferType bufferType(Backend backend) {
        return devices.bufferType(numberOf(backend));
    }

    /** The bytes taken for a backend's results; 0 where an earlier one works in the same memory and has been counted. */
    public long bufferSize(Backend backend) {
        return allocator.bufferSize(numberOf(backend));
    }

    /**
     * The number of a backend among {@link #backends()}, as requests assign tensors to it.
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

    /** Waits for the backends, which stay open, and gives back memory and events. Closing twice is fine. */
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
