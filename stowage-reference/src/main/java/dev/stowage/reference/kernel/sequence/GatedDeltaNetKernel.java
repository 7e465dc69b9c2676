package dev.stowage.reference.kernel.sequence;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.reference.kernel.matrix.MatrixKernels;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/**
 * {@link Op#GATED_DELTA_NET}: a state answers a key with a value. For each token it decays by {@code exp(gate)}, is
 * corrected by {@code beta} times what the answer to {@code k} is off from {@code v}, and is asked for {@code q}.
 *
 * <pre>
 *   result   | y[size, heads, tokens, sequences] | newest states | states a token back | ...
 *                                                  each [size, size, heads, sequences]
 * </pre>
 *
 * Row {@code j} of a state answers with element {@code j} of the value. Queries and keys with fewer heads repeat. Where there are fewer tokens than states to keep, the oldest places are left as they are.
 */
final class GatedDeltaNetKernel implements Kernel {

    @Override
    public OpSupport supports(Tensor node) {
        Shape v = node.source(2).shape();
        for (int slot : new int[] {0, 1}) {
            Shape asked = node.source(slot).shape();
            boolean fits = asked.d0() == v.d0()
                    && asked.d2() == v.d2()
                    && asked.d1() > 0
                    && asked.d3() > 0
                    && v.d3() % asked.d3() == 0;
            if (!fits) {
                return OpSupport.no("q and k must have the size and the tokens of v, which is " + v
                        + ", and one of its sequences or a part of them: one is " + asked);
            }
        }
        for (int slot : new int[] {3, 4}) {
            Shape gate = node.source(slot).shape();
            if (!gate.with(0, v.d0()).equals(v)) {
                return OpSupport.no("gate and beta must have a row for each head of each token of v, which is " + v
                        + ": one is " + gate);
            }
        }
        return OpSupport.yes();
    }

    @Override
    public void compute(Step step) {
        Elements states = Elements.of(step.operand(5));
        Shape shape = step.operand(2).shape();
        for (long sequence = 0; sequence < shape.d3(); sequence++) {
            for (long head = 0; head < shape.d1(); head++) {
                scan(step, states.matrix(head, sequence), head, sequence);
            }
        }
    }

    private static void scan(Step step, double[][] state, long head, long sequence) {
        Elements qs = Elements.of(step.operand(0));
        Elements ks = Elements.of(step.operand(1));
        Elements vs = Elements.of(step.operand(2));
        Elements gates = Elements.of(step.operand(3));
        Elements betas = Elements.of(step.operand(4));
        Elements result = Elements.of(step.result());
        Shape shape = vs.shape();
        keep(step, state, 0, head, sequence);
        for (long token = 0; token < shape.d2(); token++) {
            double[] q = asked(qs, head, token, sequence, shape.d3());
            double[] k = asked(ks, head, token, sequence, shape.d3());
            double[] gate = gates.row(head, token, sequence);
            double beta = betas.get(0, head, token, sequence);
            for (int j = 0; j < state.length; j++) {
                double[] row = state[j];
                for (int i = 0; i < row.length; i++) {
                    row[i] *= Math.exp(gate[i % gate.length]);
                }
                double missing = beta * (vs.get(j, head, token, sequence) - MatrixKernels.dot(row, k));
                for (int i = 0; i < row.length; i++) {
                    row[i] += missing * k[i];
                }
                double y = MatrixKernels.dot(row, q) / Math.sqrt(state.length);
                result.set(head * state.length + j, sequence * shape.d2() + token, 0, 0, y);
            }
            keep(step, state, shape.d2() - 1 - token, head, sequence);
        }
    }

    /** The query or key of a head, each sequence of them serving several in a row. */
    private static double[] asked(Elements from, long head, long token, long sequence, long sequences) {
        return from.row(
                head % from.shape().d1(),
                token,
                sequence / (sequences / from.shape().d3()));
    }

    /** Writes a state among those of so many tokens ago, if these are kept. */
    private static void keep(Step step, double[][] state, long tokensAgo, long head, long sequence) {
        if (tokensAgo < Parameters.of(step, OpParameters.Snapshots.class).count()) {
            Shape v = step.operand(2).shape();
            long matrix = (tokensAgo * v.d3() + sequence) * v.d1() + head;
            LinearAttentionScan.store(
                    state, Elements.of(step.result()), v.elements() + matrix * state.length * state.length);
        }
    }
}
