package dev.stowage.device.fusion;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Op;

/** The uses of every result of a graph, counted once; input of fusion patterns. Immutable. */
public final class ResultUses {

    private final Graph graph;
    /** By id, how many slots of nodes read a tensor, or are views of it. */
    private final int[] counts;

    private ResultUses(Graph graph, int[] counts) {
        this.graph = graph;
        this.counts = counts;
    }

    /** Counts the uses in a graph. */
    public static ResultUses of(Graph graph) {
        int[] counts = new int[graph.size()];
        for (int node = 0; node < graph.nodeCount(); node++) {
            for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                if (graph.sourceAt(slot) != Graph.NO_ID) {
                    counts[graph.sourceAt(slot)]++;
                }
            }
            if (graph.viewSource(node) != Graph.NO_ID) {
                counts[graph.viewSource(node)]++;
            }
        }
        return new ResultUses(graph, counts);
    }

    public Graph graph() {
        return graph;
    }

    /** Whether there is such a node, and it is of that op. */
    public boolean isOp(int node, Op op) {
        return node < graph.nodeCount() && graph.op(node) == op;
    }

    /** Whether a node reads another in its first slot. */
    public boolean isFirstOperand(int operand, int node) {
        return graph.firstSlot(node) < graph.endSlot(node) && graph.sourceAt(graph.firstSlot(node)) == operand;
    }

    /**
     * Whether nothing but {@code reader} uses the result of {@code node}, so that it need not be written: it is not an
     * output of the graph, no other node reads it or is a view of it, and it is not itself a view of something that
     * stays.
     */
    public boolean isReadOnlyBy(int node, int reader) {
        return counts[node] == 1
                && !graph.isOutput(node)
                && !graph.isReadLater(node)
                && !graph.node(node).isView()
                && countBetween(node, reader, reader) == 1;
    }

    /**
     * The node that alone reads the result of {@code node}, as it is or through views right after it; none if the
     * result or a view of it is an output, is used by others too, or is itself a view of something that stays.
     *
     * @return the number of the reader, with nothing but views between the two; {@link Graph#NO_ID} if there is none
     */
    public int readerThroughViews(int node) {
        int reader = node + 1;
        while (reader < graph.nodeCount() && graph.isViewOp(reader) && isFirstOperand(reader - 1, reader)) {
            reader++;
        }
        if (reader >= graph.nodeCount()
                || graph.isViewOp(reader)
                || graph.node(node).isView()) {
            return Graph.NO_ID;
        }
        for (int link = node; link < reader; link++) {
            int uses = countBetween(link, link + 1, reader);
            if (uses == 0 || uses != counts[link] || graph.isOutput(link) || graph.isReadLater(link)) {
                return Graph.NO_ID;
            }
        }
        return reader;
    }

    /** How many slots of some nodes read a node, or are views of it. */
    private int countBetween(int node, int from, int through) {
        int uses = 0;
        for (int user = from; user <= through; user++) {
            for (int slot = graph.firstSlot(user); slot < graph.endSlot(user); slot++) {
                uses += graph.sourceAt(slot) == node ? 1 : 0;
            }
            uses += graph.viewSource(user) == node ? 1 : 0;
        }
        return uses;
    }
}
