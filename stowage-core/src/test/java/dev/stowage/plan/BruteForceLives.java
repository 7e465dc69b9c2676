package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;

/**
 * When a tensor is needed, straight from the definition and asked of the tensors themselves: it is there from the start
 * if it is not a node or is an input, else from the node that computes it; and it is needed by every node that reads or
 * writes it or a view of it, and after the last node if it is an output.
 */
final class BruteForceLives {

    private final Graph graph;

    BruteForceLives(Graph graph) {
        this.graph = graph;
    }

    int from(int id) {
        return graph.isNode(id) && !graph.tensor(id).isInput() ? id : Liveness.BEFORE;
    }

    int to(int id) {
        if (graph.tensor(id).isOutput()) {
            return graph.nodeCount();
        }
        int last = from(id);
        for (int node = 0; node < graph.nodeCount(); node++) {
            if (uses(graph.node(node), graph.tensor(id))) {
                last = node;
            }
        }
        return last;
    }

    /** As {@link #to}, but a tensor is also kept for the views of it that are outputs. */
    int keptTo(int id) {
        for (int other = 0; other < graph.size(); other++) {
            Tensor tensor = graph.tensor(other);
            if (tensor.isOutput() && isPartOf(tensor, graph.tensor(id))) {
                return graph.nodeCount();
            }
        }
        return to(id);
    }

    boolean liveTogether(int a, int b) {
        return Math.max(from(a), from(b)) <= Math.min(to(a), to(b));
    }

    /**
     * Whether a node may be, is, and is said to be computed in the place of a tensor that only it still needs, and that
     * it reads through one operand which has the offset and layout of the result.
     */
    boolean isInPlace(MemoryPlan plan, int node, int operand) {
        if (plan.inPlaceOf(node) != operand || !graph.isNode(node)) {
            return false;
        }
        Tensor result = graph.tensor(node);
        Tensor overwritten = graph.tensor(operand);
        int reads = 0;
        boolean allowed = true;
        for (int slot = 0; slot < result.sourceCount(); slot++) {
            if (result.hasSource(slot) && isPartOf(result.source(slot), overwritten)) {
                Tensor source = result.source(slot);
                reads++;
                allowed = result.op().mayOverwrite(slot)
                        && source.layout().equals(result.layout())
                        && source.viewOffset() == 0;
            }
        }
        return reads == 1
                && allowed
                && from(node) == node
                && to(operand) == node
                && plan.isPlanned(operand)
                && plan.offset(node) == plan.offset(operand);
    }

    /** Whether a node reads or writes bytes of a tensor. */
    private static boolean uses(Tensor node, Tensor tensor) {
        if (isPartOf(node, tensor)) {
            return true;
        }
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            if (node.hasSource(slot) && isPartOf(node.source(slot), tensor)) {
                return true;
            }
        }
        return false;
    }

    static boolean isPartOf(Tensor part, Tensor whole) {
        return part.equals(whole) || (part.isView() && part.viewSource().equals(whole));
    }
}
