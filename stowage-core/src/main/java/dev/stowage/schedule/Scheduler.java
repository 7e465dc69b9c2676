package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.device.RunListener;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.RunException;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.internal.flight.FlightRecording;
import dev.stowage.memory.BufferType;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs graphs over several backends: spreads a graph over their devices, gives every tensor memory there, and runs it
 * split by split with the copies that takes. It is for graphs and devices what {@link GraphAllocator} is for graphs and
 * memory, and has the same steps.
 *
 * {@snippet :
 * try (Scheduler scheduler = Scheduler.over(List.of(gpu, cpu))) {
 *     scheduler.reserve(largestGraph); // optional: take the memory of the worst case once
 *     scheduler.bind(graph);           // every tensor has a place now
 *     // write the inputs
 *     scheduler.run(graph);
 *     // read the outputs
 * }
 * }
 *
 * <table>
 * <caption>The steps</caption>
 * <tr><th>step</th><th>schedules</th><th>takes memory</th><th>moves tensors</th><th>runs</th></tr>
 * <tr><td>{@link #measure}</td><td>yes</td><td>no</td><td>no</td><td>no</td></tr>
 * <tr><td>{@link #reserve}</td><td>yes</td><td>when it must grow</td><td>no</td><td>no</td></tr>
 * <tr><td>{@link #bind}</td><td>unless it is the same graph</td><td>when it must grow</td><td>yes</td><td>no</td></tr>
 * <tr><td>{@link #runAsync}</td><td>no, once bound</td><td>no</td><td>no</td><td>yes</td></tr>
 * </table>
 *
 * <p><b>Pipelines.</b> With several copies, bind a graph, write its inputs and run it, again and again without waiting:
 * every {@code bind} turns to the next copy, so that the inputs of the next run can be written while earlier ones are
 * still under way.
 *
 * <p>Without a pipeline, wait for a run before the inputs of the next are written.
 *
 * <p>The caller's graph is never changed. A run that fails leaves the scheduler usable: bind, write the inputs and run
 * again. The backends stay the caller's; closing the scheduler waits for them and gives back the memory and the events.
 * Not thread-safe.
 */
public final class Scheduler implements AutoCloseable {

    private final List<Backend> backends;
    private final DeviceSet devices;
    private final ScheduleOptions options;
    private final GraphAllocator allocator;
    private final Runner runner;
    private final Map<Tensor, Integer> assignments = new HashMap<>();
    private final Runnable waitingForAll = this::waitForAll;

    private @Nullable BoundSchedule bound;
    private int copy;
    private int nextCopy;
    private boolean closed;

    private Scheduler(List<Backend> backends, DeviceSet devices, ScheduleOptions options) {
        this.backends = backends;
        this.devices = devices;
        this.options = options;
        this.allocator = GraphAllocator.on(devices.bufferTypes(), options.planner());
        this.runner = new Runner(backends, options.copies());
    }

    /** Over these backends in order of priority, as ggml does it. */
    public static Scheduler over(List<? extends Backend> backends) {
        return over(backends, ScheduleOptions.defaults());
    }

    /** Over these backends in order of priority, each with the memory its device likes best. */
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

    /**
     * Has a tensor computed on a backend of the caller's choice, from the next {@link #bind} on; only {@link #reset}
     * takes that back.
     *
     * @throws InvalidPlanException if the backend is not one of this scheduler's
     */
    public void assign(Tensor tensor, Backend backend) {
        requireOpen();
        assignments.put(tensor, numberOf(backend));
    }

    /** The backend a tensor is on: as bound, or as the caller assigned it. */
    public Optional<Backend> backendOf(Tensor tensor) {
        BoundSchedule current = bound;
        if (current != null && current.schedule().graph().contains(tensor)) {
            return Optional.of(backends.get(current.schedule().deviceOf(tensor)));
        }
        return Optional.ofNullable(assignments.get(tensor)).map(backends::get);
    }

    /** Spreads and plans a graph without taking memory, to see what it would need. */
    public Schedule measure(Graph graph) {
        requireOpen();
        return Schedule.of(request(graph));
    }

    /**
     * Spreads and plans a graph and makes sure that there is memory for it. The graph bound before, if any, no longer is;
     * what the caller assigned stays.
     *
     * @throws dev.stowage.error.AllocationException if the memory is not to be had; nothing has changed then
     */
    public Schedule reserve(Graph graph) {
        requireOpen();
        synchronize();
        Schedule schedule = Schedule.of(request(graph));
        allocator.reserve(schedule.plan());
        unbind();
        return schedule;
    }

    /**
     * Spreads a graph over the devices and gives every tensor its place. Binding the graph that is bound already only
     * turns to the next copy of a pipeline, unless what it reads has moved or assignments have changed; for a graph that is
     * put together like it, what was decided is decided.
     *
     * <p>Where the inputs of a pipeline are read in place by a device that may still be at an earlier run, this waits for it.
     *
     * @throws RunException if an earlier run turns out to have failed; nothing is under way then, and binding again works
     * @throws StowageException if the graph cannot be spread or there is not enough memory; the graph bound before still is
     */
    public Schedule bind(Graph graph) {
        requireOpen();
        int turn = nextCopy;
        BoundSchedule current = bound;
        if (current != null && current.serves(graph, assignments)) {
            allocator.bind(current.planRequest(), waitingForAll);
        } else if (current != null && current.servesTwin(graph, assignments)) {
            rebind(current.forTwin(graph, allocator, turn, waitingForAll));
        } else {
            rebind(schedule(graph, turn));
        }
        current = Objects.requireNonNull(bound);
        waitForInputs(current, turn);
        copy = turn;
        nextCopy = (turn + 1) % options.copies();
        current.turnInputs(copy);
        return current.schedule();
    }

    private void waitForInputs(BoundSchedule current, int turn) {
        try {
            runner.waitForInputs(current.inputWaits(), turn);
        } catch (StowageException failure) {
            RunException told = failed(current, BoundSchedule.NO_SPLIT, failure);
            drain(told);
            throw told;
        }
    }

    private void rebind(BoundSchedule made) {
        unbind();
        bound = made;
    }

    private BoundSchedule schedule(Graph graph, int turn) {
        if (!FlightRecording.isOn()) {
            return BoundSchedule.of(request(graph), backends, allocator, turn, waitingForAll);
        }
        ScheduleEvent event = new ScheduleEvent();
        event.begin();
        BoundSchedule made = BoundSchedule.of(request(graph), backends, allocator, turn, waitingForAll);
        event.commit(made.schedule());
        return made;
    }

    /**
     * Hands in a run of a graph, which is bound first if it is not; it is done when {@link #synchronize()} returns.
     *
     * @throws RunException if a device fails; nothing is under way then, and the scheduler can be used again
     */
    public void runAsync(Graph graph) {
        requireOpen();
        BoundSchedule current = bound;
        if (current == null || current.schedule().graph() != graph) {
            bind(graph);
            current = Objects.requireNonNull(bound);
        }
        try {
            runner.run(current.splits(copy), copy);
        } catch (StowageException failure) {
            RunException told = failed(current, runner.current(), failure);
            drain(told);
            throw told;
        } catch (RuntimeException | Error failure) {
            drain(failure);
            throw failure;
        }
    }

    /** Runs a graph, which is bound first if it is not, and waits until it is done. */
    public void run(Graph graph) {
        runAsync(graph);
        synchronize();
    }

    /**
     * Waits until everything handed in is done. Where no graph is bound, the next one starts with the first copy of a
     * pipeline again.
     *
     * @throws RunException if something of it failed; the first failure, once
     */
    public void synchronize() {
        requireOpen();
        waitForAll();
        if (bound == null) {
            nextCopy = 0;
        }
    }

    private void waitForAll() {
        RunException first = null;
        for (int device = 0; device < backends.size(); device++) {
            try {
                backends.get(device).synchronize();
            } catch (StowageException failure) {
                if (first == null) {
                    first = failed(bound, BoundSchedule.NO_SPLIT, failure);
                } else {
                    first.addSuppressed(failure);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Waits for everything after a failure, so that nothing of the failed run touches the next. */
    private void drain(Throwable failure) {
        try {
            waitForAll();
        } catch (RunException also) {
            failure.addSuppressed(also);
        }
    }

    private RunException failed(@Nullable BoundSchedule running, int split, Throwable failure) {
        return running == null
                ? RunException.of(BoundSchedule.NO_SPLIT, 0, devices.toString(), Optional.empty(), failure)
                : running.failed(split, failure);
    }

    /** Shows results to an observer while graphs run, from the next run on. */
    public void observe(NodeObserver observer) {
        requireOpen();
        runner.observe(observer);
    }

    /** Shows results to nobody any more. */
    public void stopObserving() {
        runner.observe(null);
    }

    /**
     * Tells a listener of every split and copy, from the next run on. Of nodes only the backends know: {@linkplain
     * dev.stowage.device.BackendOptions#withListener open them} with the listener too.
     */
    public void listen(RunListener listener) {
        requireOpen();
        runner.listen(Objects.requireNonNull(listener));
    }

    /** Tells nobody of splits and copies any more. */
    public void stopListening() {
        runner.listen(null);
    }

    /** Forgets the bound graph and what the caller assigned. Memory is kept. */
    public void reset() {
        requireOpen();
        unbind();
        assignments.clear();
    }

    /** What is bound, if anything is. */
    public Optional<Schedule> schedule() {
        return Optional.ofNullable(bound).map(BoundSchedule::schedule);
    }

    /** The kind of memory a backend's results lie in. */
    public BufferType bufferType(Backend backend) {
        return devices.bufferType(numberOf(backend));
    }

    /** The bytes taken for a backend's results; 0 where an earlier one works in the same memory and has been counted. */
    public long bufferSize(Backend backend) {
        return allocator.bufferSize(numberOf(backend));
    }

    private int numberOf(Backend backend) {
        int number = backends.indexOf(backend);
        if (number < 0) {
            throw new InvalidPlanException("the backend of device '" + backend.name()
                    + "' is not one this scheduler was made with: " + devices);
        }
        return number;
    }

    /** Waits for the backends, which stay open, and gives back memory and events. Closing twice is fine. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            for (Backend backend : backends) {
                waitQuietly(backend);
            }
            unbind();
        } finally {
            try {
                runner.close();
            } finally {
                allocator.close();
            }
        }
    }

    /** A failure that nobody waited for is of no interest to who closes. */
    private static void waitQuietly(Backend backend) {
        if (!backend.isClosed()) {
            try {
                backend.synchronize();
            } catch (StowageException ignored) {
                // The backend is usable again, and what it was to compute is no longer wanted.
            }
        }
    }

    private void unbind() {
        BoundSchedule before = bound;
        bound = null;
        if (before != null) {
            before.close();
        }
    }

    private ScheduleRequest request(Graph graph) {
        return new ScheduleRequest(graph, devices, options, assignments);
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException("this scheduler is closed; make a new one");
        }
    }
}
