package dev.stowage.reference.kernel.sequence;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.RestrictedKernel;
import dev.stowage.tensor.Tensor;
import java.util.function.Function;

/**
 * Runs a layer that keeps a square matrix for each head and changes it from token to token. The tokens of all sequences
 * follow each other in dimension 2 of the operands {@code [size, heads, tokens]}; the state holds a row of matrices for
 * each sequence. The result holds a row for each token, then the last states, in the layout of the input.
 */
record LinearAttentionScan(int stateSlot, Function<Step, Update> layer) implements Kernel {

    /** What one token does to the state of a head, and what comes out. */
    @FunctionalInterface
    interface Update {
        /** Changes the state and adds to the output, which is zero before. */
        void apply(double[][] state, long head, long token, double[] output);
    }

    @Override
    public OpSupport supports(Tensor node) {
        long tokens = node.source(0).dim(2);
        long sequences = node.source(stateSlot).dim(1);
        return RestrictedKernel.require(
                sequences > 0 ? tokens % sequences == 0 : tokens == 0,
                tokens + " tokens cannot be shared out evenly to " + sequences + " sequences");
    }

    @Override
    public void compute(Step step) {
        Elements states = Elements.of(step.operand(stateSlot));
        Elements result = Elements.of(step.result());
        Update update = layer.apply(step);
        int size = Math.toIntExact(step.operand(0).dim(0));
        long heads = step.operand(0).dim(1);
        long tokens = step.operand(0).dim(2);
        long sequences = step.operand(stateSlot).dim(1);
        long afterTokens = size * heads * tokens;
        long perSequence = tokens / sequences;
        for (long sequence = 0; sequence < sequences; sequence++) {
            for (long head = 0; head < heads; head++) {
                long first = (sequence * heads + head) * size * size;
                double[][] state = load(states, first, size);
                for (long token = sequence * perSequence; token < (sequence + 1) * perSequence; token++) {
                    double[] output = new double[size];
                    update.apply(state, head, token, output);
                    for (int i = 0; i < size; i++) {
                        result.set(head * size + i, token, 0, 0, output[i]);
                    }
                }
                store(state, result, afterTokens + first);
            }
        }
    }

    /** A square matrix whose rows follow each other from element {@code first} on. */
    static double[][] load(Elements from, long first, int size) {
        double[][] matrix = new double[size][size];
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                matrix[i][j] = from.getInOrder(first + (long) i * size + j);
            }
        }
        return matrix;
    }

    /** Writes a square matrix row after row from element {@code first} on. */
    static void store(double[][] matrix, Elements to, long first) {
        for (int i = 0; i < matrix.length; i++) {
            for (int j = 0; j < matrix.length; j++) {
                to.setInOrder(first + (long) i * matrix.length + j, matrix[i][j]);
            }
        }
    }
}
