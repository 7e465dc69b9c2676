package dev.stowage.rpc.client;

import dev.stowage.device.Backend;
import dev.stowage.device.PreparedGraph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A stream of work on a device of a server. The connection keeps the order of all requests, and memory of the server can
 * only be reached through it, so that nothing has to be waited for but bytes that are read.
 */
final class RpcBackend extends Backend {

    private final RpcDevice device;
    private final Connection connection;

    RpcBackend(RpcDevice device, Connection connection) {
        super(device);
        this.device = device;
        this.connection = connection;
    }

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        if (tensor.buffer() instanceof RpcBuffer remote) {
            remote.send(tensor, offset, source);
        } else {
            super.doSet(tensor, offset, source);
        }
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        if (tensor.buffer() instanceof RpcBuffer && target.byteSize() > 0) {
            RpcBuffer.fetch(connection, tensor, offset, target);
        } else {
            super.doGet(tensor, offset, target);
        }
    }

    @Override
    protected boolean doTryCopy(Backend producer, BoundTensor from, BoundTensor to) {
        return from.buffer() instanceof RpcBuffer source
                && to.buffer() instanceof RpcBuffer target
                && source.connection() == connection
                && target.connection() == connection
                && from.byteSize() > 0
                && target.copyThere(from, to);
    }

    @Override
    protected void doCompute(BoundGraph graph) {
        if (graph.graph().nodeCount() > 0) {
            run(write(graph));
        }
    }

    @Override
    protected PreparedGraph doPrepare(BoundGraph graph) {
        return new RpcPreparedGraph(this, graph);
    }

    ByteBuffer write(BoundGraph graph) {
        return GraphWriter.write(graph, device, connection.dialect());
    }

    /** Has the server run a graph: by number if it was the last one of the device, else by sending it. */
    void run(ByteBuffer message) {
        device.run(message);
    }

    void forget(ByteBuffer message) {
        device.forget(message);
    }

    @Override
    protected void doSynchronize() {
        connection.settle();
    }

    @Override
    protected void doClose() {
        if (connection.health().lossCause().isEmpty()) {
            connection.settle();
        }
    }
}
