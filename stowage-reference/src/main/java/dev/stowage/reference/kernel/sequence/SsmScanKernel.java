package dev.stowage.reference.kernel.sequence;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.error.AccessException;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.reference.kernel.RestrictedKernel;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/**
 * {@link Op#SSM_SCAN}: each row of a state decays by {@code exp(step * a)}, takes in {@code step * x * b}, and is read
 * out with {@code c}; the step is the softplus of {@code dt}.
 *
 * <pre>
 *   result   | y[d, heads, tokens, sequences] | newest states | states a token back | ...
 *                                               each [n, d, heads, sequences]
 * </pre>
 *
 * Where there are fewer tokens than states to keep, the oldest places are left as they are.
 */
final class SsmScanKernel implements Kernel {

    /** Above this ggml takes the softplus of a number for the number itself. */
    private static final double LINEAR = 20;

    @Override
    public OpSupport supports(Tensor node) {
        long heads = node.source(1).dim(1);
        long groups = node.source(4).dim(1);
        return RestrictedKernel.require(
                groups > 0 && heads % groups == 0,
                "the " + heads + " heads of x must be a whole number of times the " + groups + " groups of b and c");
    }

    @Override
    public void compute(Step step) {
        Elements states = Elements.of(step.operand(0));
        Elements ids = Elements.of(step.operand(6));
        Shape x = step.operand(1).shape();
        for (long sequence = 0; sequence < x.d3(); sequence++) {
            long id = ids.getLong(sequence, 0, 0, 0);
            if (id < 0 || id >= states.shape().d3()) {
                throw new AccessException("sequence " + sequence + " is to start from state " + id
                        + ", and there are states 0 to " + (states.shape().d3() - 1));
            }
            for (long head = 0; head < x.d1(); head++) {
                for (long i = 0; i < x.d0(); i++) {
                    scan(step, states.row(i, head, id), i, head, sequence);
                }
            }
        }
    }

    /** Runs one row of a state over all tokens of a sequence. */
    private static void scan(Step step, double[] state, long i, long head, long sequence) {
        Elements xs = Elements.of(step.operand(1));
        Elements dts = Elements.of(step.operand(2));
        Elements as = Elements.of(step.operand(3));
        Elements bs = Elements.of(step.operand(4));
        Elements cs = Elements.of(step.operand(5));
        Elements result = Elements.of(step.result());
        Shape shape = xs.shape();
        long group = head / (shape.d1() / bs.shape().d1());
        keep(step, state, 0, i, head, sequence);
        for (long token = 0; token < shape.d2(); token++) {
            double dt = softplus(dts.get(head, token, sequence, 0));
            double x = xs.get(i, head, token, sequence);
            double y = 0;
            for (int n = 0; n < state.length; n++) {
                double decay = Math.exp(dt * as.get(n % as.shape().d0(), head, 0, 0));
                state[n] = decay * state[n] + dt * x * bs.get(n, group, token, sequence);
                y += state[n] * cs.get(n, group, token, sequence);
            }
            result.setInOrder(((sequence * shape.d2() + token) * shape.d1() + head) * shape.d0() + i, y);
            keep(step, state, shape.d2() - 1 - token, i, head, sequence);
        }
    }

    /** Writes a row of a state among those of so many tokens ago, if these are kept. */
    private static void keep(Step step, double[] state, long tokensAgo, long i, long head, long sequence) {
        if (tokensAgo < Parameters.of(step, OpParameters.Snapshots.class).count()) {
            Shape x = step.operand(1).shape();
            long row = ((tokensAgo * x.d3() + sequence) * x.d1() + head) * x.d0() + i;
            Elements result = Elements.of(step.result());
            for (int n = 0; n < state.length; n++) {
                result.setInOrder(x.elements() + row * state.length + n, state[n]);
            }
        }
    }

    private static double softplus(double x) {
        return x > LINEAR ? x : Math.log1p(Math.exp(x));
    }
}
