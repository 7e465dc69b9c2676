package dev.stowage.cpu.op.sequence;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.sequence.ResidualStreamKernels;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;

/**
 * DSV4_HC_COMB, DSV4_HC_PRE and DSV4_HC_POST: residual connections of several streams that are mixed, token by token.
 */
final class HyperConnectionOpKernels {

    private HyperConnectionOpKernels() {}

    private static boolean takes(NodeBuilder node, int operands) {
        return FloatSource.takesAll(node, 0, operands)
                && node.result().type == ElementType.F32
                && node.result().hasDenseRows();
    }

    /** {@link ResidualStreamKernels#balance}. */
    static final OpKernel COMB = node -> {
        if (!takes(node, 3)) {
            return false;
        }
        node.add(new Comb(node, FloatSource.of(node, 0), FloatSource.of(node, 1), FloatSource.of(node, 2)));
        return true;
    };

    /** The weighted sum of the streams. */
    static final OpKernel PRE = node -> {
        if (!takes(node, 2)) {
            return false;
        }
        node.add(new Pre(node, FloatSource.of(node, 0), FloatSource.of(node, 1)));
        return true;
    };

    /** The streams after a layer. */
    static final OpKernel POST = node -> {
        if (!takes(node, 4)) {
            return false;
        }
        node.add(new Post(
                node,
                FloatSource.of(node, 0),
                FloatSource.of(node, 1),
                FloatSource.of(node, 2),
                FloatSource.of(node, 3)));
        return true;
    };

    private static final class Comb extends RangeTask {

        private static final double NANOS_PER_TOKEN = 400;

        private final FloatSource mixes;
        private final FloatSource scale;
        private final FloatSource base;
        private final Operand result;
        private final float epsilon;
        private final int iterations;

        Comb(NodeBuilder node, FloatSource mixes, FloatSource scale, FloatSource base) {
            super(node.result().d2, NANOS_PER_TOKEN, node.threads());
            OpParameters.HyperConnection p = node.parameters(OpParameters.HyperConnection.class);
            this.mixes = mixes;
            this.scale = scale;
            this.base = base;
            this.result = node.result();
            this.epsilon = p.epsilon();
            this.iterations = p.iterations();
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long token = from; token < to; token++) {
                ResidualStreamKernels.balance(
                        mixes.at(token, 0, 0),
                        scale.address(),
                        base.address(),
                        epsilon,
                        iterations,
                        result.at(0, token, 0),
                        result.s1);
            }
        }
    }

    private static final class Pre extends RangeTask {

        private final FloatSource x;
        private final FloatSource weights;
        private final Operand result;

        Pre(NodeBuilder node, FloatSource x, FloatSource weights) {
            super(node.result().d1, x.d0 * x.d1 * 0.1, node.threads());
            this.x = x;
            this.weights = weights;
            this.result = node.result();
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long token = from; token < to; token++) {
                ResidualStreamKernels.mix(
                        x.at(0, token, 0),
                        x.s1,
                        weights.at(token, 0, 0),
                        Float.BYTES,
                        x.d1,
                        0,
                        0f,
                        result.at(token, 0, 0),
                        x.d0);
            }
        }
    }

    private static final class Post extends RangeTask {

        private final FloatSource x;
        private final FloatSource residual;
        private final FloatSource post;
        private final FloatSource comb;
        private final Operand result;

        Post(NodeBuilder node, FloatSource x, FloatSource residual, FloatSource post, FloatSource comb) {
            super(node.result().d2, residual.d0 * residual.d1 * residual.d1 * 0.1, node.threads());
            this.x = x;
            this.residual = residual;
            this.post = post;
            this.comb = comb;
            this.result = node.result();
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long token = from; token < to; token++) {
                for (long stream = 0; stream < residual.d1; stream++) {
                    float factor = Memory.getFloat(post.at(token, 0, 0) + stream * Float.BYTES);
                    ResidualStreamKernels.mix(
                            residual.at(0, token, 0),
                            residual.s1,
                            comb.at(0, token, 0) + stream * Float.BYTES,
                            comb.s1,
                            residual.d1,
                            x.at(token, 0, 0),
                            factor,
                            result.at(stream, token, 0),
                            residual.d0);
                }
            }
        }
    }
}
