package dev.stowage.device;

import dev.stowage.plan.BoundGraph;

/** A graph on a backend that has nothing to prepare. */
final class PlainPreparedGraph extends PreparedGraph {

    private final Backend backend;

    PlainPreparedGraph(Backend backend, BoundGraph graph) {
        super(backend, graph);
        this.backend = backend;
    }

    @Override
    protected void run() {
        backend.run(graph());
    }

    @Override
    protected void replace(BoundGraph newGraph) {}

    @Override
    protected void release() {}
}
