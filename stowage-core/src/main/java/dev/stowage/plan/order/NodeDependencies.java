package dev.stowage.plan.order;

import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import dev.stowage.plan.PlanRequest;
import dev.stowage.tensor.Op;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The dependencies that every order keeps: sources before readers, and accesses to the same bytes in the present order.
 * A copy into a cache is not a source of a node that reads the cache later, but must stay before it.
 *
 * <pre>
 *   write a ──► read b, read c ──► write d       for each memory range; b and c may be swapped
 * </pre>
 */
final class NodeDependencies {

    private final Graph graph;
    private final SharedBytes bytes;
    private final int[] lastWriter;
    private final IntList[] readers;
    private final IntList[] before;
    private final IntList[] after;
    private int lastCustom = Graph.NO_ID;

    NodeDependencies(PlanRequest request) {
        this.graph = request.graph();
        this.bytes = new SharedBytes(request);
        this.lastWriter = new int[graph.size()];
        this.readers = IntList.empty(graph.size());
        this.before = IntList.empty(graph.nodeCount());
        this.after = IntList.empty(graph.nodeCount());
        Arrays.fill(lastWriter, Graph.NO_ID);
        for (int node = 0; node < graph.nodeCount(); node++) {
            follow(node);
        }
    }

    private void follow(int node) {
        boolean touchesBytes = !graph.op(node).isViewOp();
        for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && source != node) {
                require(source, node);
                if (touchesBytes) {
                    require(lastWriter[bytes.group(source)], node);
                    readers[bytes.group(source)].add(node);
                }
            }
        }
        require(graph.viewSource(node), node);
        if (touchesBytes && graph.isComputed(node)) {
            write(node, bytes.group(node));
        }
        if (isCustom(graph.op(node))) {
            // A custom function may have side effects.
            require(lastCustom, node);
            lastCustom = node;
        }
    }

    private void write(int node, int group) {
        require(lastWriter[group], node);
        IntList read = readers[group];
        for (int i = 0; i < read.size(); i++) {
            require(read.get(i), node);
        }
        read.clear();
        lastWriter[group] = node;
    }

    private static boolean isCustom(Op op) {
        return op == Op.CUSTOM || op == Op.MAP_CUSTOM1 || op == Op.MAP_CUSTOM2 || op == Op.MAP_CUSTOM3;
    }

    private void require(int first, int second) {
        if (graph.isNode(first) && first != second) {
            before[second].add(first);
            after[first].add(second);
        }
    }

    /** How many nodes there are. */
    int nodes() {
        return before.length;
    }

    /** The nodes that must run before a node; may contain duplicates. */
    IntList before(int node) {
        return before[node];
    }

    /** The nodes that must run after a node; may contain duplicates. */
    IntList after(int node) {
        return after[node];
    }

    /** Whether the order itself matters: a node without an op keeps its sources alive up to its position. */
    boolean isOrderMeant() {
        return IntStream.range(0, graph.nodeCount()).anyMatch(node -> !graph.isComputed(node));
    }
}
