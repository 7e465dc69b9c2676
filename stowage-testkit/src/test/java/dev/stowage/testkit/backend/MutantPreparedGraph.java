package dev.stowage.testkit.backend;

import dev.stowage.device.PreparedGraph;
import dev.stowage.plan.BoundGraph;
import java.util.concurrent.atomic.AtomicBoolean;

/** A prepared graph with the defect of its device. */
final class MutantPreparedGraph extends PreparedGraph {

    private final MutantBackend backend;
    private final MutantDevice device;
    private final AtomicBoolean released = new AtomicBoolean();
    private BoundGraph prepared;
    private boolean hasRun;

    MutantPreparedGraph(MutantBackend backend, MutantDevice device, BoundGraph graph) {
        super(backend, graph);
        this.backend = backend;
        this.device = device;
        this.prepared = graph;
    }

    @Override
    protected void doCompute() {
        boolean keeps = device.has(Defect.PREPARED_GRAPHS_KEEP_THE_FIRST_RESULT) && hasRun;
        hasRun = true;
        if (!keeps) {
            boolean stops = device.has(Defect.CLOSING_A_PREPARED_GRAPH_STOPS_ITS_RUN);
            backend.submit(prepared, () -> stops && released.get());
        }
    }

    @Override
    protected void doUpdate(BoundGraph newGraph) {
        if (!device.has(Defect.PREPARED_GRAPHS_IGNORE_AN_UPDATE)) {
            prepared = newGraph;
            hasRun = false;
        }
    }

    @Override
    protected void doClose() {
        released.set(true);
    }
}
