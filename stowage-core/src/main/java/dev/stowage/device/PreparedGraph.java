package dev.stowage.device;

import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.StowageException;
import dev.stowage.plan.BoundGraph;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A graph prepared to run many times on one backend: kernels chosen, work divided, scratch memory taken.
 *
 * <p>Belongs to its backend and follows its rules on threads; closing the backend closes it. The public methods keep
 * those rules, and take leases on the memory of the graph; implementers write the protected ones.
 */
public abstract class PreparedGraph implements AutoCloseable {

    private final Backend backend;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile BoundGraph graph;

    /** For implementers: that graph, prepared to run on that backend. */
    protected PreparedGraph(Backend backend, BoundGraph graph) {
        this.backend = backend;
        this.graph = graph;
    }

    /** The graph that runs. */
    public final BoundGraph graph() {
        return graph;
    }

    /** The bytes of memory that it holds beside that of its graph, as far as the backend counts them. */
    public long scratchBytes() {
        return 0;
    }

    /**
     * Prepares a structurally identical graph in place of this one, cheaper than preparing it from nothing where the
     * backend can. Runs that were submitted before still compute the one before.
     *
     * @throws StowageException if it cannot be prepared; the one before stays prepared then
     */
    public final void update(BoundGraph newGraph) {
        backend.enterToUpdate(this, newGraph);
        try {
            MemoryReach.require(backend.device(), newGraph);
            doUpdate(newGraph);
            graph = newGraph;
        } finally {
            backend.leave();
        }
    }

    /**
     * Submits the graph to run; it is done when the backend has been synchronised.
     *
     * @throws ClosedException if this, the backend or memory of the graph is closed
     * @throws DeviceException if another thread is inside a call of the backend, or the run fails at once
     */
    public final void computeAsync() {
        backend.enterToRun(this);
        try {
            doCompute();
        } finally {
            backend.leave();
        }
    }

    /**
     * Releases what preparing allocated; closing again has no effect. Does not wait: what a run needs that is still
     * under way is kept until it is done.
     */
    @Override
    public final void close() {
        if (closed.compareAndSet(false, true)) {
            backend.dispose(this);
        }
    }

    /** Runs the graph, at once or in order. */
    protected abstract void doCompute();

    /** Takes another graph, structurally identical, in place of {@link #graph()}. */
    protected abstract void doUpdate(BoundGraph newGraph);

    /**
     * Releases what preparing allocated, that of submitted runs when they are done; called once, never during {@link
     * #doCompute}.
     */
    protected abstract void doClose();

    final void dispose() {
        closed.set(true);
        doClose();
    }

    final void requireOpen() {
        if (closed.get()) {
            throw new ClosedException("the prepared graph is closed; prepare it again");
        }
    }
}
