package dev.stowage.device;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * One node of a graph with its operands, which is all a kernel needs to see. Operands are those the graph wires to the
 * node, which may be copies on another device of the ones the tensor itself was built from; so a kernel asks its step
 * and not the tensor. Immutable.
 */
public final class Step {

    private final int node;
    private final Tensor result;
    private final @Nullable Tensor[] operands;

    private Step(Graph graph, int node) {
        this.node = node;
        this.result = graph.node(node);
        this.operands = new Tensor[graph.endSlot(node) - graph.firstSlot(node)];
        for (int slot = 0; slot < operands.length; slot++) {
            int source = graph.sourceAt(graph.firstSlot(node) + slot);
            operands[slot] = source == Graph.NO_ID ? null : graph.tensor(source);
        }
    }

    /** Node number {@code node} of a graph. */
    public static Step of(Graph graph, int node) {
        return new Step(graph, node);
    }

    /** The number of the node in its graph. */
    public int node() {
        return node;
    }

    public Op op() {
        return result.op();
    }

    public OpParameters parameters() {
        return result.parameters();
    }

    /** What is computed. */
    public Tensor result() {
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

    /** The operand in that slot. */
    public Tensor operand(int slot) {
        Tensor operand = slot < operands.length ? operands[slot] : null;
        if (operand == null) {
            throw new InvalidTensorException(result.describe() + " has no operand " + slot);
        }
        return operand;
    }
}
