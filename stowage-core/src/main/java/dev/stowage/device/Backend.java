package dev.stowage.device;

import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferGroup;
import dev.stowage.memory.BufferLeases;
import dev.stowage.memory.RowRange;
import dev.stowage.memory.TensorPair;
import dev.stowage.plan.BoundGraph;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A stream of work on a device; ggml's {@code ggml_backend}. Work is done in the order submitted, and {@link
 * #synchronize()} waits for all of it. Calls are asynchronous only on devices with {@link Capability#ASYNC}; on others
 * the work is done when the call returns. The same program is correct on both.
 *
 * {@snippet :
 * BoundGraph bound = allocator.bind(graph);
 * try (Backend backend = device.open()) {
 *     backend.setAsync(bound.tensor(x), 0, input);
 *     backend.computeAsync(bound);
 *     backend.getAsync(bound.tensor(y), 0, output);
 *     backend.synchronize(); // only now may input be changed and output be read
 * }
 * }
 *
 * <p>A failure of submitted work surfaces as a {@link DeviceException} from the call itself or from the next
 * {@code synchronize()}; what was submitted after it is dropped, and the backend is usable again after that.
 *
 * <p><b>Memory.</b> Work holds a lease on every buffer it touches, until it is known to be done: on a device without
 * {@link Capability#ASYNC} when the call returns, on others when {@code synchronize()} does. A buffer that is closed
 * meanwhile frees its memory after that. Memory that the device does not reach is refused before anything runs.
 *
 * <p><b>Loss.</b> A device can be {@linkplain Device#lossCause() lost} for good. Every call but {@code close} is
 * refused then, with a {@link DeviceLostException} that has the cause.
 *
 * <p><b>Threads.</b> One thread at a time: a call while another thread is inside one is refused. Which thread it is may
 * change from call to call.
 *
 * <p><b>Implementers</b> write {@link #doCompute} and {@link #doClose}. Every public call checks its arguments, then
 * calls the hook of the same name; the other hooks have defaults that do the work synchronously through the tensor's
 * buffer.
 */
public abstract class Backend implements AutoCloseable {

    private static final AtomicLong IDS = new AtomicLong();
    private static final String CLOSE = "close";

    private final Device device;
    private final long id = IDS.incrementAndGet();
    private final boolean async;
    private final CallGuard guard = new CallGuard();
    private final BufferLeases leases = new BufferLeases();
    private final PreparedGraphs prepared;
    /** The thread of a {@link BackendHold}; only that thread writes it, so its own reads are never stale. */
    private @Nullable Thread holder;

    /** Whether the holder is inside a call. */
    private boolean holderInside;
    /** The leases of the hold; buffers that they cover are not leased again. Used inside calls only. */
    private @Nullable BufferLeases held;

    private volatile boolean closed;

    /** For implementers: an open stream of work on that device. */
    protected Backend(Device device) {
        this.device = device;
        this.prepared = new PreparedGraphs(device);
        this.async = device.capabilities().contains(Capability.ASYNC);
    }

    /** The device this backend works on. */
    public final Device device() {
        return device;
    }

    /** A number no other backend of this process has. */
    public final long id() {
        return id;
    }

    /** The name of the device, for messages. */
    public String name() {
        return device.name();
    }

    public final boolean isClosed() {
        return closed;
    }

    /**
     * Submits the writing of {@code source} into a tensor, from byte {@code offset} of it on. The segment must not be
     * changed before {@link #synchronize()}.
     */
    public final void setAsync(BoundTensor tensor, long offset, MemorySegment source) {
        enter("set");
        try {
            tensor.buffer().requireReachable(tensor, offset, source.byteSize());
            leases.add(tensor.buffer());
            doSet(tensor, offset, source);
        } finally {
            leave();
        }
    }

    /**
     * Submits the reading of a tensor into {@code target}, from byte {@code offset} of it on. The segment holds the
     * bytes after {@link #synchronize()}.
     */
    public final void getAsync(BoundTensor tensor, long offset, MemorySegment target) {
        enter("get");
        try {
            tensor.buffer().requireReachable(tensor, offset, target.byteSize());
            leases.add(tensor.buffer());
            doGet(tensor, offset, target);
        } finally {
            leave();
        }
    }

    /** Submits the setting of {@code length} bytes of a tensor, from byte {@code offset} of it on, to {@code value}. */
    public final void fillAsync(BoundTensor tensor, long offset, long length, byte value) {
        enter("fill");
        try {
            tensor.buffer().requireReachable(tensor, offset, length);
            leases.add(tensor.buffer());
            doFill(tensor, offset, length, value);
        } finally {
            leave();
        }
    }

    /**
     * Submits the writing of rows of {@code source} as rows of a tensor, with gaps between the rows on either side. The
     * segment must not be changed before {@link #synchronize()}.
     */
    public final void setRowsAsync(BoundTensor tensor, RowRange target, MemorySegment source, RowRange from) {
        enter("set");
        try {
            tensor.buffer().requireReachableRows(tensor, target, source, from);
            leases.add(tensor.buffer());
            doSetRows(tensor, target, source, from);
        } finally {
            leave();
        }
    }

    /**
     * Submits the reading of rows of a tensor into rows of {@code target}, with gaps between the rows on either side.
     * The segment holds the bytes after {@link #synchronize()}.
     */
    public final void getRowsAsync(BoundTensor tensor, RowRange source, MemorySegment target, RowRange to) {
        enter("get");
        try {
            tensor.buffer().requireReachableRows(tensor, source, target, to);
            leases.add(tensor.buffer());
            doGetRows(tensor, source, target, to);
        } finally {
            leave();
        }
    }

    /**
     * Submits a copy of a tensor that {@code producer} computes to one that this backend uses. It happens after all
     * that was submitted to both so far. Where the two cannot order such a copy themselves, this waits for both, the
     * producer first, and copies. A tensor in a buffer for weights must not be written before {@link #synchronize()}.
     *
     * @return whether the copy was submitted; false if it was made at once
     * @throws InvalidTensorException if the layouts differ
     */
    public final boolean copyAsync(Backend producer, BoundTensor from, BoundTensor to) {
        if (tryCopyAsync(producer, from, to)) {
            return true;
        }
        producer.synchronize();
        synchronize();
        Buffer.copy(from, to);
        return false;
    }

    /**
     * As {@link #copyAsync}, but does nothing where the two cannot order the copy themselves, for a caller that then
     * waits in its own way.
     *
     * @return whether the copy was submitted
     * @throws InvalidTensorException if the layouts differ
     */
    public final boolean tryCopyAsync(Backend producer, BoundTensor from, BoundTensor to) {
        return tryCopyAsync(producer, new TensorPair(from, to));
    }

    /** As {@link #tryCopyAsync(Backend, BoundTensor, BoundTensor)}, for tensors that are copied many times. */
    public final boolean tryCopyAsync(Backend producer, TensorPair tensors) {
        enter("copy");
        try {
            boolean other = producer.id() != id;
            if (other) {
                producer.enter("copy");
            }
            try {
                if (held == null || !held.covers(tensors)) {
                    leases.add(tensors.from().buffer());
                    leases.add(tensors.to().buffer());
                }
                return doTryCopy(producer, tensors.from(), tensors.to());
            } finally {
                if (other) {
                    producer.leave();
                }
            }
        } finally {
            leave();
        }
    }

    /**
     * Announces that a copy of a weight to this device will be {@linkplain #copyAsync submitted}, so that its bytes may be
     * fetched while the device is at earlier work. Weights are announced in the order in which they will be copied, and
     * must not be written from then until the copy is done.
     *
     * @return whether it was taken note of; false where the device makes no use of it, or none now, as it has no room
     */
    public final boolean prefetch(BoundTensor weight) {
        enter("prefetch");
        try {
            return doPrefetch(weight);
        } finally {
            leave();
        }
    }

    /** Withdraws the announcements of weights that have not been copied. */
    public final void cancelPrefetch() {
        enter("prefetch");
        try {
            doCancelPrefetch();
        } finally {
            leave();
        }
    }

    /** Submits a graph to run: its nodes one after the other. */
    public final void computeAsync(BoundGraph graph) {
        enter("compute");
        try {
            MemoryReach.require(device, graph);
            lease(graph);
            doCompute(graph);
        } finally {
            leave();
        }
    }

    /** Runs a graph and waits until it is done. */
    public final void compute(BoundGraph graph) {
        computeAsync(graph);
        synchronize();
    }

    /** Runs a graph in which every tensor has memory of its own, and waits until it is done. */
    public final void compute(Graph graph) {
        compute(BoundGraph.of(graph));
    }

    /** Prepares a graph to be run many times. */
    public final PreparedGraph prepare(BoundGraph graph) {
        enter("prepare");
        try {
            MemoryReach.require(device, graph);
            lease(graph);
            PreparedGraph made = doPrepare(graph);
            prepared.add(made);
            return made;
        } finally {
            leave();
        }
    }

    /** Runs a prepared graph and waits until it is done. */
    public final void compute(PreparedGraph graph) {
        graph.computeAsync();
        synchronize();
    }

    /**
     * Waits until everything submitted is done.
     *
     * @throws DeviceException if something of it failed; the first failure, once
     */
    public final void synchronize() {
        enter("synchronize");
        try {
            doSynchronize();
        } finally {
            if (held == null) {
                leases.releaseAll();
            }
            leave();
        }
    }

    /** Records an event after everything submitted so far. */
    public final void record(Event event) {
        enter("record");
        try {
            doRecord(event);
        } finally {
            leave();
        }
    }

    /** Makes everything submitted from now on wait for an event, which may be another device's. */
    public final void await(Event event) {
        enter("await");
        try {
            doAwait(event);
        } finally {
            leave();
        }
    }

    /**
     * Waits for submitted work, and releases the resources of the backend and its prepared graphs. Closing again has no
     * effect.
     */
    @Override
    public final void close() {
        if (closed) {
            return;
        }
        enter(CLOSE);
        try {
            closed = true;
            prepared.disposeAll(this::doClose);
        } finally {
            leases.releaseAll();
            leave();
        }
    }

    /** Writes into a range within a tensor, at once or in order; the default waits for submitted work, then writes. */
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        doSynchronize();
        tensor.set(offset, source);
    }

    /** Reads from a range within a tensor, at once or in order; the default waits for submitted work, then reads. */
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        doSynchronize();
        tensor.get(offset, target);
    }

    /** Sets a range within a tensor, at once or in order; the default waits for submitted work, then sets it. */
    protected void doFill(BoundTensor tensor, long offset, long length, byte value) {
        doSynchronize();
        tensor.memset(offset, length, value);
    }

    /** Writes rows within a tensor, at once or in order; the default waits for submitted work, then writes. */
    protected void doSetRows(BoundTensor tensor, RowRange target, MemorySegment source, RowRange from) {
        doSynchronize();
        tensor.buffer().setRows(tensor, target, source, from);
    }

    /** Reads rows within a tensor, at once or in order; the default waits for submitted work, then reads. */
    protected void doGetRows(BoundTensor tensor, RowRange source, MemorySegment target, RowRange to) {
        doSynchronize();
        tensor.buffer().getRows(tensor, source, target, to);
    }

    /**
     * Submits a copy from a tensor of another backend, in the order of both, if this can be done between the two. The
     * layouts are the same.
     *
     * @return false if it cannot; nothing has been submitted then
     */
    protected boolean doTryCopy(Backend producer, BoundTensor from, BoundTensor to) {
        return false;
    }

    /**
     * Begins to fetch a weight that will be copied to this device later; the default does nothing. The implementer keeps a
     * lease on the memory that is read.
     *
     * @return false if it was not begun, or only in part
     */
    protected boolean doPrefetch(BoundTensor weight) {
        return false;
    }

    /** Forgets what is being fetched and was not copied; the default has nothing of the kind. */
    protected void doCancelPrefetch() {}

    /**
     * Runs the nodes of a graph, at once or in order. The device reaches all memory that the nodes touch.
     *
     * @throws StowageException if it cannot; for a node that fails a {@link DeviceException} naming it
     */
    protected abstract void doCompute(BoundGraph graph);

    /** Waits for submitted work; the default has nothing to wait for. */
    protected void doSynchronize() {}

    /** Prepares a graph; the default only keeps it. */
    protected PreparedGraph doPrepare(BoundGraph graph) {
        return new PlainPreparedGraph(this, graph);
    }

    /** Records an event; only called on devices that have them, but maybe for an event of another. */
    protected void doRecord(Event event) {
        throw DeviceException.of(name(), "record", "it has no events: wait with synchronize() instead");
    }

    /** Waits for an event before what comes next; the default has the caller wait for it. */
    protected void doAwait(Event event) {
        event.synchronize();
    }

    /** Waits for submitted work and releases the resources of the backend; called once. */
    protected abstract void doClose();

    /**
     * Checks a prepared graph that is about to run, and takes its leases; for {@link PreparedGraph}. Its graph is read
     * in here, where no other thread can replace it.
     */
    final void enterToRun(PreparedGraph graph) {
        enter("compute");
        lease(graph, graph.graph());
    }

    /** Checks a prepared graph that is about to take another, and takes the leases of that one. */
    final void enterToUpdate(PreparedGraph graph, BoundGraph replacement) {
        enter("prepare");
        lease(graph, replacement);
    }

    /** Takes leases for what is about to be submitted, unless a hold has them. */
    private void lease(BoundGraph graph) {
        if (held == null || !graph.isCovered(held)) {
            graph.lease(leases);
        }
    }

    private void lease(PreparedGraph graph, BoundGraph bound) {
        try {
            graph.requireOpen();
            lease(bound);
        } catch (RuntimeException | Error e) {
            leave();
            throw e;
        }
    }

    /**
     * Keeps other threads out until {@link #endHold()}, while those leases are held; for {@link BackendHold}. What is
     * submitted to an asynchronous device may go on after that, so that its own leases cover the memory too.
     */
    final void hold(BufferLeases leased, BufferGroup memory) {
        if (!guard.tryEnter()) {
            throw guard.inUse(this, "hold");
        }
        try {
            // A closed or lost backend refuses all calls, and nothing would end its leases.
            if (async && !closed && device.lossCause().isEmpty()) {
                leases.addAll(memory);
            }
        } catch (RuntimeException | Error e) {
            guard.leave();
            throw e;
        }
        held = leased;
        holder = Thread.currentThread();
    }

    /** Ends the hold; what it leased for an asynchronous device stays leased until that is synchronised. */
    final void endHold() {
        try {
            if (!async) {
                leases.releaseAll();
            }
        } finally {
            held = null;
            holder = null;
            guard.leave();
        }
    }

    /** Disposes a closed prepared graph: now, or when the thread inside a call leaves it. */
    final void dispose(PreparedGraph graph) {
        prepared.close(graph);
        disposeClosed();
    }

    /** Disposes prepared graphs that other threads have closed while one was inside a call. */
    final void disposeClosed() {
        while (prepared.hasClosed() && guard.tryEnter()) {
            try {
                prepared.disposeClosed();
            } finally {
                guard.leave();
            }
        }
    }

    /** Throws if another thread is inside a call, or the backend is closed. */
    private void enter(String call) {
        if (!tryEnter()) {
            throw guard.inUse(this, call);
        }
        if (closed) {
            leave();
            throw new ClosedException("the backend of device '" + name() + "' is closed; open another");
        }
        Optional<Throwable> loss = device.lossCause();
        if (loss.isPresent() && !call.equals(CLOSE)) {
            leases.releaseAll();
            leave();
            throw DeviceLostException.of(name(), call, loss.get());
        }
    }

    /** A hold keeps the guard between calls, so that those of its thread need no atomic operation. */
    @SuppressWarnings("ReferenceEquality") // a thread is itself only
    private boolean tryEnter() {
        if (holder != Thread.currentThread()) {
            return guard.tryEnter();
        }
        boolean entered = !holderInside;
        holderInside = true;
        return entered;
    }

    final void leave() {
        if (holder != null) {
            holderInside = false; // the rest is done when the hold ends
            return;
        }
        try {
            if (!async) {
                leases.releaseAll();
            }
        } finally {
            guard.leave();
        }
        disposeClosed();
    }
}
