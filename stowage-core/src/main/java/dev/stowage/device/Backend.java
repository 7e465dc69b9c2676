package dev.stowage.device;

import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A stream of work on a device: what is handed in is done in that order, and {@link #synchronize()} waits for all of it.
 * Only on devices with {@link Capability#ASYNC} does the caller get ahead of the work; on all others each call is done
 * when it returns, and the same program is right on both.
 *
 * {@snippet :
 * try (Backend backend = device.open()) {
 *     backend.setAsync(x, 0, input);
 *     backend.computeAsync(graph);
 *     backend.getAsync(y, 0, output);
 *     backend.synchronize(); // only now may input be changed and output be read
 * }
 * }
 *
 * <p>A failure of work that was handed in surfaces as a {@link DeviceException} from the call itself or from the next
 * {@code synchronize()}; what was handed in behind it is dropped, and the backend is usable again after that.
 *
 * <p><b>Threads.</b> One thread at a time: a call while another thread is inside one is refused. Which thread it is may
 * change from call to call.
 *
 * <p><b>Implementers</b> write {@link #run} and {@link #release}, and override a protected method only where the device
 * has something better than the default, which does the same thing at once through the tensor's buffer.
 */
public abstract class Backend implements AutoCloseable {

    private static final AtomicLong IDS = new AtomicLong();

    private final Device device;
    private final long id = IDS.incrementAndGet();
    private final AtomicReference<@Nullable Thread> user = new AtomicReference<>();
    private volatile boolean closed;

    /** For implementers: an open stream of work on that device. */
    protected Backend(Device device) {
        this.device = device;
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
     * Hands in the writing of {@code source} into a tensor, from {@code offset} bytes behind its first. The segment must
     * not be changed before {@link #synchronize()}.
     */
    public final void setAsync(Tensor tensor, long offset, MemorySegment source) {
        enter("set");
        try {
            Buffer.of(tensor).requireReachable(tensor, offset, source.byteSize());
            write(tensor, offset, source);
        } finally {
            leave();
        }
    }

    /**
     * Hands in the reading of a tensor into {@code target}, from {@code offset} bytes behind its first. The segment holds
     * the bytes after {@link #synchronize()}.
     */
    public final void getAsync(Tensor tensor, long offset, MemorySegment target) {
        enter("get");
        try {
            Buffer.of(tensor).requireReachable(tensor, offset, target.byteSize());
            read(tensor, offset, target);
        } finally {
            leave();
        }
    }

    /**
     * Hands in a copy of a tensor that {@code producer} computes to one that this backend uses. It happens behind all
     * that both have been handed so far. Where the two cannot do that between them, this waits for both, the producer
     * first, and copies.
     *
     * @return whether the copy was handed in; false if it was made at once
     */
    public final boolean copyAsync(Backend producer, Tensor from, Tensor to) {
        if (tryCopyAsync(producer, from, to)) {
            return true;
        }
        producer.synchronize();
        synchronize();
        Buffer.copy(from, to);
        return false;
    }

    /**
     * As {@link #copyAsync}, but does nothing where the two cannot do it between them, for a caller who then waits in a
     * way of its own.
     *
     * @return whether the copy was handed in
     */
    public final boolean tryCopyAsync(Backend producer, Tensor from, Tensor to) {
        enter("copy");
        try {
            return copyFrom(producer, from, to);
        } finally {
            leave();
        }
    }

    /** Hands in a graph to run: its nodes one after the other, on tensors that all have their places. */
    public final void computeAsync(Graph graph) {
        enter("compute");
        try {
            run(graph);
        } finally {
            leave();
        }
    }

    /** Runs a graph and waits until it is done. */
    public final void compute(Graph graph) {
        computeAsync(graph);
        synchronize();
    }

    /** Makes a graph ready to be run many times. The tensors of the graph must have their places and keep them. */
    public final PreparedGraph prepare(Graph graph) {
        enter("prepare");
        try {
            return makeReady(graph);
        } finally {
            leave();
        }
    }

    /** Runs a prepared graph and waits until it is done. */
    public final void compute(PreparedGraph prepared) {
        prepared.computeAsync();
        synchronize();
    }

    /** The nodes of a graph in the order this device likes best; the same results, and by default the same order. */
    public Graph reorder(Graph graph) {
        return graph;
    }

    /**
     * Waits until everything handed in is done.
     *
     * @throws DeviceException if something of it failed; the first failure, once
     */
    public final void synchronize() {
        enter("synchronize");
        try {
            finish();
        } finally {
            leave();
        }
    }

    /** Puts the mark of an event behind everything handed in so far. */
    public final void record(Event event) {
        enter("record");
        try {
            mark(event);
        } finally {
            leave();
        }
    }

    /** Has everything handed in from now on wait for the mark of an event, which may be another device's. */
    public final void await(Event event) {
        enter("await");
        try {
            waitFor(event);
        } finally {
            leave();
        }
    }

    /** Waits for what was handed in, and gives back what the backend holds. Closing twice is fine. */
    @Override
    public final void close() {
        if (closed) {
            return;
        }
        enter("close");
        try {
            closed = true;
            release();
        } finally {
            leave();
        }
    }

    /** Writes into a range within a tensor, at once or in turn; the default waits for what was handed in, then writes. */
    protected void write(Tensor tensor, long offset, MemorySegment source) {
        finish();
        Buffer.of(tensor).set(tensor, offset, source);
    }

    /** Reads from a range within a tensor, at once or in turn; the default waits for what was handed in, then reads. */
    protected void read(Tensor tensor, long offset, MemorySegment target) {
        finish();
        Buffer.of(tensor).get(tensor, offset, target);
    }

    /**
     * Takes on a copy from a tensor of another backend, in the turn of both, if this can be done between the two.
     *
     * @return false if it cannot; nothing has been handed in then
     */
    protected boolean copyFrom(Backend producer, Tensor from, Tensor to) {
        return false;
    }

    /**
     * Runs the nodes of a graph, at once or in turn.
     *
     * @throws StowageException if it cannot; for a node that fails a {@link DeviceException} naming it
     */
    protected abstract void run(Graph graph);

    /** Waits for what was handed in; the default has nothing to wait for. */
    protected void finish() {}

    /** Makes a graph ready; the default only keeps it. */
    protected PreparedGraph makeReady(Graph graph) {
        return new PlainPreparedGraph(this, graph);
    }

    /** Records an event; only called on devices that have them, but maybe for an event of another. */
    protected void mark(Event event) {
        throw DeviceException.of(name(), "record", "it has no events: wait with synchronize() instead");
    }

    /** Waits for an event before what comes next; the default has the caller wait for it. */
    protected void waitFor(Event event) {
        event.synchronize();
    }

    /** Waits for what was handed in and gives back what the backend holds; called once. */
    protected abstract void release();

    /**
     * For prepared graphs: does {@code work} as one call of this backend, refused as all others are while another thread
     * is inside one or once the backend is closed.
     */
    protected final void inTurn(String call, Runnable work) {
        enter(call);
        try {
            work.run();
        } finally {
            leave();
        }
    }

    /** Throws if another thread is inside a call, or the backend is closed. */
    private void enter(String call) {
        Thread current = Thread.currentThread();
        if (!user.compareAndSet(null, current)) {
            throw DeviceException.of(
                    name(),
                    call,
                    "the backend is in use by thread '" + user.get()
                            + "': a backend takes calls from one thread at a time");
        }
        if (closed) {
            leave();
            throw new ClosedException("the backend of device '" + name() + "' is closed; open another");
        }
    }

    private void leave() {
        user.setRelease(null);
    }
}
