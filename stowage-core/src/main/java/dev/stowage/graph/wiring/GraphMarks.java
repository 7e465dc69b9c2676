package dev.stowage.graph.wiring;

import dev.stowage.tensor.Tensor;

/** The bits that a graph keeps for each of its tensors: marks, and properties of the op, so that passes need not load it. */
public final class GraphMarks {

    public static final int INPUT = 1;
    public static final int OUTPUT = 2;
    public static final int WEIGHT = 4;
    /** An op computes the tensor. */
    public static final int COMPUTED = 8;

    public static final int IN_PLACE_OP = 16;
    public static final int VIEW_OP = 32;

    /** Set by {@link GraphAssembly} where a result must not overwrite an operand although its op could. */
    public static final int IN_PLACE_FORBIDDEN = 64;

    /** Set in a slice for results that nodes after the slice read or view. */
    public static final int READ_LATER = 128;

    private GraphMarks() {}

    /** The marks of a tensor, and the properties of its op. */
    public static byte of(Tensor tensor) {
        return (byte) ((tensor.isInput() ? INPUT : 0)
                | (tensor.isOutput() ? OUTPUT : 0)
                | (tensor.isWeight() ? WEIGHT : 0)
                | (tensor.isLeaf() ? 0 : COMPUTED)
                | (tensor.op().canWorkInPlace() ? IN_PLACE_OP : 0)
                | (tensor.op().isViewOp() ? VIEW_OP : 0));
    }
}
