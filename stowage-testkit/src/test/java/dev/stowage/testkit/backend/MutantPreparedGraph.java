package dev.stowage.testkit.backend;

import dev.stowage.device.PreparedGraph;
import dev.stowage.error.ClosedException;
import dev.stowage.graph.Graph;

/** A prepared graph with the defect of its device. */
final class MutantPreparedGraph implements PreparedGraph {

    private final MutantBackend backend;
    private final MutantDevice device;
    private Graph graph;
    private boolean closed;
    private boolean hasRun;

    MutantPreparedGraph(MutantBackend backend, MutantDevice device, Graph graph) {
        this.backend = backend;
        this.device = device;
        this.graph = graph;
    }

    @Override
    public Graph graph() {
        return graph;
    }

    @Override
    public void update(Graph newGraph) {
        requireOpen();
        if (!device.has(Defect.PREPARED_GRAPHS_IGNORE_AN_UPDATE)) {
            graph = newGraph;
            hasRun = false;
        }
    }

    @Override
    public void computeAsync() {
        requireOpen();
        boolean keeps = device.has(Defect.PREPARED_GRAPHS_KEEP_THE_FIRST_RESULT) && hasRun;
        hasRun = true;
        if (device.has(Defect.PREPARED_GRAPHS_OUTLIVE_THEIR_BACKEND)) {
            backend.runRegardless(graph);
        } else if (!keeps) {
            backend.computeAsync(graph);
        }
    }

    @Override
    public void close() {
        closed = true;
    }

    private void requireOpen() {
        if (closed && !device.has(Defect.PREPARED_GRAPHS_RUN_AFTER_CLOSE)) {
            throw new ClosedException("the prepared graph is closed");
        }
    }
}
