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
    protected void doCompute() {
        backend.doCompute(graph());
    }

    @Override
    protected void doUpdate(BoundGraph newGraph) {}

    @Override
    protected void doClose() {}
}
