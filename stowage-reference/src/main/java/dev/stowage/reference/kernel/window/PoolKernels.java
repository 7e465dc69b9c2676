package dev.stowage.reference.kernel.window;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.PoolKind;
import java.util.Map;

/** The largest or the mean of the elements under a window. */
final class PoolKernels {

    private PoolKernels() {}

    static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.POOL_1D, PoolKernels::pool1d);
        kernels.put(Op.POOL_2D, PoolKernels::pool2d);
    }

    private static void pool1d(Step step) {
        OpParameters.Pool1d parameters = Parameters.of(step, OpParameters.Pool1d.class);
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        Elements.forEach(result.shape(), (x, i1, i2, i3) -> {
            Pool pool = new Pool(parameters.kind());
            for (long k = 0; k < parameters.size(); k++) {
                long i0 = x * parameters.stride() + k - parameters.padding();
                if (a.contains(i0, i1, i2, i3)) {
                    pool.take(a.get(i0, i1, i2, i3));
                }
            }
            // Along sequences padding does not count for the mean; a window that sees nothing else has a mean of 0.
            result.set(x, i1, i2, i3, pool.value(Math.max(pool.taken, 1)));
        });
    }

    private static void pool2d(Step step) {
        OpParameters.Pool2d parameters = Parameters.of(step, OpParameters.Pool2d.class);
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        Elements.forEach(result.shape(), (x, y, i2, i3) -> {
            Pool pool = new Pool(parameters.kind());
            for (long ky = 0; ky < parameters.size1(); ky++) {
                for (long kx = 0; kx < parameters.size0(); kx++) {
                    long i0 = x * parameters.stride0() + kx - parameters.padding0();
                    long i1 = y * parameters.stride1() + ky - parameters.padding1();
                    if (a.contains(i0, i1, i2, i3)) {
                        pool.take(a.get(i0, i1, i2, i3));
                    }
                }
            }
            // On images padding counts as zeros.
            result.set(x, y, i2, i3, pool.value((long) parameters.size0() * parameters.size1()));
        });
    }

    /** What has been seen under the window so far. */
    private static final class Pool {

        private final PoolKind kind;
        private double sum;
        private double max = -Float.MAX_VALUE;
        private long taken;

        Pool(PoolKind kind) {
            this.kind = kind;
        }

        void take(double value) {
            sum += value;
            // Not Math.max: as in ggml, a NaN stands until the next element replaces it.
            max = value < max ? max : value;
            taken++;
        }

        double value(long divisor) {
            return switch (kind) {
                case MAX -> max;
                case AVG -> sum / divisor;
            };
        }
    }
}
