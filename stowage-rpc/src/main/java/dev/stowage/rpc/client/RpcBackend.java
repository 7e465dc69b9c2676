package dev.stowage.rpc.client;

import dev.stowage.device.Backend;
import dev.stowage.device.PreparedGraph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A stream of work on a device of a server. The connection keeps the order of all requests, and memory of the server can
 * only be reached through it, so that nothing has to be waited for but bytes that are read.
 */
final class RpcBackend extends Backend {

    /** What is copied from another server at once. */
    private static final long STAGING_BYTES = 4 << 20;

    private final RpcDevice device;
    private final Connection connection;
    private MemorySegment staging = MemorySegment.NULL;

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
        if (!(from.buffer() instanceof RpcBuffer source
                && to.buffer() instanceof RpcBuffer target
                && target.connection() == connection
                && from.byteSize() > 0)) {
            return false;
        }
        return source.connection() == connection ? target.copyThere(from, to) : copyOver(source, from, target, to);
    }

    /**
     * Copies from another server, through this process. That is waited for the bytes; this one is not waited for, and
     * computes meanwhile: what it is sent takes effect after all that it was sent before.
     */
    private boolean copyOver(RpcBuffer source, BoundTensor from, RpcBuffer target, BoundTensor to) {
        if (!from.layout().isContiguous()) {
            return false;
        }
        MemorySegment staging = staging(Math.min(from.byteSize(), STAGING_BYTES));
        for (long at = 0; at < from.byteSize(); ) {
            MemorySegment piece = staging.asSlice(0, Math.min(staging.byteSize(), from.byteSize() - at));
            RpcBuffer.fetch(source.connection(), from, at, piece);
            source.connection().settle();
            target.send(to, at, piece);
            at += piece.byteSize();
        }
        return true;
    }

    private MemorySegment staging(long bytes) {
        if (staging.byteSize() < bytes) {
            staging = Arena.ofAuto().allocate(bytes);
        }
        return staging;
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
