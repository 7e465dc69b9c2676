package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.product.InterleavedQ4_0;
import dev.stowage.cpu.kernel.product.InterleavedQ4_K;
import dev.stowage.cpu.kernel.product.InterleavedQ6_K;
import dev.stowage.cpu.kernel.product.InterleavedQ8_0;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.tensor.ElementType;

/** Multiplies groups of interleaved rows with one column at a time, of all types that have kernels for that. */
final class InterleavedGroups {

    private final Operand weights;
    private final Scratch workspace;

    /** For the weights in slot 0. */
    InterleavedGroups(NodeBuilder node) {
        this.weights = node.operand(0);
        this.workspace =
                node.scratchPerThread(Math.max(InterleavedQ4_K.WORKSPACE_BYTES, InterleavedQ6_K.WORKSPACE_BYTES));
    }

    /** Whether columns are {@linkplain QuantizedColumns rounded}; floats otherwise. */
    static boolean takeIntegers(ElementType type) {
        return type != ElementType.Q8_0;
    }

    /**
     * Multiplies two groups.
     *
     * @param rows the first group
     * @param apart bytes from there to the second; 0 for one group only
     * @param to where the results of the first go
     * @param toApart bytes from there to those of the second
     */
    void multiply(long rows, long apart, long column, long to, long toApart, int thread) {
        int elements = (int) weights.d0;
        switch (weights.type) {
            case Q4_0 -> InterleavedQ4_0.multiply(rows, apart, elements, column, to, toApart);
            case Q4_K ->
                InterleavedQ4_K.multiply(rows, apart, elements, column, to, toApart, workspace.address(thread));
            case Q8_0 -> InterleavedQ8_0.multiply(rows, apart, elements, column, to, toApart);
            default -> {
                InterleavedQ6_K.multiply(rows, elements, column, to, workspace.address(thread));
                if (apart != 0) {
                    InterleavedQ6_K.multiply(rows + apart, elements, column, to + toApart, workspace.address(thread));
                }
            }
        }
    }
}
