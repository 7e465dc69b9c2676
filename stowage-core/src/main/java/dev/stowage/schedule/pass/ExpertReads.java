package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.tensor.Op;

/** Finds the split inputs that are experts' weights, of which only those in use are copied. */
public final class ExpertReads {

    private static final int WEIGHTS_SLOT = 0;

    private ExpertReads() {}

    /** Whether the first node of a split reads only some experts of a tensor in host memory. */
    public static boolean areCopiedInParts(Graph graph, int firstNode, int source) {
        boolean isRead = firstNode != Graph.NO_ID
                && graph.op(firstNode) == Op.MUL_MAT_ID
                && graph.sourceAt(graph.firstSlot(firstNode) + WEIGHTS_SLOT) == source
                && graph.tensor(source).isPlaced();
        if (!isRead) {
            return false;
        }
        Buffer buffer = Buffer.of(graph.tensor(source));
        return (buffer.usage() == BufferUsage.WEIGHTS || graph.isWeight(source))
                && buffer.isHost()
                && buffer.hasSegment();
    }
}
