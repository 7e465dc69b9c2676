package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.device.PreparedGraph;
import dev.stowage.plan.BoundGraph;
import org.jspecify.annotations.Nullable;

/** A split ready to run: its backend, its graph wired to the copies, and the input copies. */
final class BoundSplit implements AutoCloseable {

    private final int index;
    private final Backend backend;
    private final BoundGraph graph;
    private final InputCopy[] inputs;
    private @Nullable PreparedGraph prepared;

    BoundSplit(int index, Backend backend, BoundGraph graph, InputCopy[] inputs) {
        this.index = index;
        this.backend = backend;
        this.graph = graph;
        this.inputs = inputs;
    }

    int index() {
        return index;
    }

    Backend backend() {
        return backend;
    }

    BoundGraph graph() {
        return graph;
    }

    int inputCount() {
        return inputs.length;
    }

    /** An input copy, counted within the split. */
    InputCopy input(int number) {
        return inputs[number];
    }

    /** Whether a buffer of its nodes or inputs is closed. */
    boolean isStale() {
        boolean stale = graph.isStale();
        for (InputCopy input : inputs) {
            stale |= input.source().buffer().isClosed() || input.copy().buffer().isClosed();
        }
        return stale;
    }

    /** Submits the nodes, preparing them the first time. */
    void computeAsync() {
        PreparedGraph ready = prepared;
        if (ready == null) {
            ready = backend.prepare(graph);
            prepared = ready;
        } else if (ready.graph() != graph) {
            ready.update(graph);
        }
        ready.computeAsync();
    }

    /** Reuses the prepared graph of the same split of a structurally identical graph. */
    void reuse(BoundSplit before) {
        prepared = before.prepared;
        before.prepared = null;
    }

    @Override
    public void close() {
        PreparedGraph ready = prepared;
        prepared = null;
        if (ready != null) {
            ready.close();
        }
    }
}
