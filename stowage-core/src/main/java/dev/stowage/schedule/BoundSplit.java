package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.device.PreparedGraph;
import dev.stowage.graph.Graph;
import org.jspecify.annotations.Nullable;

/** A split with everything it takes to run it: the backend, the graph wired to the copies, the copies, and whom to wait for. */
final class BoundSplit implements AutoCloseable {

    private final int index;
    private final int device;
    private final Backend backend;
    private final Graph graph;
    private final Crossing[] inputs;
    private final int[] waits;
    private @Nullable PreparedGraph prepared;

    BoundSplit(int index, int device, Backend backend, Graph graph, Crossing[] inputs, int[] waits) {
        this.index = index;
        this.device = device;
        this.backend = backend;
        this.graph = graph;
        this.inputs = inputs;
        this.waits = waits;
    }

    int index() {
        return index;
    }

    int device() {
        return device;
    }

    Backend backend() {
        return backend;
    }

    Graph graph() {
        return graph;
    }

    int inputCount() {
        return inputs.length;
    }

    Crossing input(int number) {
        return inputs[number];
    }

    /** The devices that reach for the same memory and may still be at work in it. */
    int[] waits() {
        return waits;
    }

    /** Hands the nodes in, made ready the first time. */
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

    /** Has what was made ready for another split of the same make serve this one. */
    void takeOver(BoundSplit before) {
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
