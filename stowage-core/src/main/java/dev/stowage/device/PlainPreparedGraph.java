package dev.stowage.device;

import dev.stowage.error.ClosedException;
import dev.stowage.graph.Graph;

/** A graph on a backend that has nothing to prepare. */
final class PlainPreparedGraph implements PreparedGraph {

    private final Backend backend;
    private Graph graph;
    private boolean closed;

    PlainPreparedGraph(Backend backend, Graph graph) {
        this.backend = backend;
        this.graph = graph;
    }

    @Override
    public Graph graph() {
        return graph;
    }

    @Override
    public void update(Graph newGraph) {
        requireOpen();
        graph = newGraph;
    }

    @Override
    public void computeAsync() {
        requireOpen();
        backend.computeAsync(graph);
    }

    @Override
    public void close() {
        closed = true;
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException("the prepared graph is closed; prepare it again");
        }
    }
}
