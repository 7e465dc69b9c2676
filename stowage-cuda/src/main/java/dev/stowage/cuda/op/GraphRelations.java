package dev.stowage.cuda.op;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import java.util.ArrayList;
import java.util.List;

/** Which nodes of a bound graph read which tensors, and which tensors share memory; what fusions are decided by. */
final class GraphRelations {

    private final BoundGraph bound;
    private final Graph graph;
    /** By id the nodes that read a tensor, or are views of it, in order. */
    private final List<List<Integer>> readers = new ArrayList<>();

    GraphRelations(BoundGraph bound) {
        this.bound = bound;
        this.graph = bound.graph();
        for (int id = 0; id < graph.size(); id++) {
            readers.add(new ArrayList<>(2));
        }
        for (int node = 0; node < graph.nodeCount(); node++) {
            for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                addReader(graph.sourceAt(slot), node);
            }
            addReader(graph.viewSource(node), node);
        }
    }

    private void addReader(int id, int node) {
        if (id != Graph.NO_ID) {
            List<Integer> nodes = readers.get(id);
            if (nodes.isEmpty() || nodes.getLast() != node) {
                nodes.add(node);
            }
        }
    }

    List<Integer> readers(int id) {
        return readers.get(id);
    }

    /** The id in a slot of a node; {@link Graph#NO_ID} if there is none. */
    int source(int node, int slot) {
        int at = graph.firstSlot(node) + slot;
        return at < graph.endSlot(node) ? graph.sourceAt(at) : Graph.NO_ID;
    }

    /** Whether a result need not be written if its only readers in this graph take it from elsewhere. */
    boolean isInternal(int node) {
        return graph.isNode(node)
                && !graph.isOutput(node)
                && !graph.isReadLater(node)
                && !graph.node(node).isView();
    }

    /** The node that alone reads a result which need not be written; {@link Graph#NO_ID} if there is none. */
    int onlyReader(int node) {
        return isInternal(node) && readers.get(node).size() == 1
                ? readers.get(node).getFirst()
                : Graph.NO_ID;
    }

    BoundTensor tensor(int id) {
        return bound.tensor(id);
    }

    /** Whether two tensors share a byte. */
    boolean overlap(int a, int b) {
        return !Memory.areApart(tensor(a), tensor(b));
    }

    /** Whether two tensors are the same bytes. */
    boolean isSame(int a, int b) {
        return Memory.isSame(tensor(a), tensor(b));
    }

    /** Whether two tensors begin at the same byte. */
    boolean isSameBeginning(int a, int b) {
        return DeviceAddress.of(tensor(a)) == DeviceAddress.of(tensor(b));
    }

    /** Whether a node between two others, both excluded, writes into a tensor; nodes that are done were before. */
    boolean isWrittenBetween(int from, int to, int id, boolean[] done) {
        for (int node = from + 1; node < to; node++) {
            if (!done[node] && isLaunched(node) && overlap(node, id)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a node between two others, both excluded, reads or writes a tensor; nodes that are done were before. */
    boolean isTouchedBetween(int from, int to, int id, boolean[] done) {
        if (isWrittenBetween(from, to, id, done)) {
            return true;
        }
        for (int node = from + 1; node < to; node++) {
            for (int slot = graph.firstSlot(node);
                    !done[node] && isLaunched(node) && slot < graph.endSlot(node);
                    slot++) {
                int source = graph.sourceAt(slot);
                if (source != Graph.NO_ID && overlap(source, id)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isLaunched(int node) {
        return graph.isComputed(node) && !graph.isViewOp(node) && bound.hasMemory(node);
    }
}
