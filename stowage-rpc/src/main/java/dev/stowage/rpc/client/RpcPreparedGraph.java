package dev.stowage.rpc.client;

import dev.stowage.device.PreparedGraph;
import dev.stowage.plan.BoundGraph;
import java.nio.ByteBuffer;

/** A graph as the message that describes it. The server keeps the last one of each device, which runs by its number. */
final class RpcPreparedGraph extends PreparedGraph {

    private final RpcBackend backend;
    private ByteBuffer message;

    RpcPreparedGraph(RpcBackend backend, BoundGraph graph) {
        super(backend, graph);
        this.backend = backend;
        this.message = backend.write(graph);
    }

    @Override
    protected void doCompute() {
        backend.run(message);
    }

    @Override
    protected void doUpdate(BoundGraph newGraph) {
        message = backend.write(newGraph);
    }

    @Override
    protected void doClose() {
        backend.forget(message);
    }
}
