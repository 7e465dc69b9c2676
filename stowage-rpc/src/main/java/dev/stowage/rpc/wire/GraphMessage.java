package dev.stowage.rpc.wire;

import dev.stowage.error.MalformedDataException;
import java.nio.ByteBuffer;

/**
 * The payload of {@link Command#GRAPH_COMPUTE}: {@code device u32 | n_nodes u32 | ids u64[n_nodes] | n_tensors u32 |
 * tensors}. The tensors are all that the nodes reach through sources and views.
 */
public final class GraphMessage {

    private final ByteBuffer payload;
    private final int nodeCount;
    private final int tensorCount;

    /**
     * Reads the counts of a message and checks that it is as long as they say.
     *
     * @throws MalformedDataException if it is not
     */
    public GraphMessage(ByteBuffer payload) {
        this.payload = payload;
        long length = payload.remaining();
        require(length >= 12, length);
        long nodes = Integer.toUnsignedLong(payload.getInt(4));
        require(12 + 8 * nodes <= length, length);
        long tensors = Integer.toUnsignedLong(payload.getInt((int) (8 + 8 * nodes)));
        require(bytes(nodes, tensors) == length, length);
        this.nodeCount = (int) nodes;
        this.tensorCount = (int) tensors;
    }

    private static void require(boolean holds, long length) {
        if (!holds) {
            throw new MalformedDataException(
                    "a graph message of " + length + " bytes is not as long as its counts say");
        }
    }

    /** The bytes of a message with that many nodes and tensors. */
    public static long bytes(long nodes, long tensors) {
        return 12 + 8 * nodes + WireTensor.BYTES * tensors;
    }

    public int device() {
        return payload.getInt(0);
    }

    public int nodeCount() {
        return nodeCount;
    }

    /** The id of the tensor that node {@code i} is. */
    public long node(int i) {
        return payload.getLong(8 + 8 * i);
    }

    public int tensorCount() {
        return tensorCount;
    }

    public WireTensor tensor(int i) {
        return new WireTensor(payload, 12 + 8 * nodeCount + WireTensor.BYTES * i);
    }
}
