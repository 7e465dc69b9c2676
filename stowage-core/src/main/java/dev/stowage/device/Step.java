package dev.stowage.device;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import org.jspecify.annotations.Nullable;

/**
 * One node of a bound graph with its operands and where they are stored: the input of a kernel. Operands are those that
 * the graph wires to the node, which may be copies of the sources of the tensor, so that kernels read operands from
 * here and not from the tensor. Immutable.
 */
public final class Step {

    private final int node;
    private final BoundTensor result;
    private final @Nullable BoundTensor[] operands;

    private Step(BoundGraph bound, int node) {
        Graph graph = bound.graph();
        this.node = node;
        this.result = bound.tensor(node);
        this.operands = new BoundTensor[graph.endSlot(node) - graph.firstSlot(node)];
        for (int slot = 0; slot < operands.length; slot++) {
            int source = graph.sourceAt(graph.firstSlot(node) + slot);
            operands[slot] = source == Graph.NO_ID ? null : bound.tensor(source);
        }
    }

    /** Node number {@code node} of a graph. */
    public static Step of(BoundGraph graph, int node) {
        return new Step(graph, node);
    }

    /** The number of the node in its graph. */
    public int node() {
        return node;
    }

    public Op op() {
        return result.tensor().op();
    }

    public OpParameters parameters() {
        return result.tensor().parameters();
    }

    /** What is computed, and where it is stored. */
    public BoundTensor result() {
        return result;
    }

    /** How many operand slots there are, filled or not. */
    public int operandCount() {
        return operands.length;
    }

    /** Whether that operand was given. */
    public boolean hasOperand(int slot) {
        return slot < operands.length && operands[slot] != null;
    }

    /** The operand in that slot, and where it is stored. */
    public BoundTensor operand(int slot) {
        BoundTensor operand = slot < operands.length ? operands[slot] : null;
        if (operand == null) {
            throw new InvalidTensorException(result.describe() + " has no operand " + slot);
        }
        return operand;
    }
}
