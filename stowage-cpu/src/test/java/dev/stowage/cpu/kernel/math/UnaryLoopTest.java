package dev.stowage.cpu.kernel.math;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

/** The functions whose polynomials are our own, held against {@link Math}. */
class UnaryLoopTest {

    private static final int COUNT = 1 << 14;
    private static final long SEED = 1;

    @Test
    void subtractsOneFromTheExponentialWithoutLoss() {
        check(ExponentialKernels::expm1, Math::expm1, -30, 88.7, 2e-7);
    }

    @Test
    void computesTheHyperbolicTangentWithoutLoss() {
        check(ExponentialKernels::tanh, Math::tanh, -12, 12, 3e-7);
    }

    @Test
    void computesSoftplusWithoutLoss() {
        check(ExponentialKernels::softplus, x -> Math.log1p(Math.exp(x)), -80, 20, 4e-7);
    }

    @Test
    void computesLogarithms() {
        check(LogKernels::log, Math::log, 1e-44, 3e38, 2e-7);
        check(LogKernels::log, Math::log, 0.5, 2, 2e-7);
    }

    @Test
    void computesSinesAndCosinesOfAngles() {
        check(SinCosKernels::sin, Math::sin, -200, 200, 3e-7);
        check(SinCosKernels::cos, Math::cos, -200, 200, 3e-7);
    }

    @Test
    void computesSinesAndCosinesOfManyTurns() {
        check(SinCosKernels::sin, Math::sin, -1e30, 1e30, 3e-7);
        check(SinCosKernels::cos, Math::cos, -99_999, 99_999, 3e-7);
    }

    @Test
    void computesSigmoid() {
        check(ActivationKernels::sigmoid, x -> 1 / (1 + Math.exp(-x)), -80, 80, 4e-7);
    }

    @Test
    void computesTheTanhFormOfGelu() {
        double root = Math.sqrt(2 / Math.PI);
        check(ActivationKernels::gelu, x -> x / 2 * (1 + Math.tanh(root * (x + 0.044715 * x * x * x))), -3, 9.9, 2e-6);
    }

    @Test
    void keepsNaNsOfAnyPayload() {
        for (int bits : new int[] {0x7fc0_0000, 0x7fff_ffff, 0xffc0_0001}) {
            float nan = Float.intBitsToFloat(bits);
            assertThat(one(ActivationKernels::silu, nan)).isNaN();
            assertThat(one(ActivationKernels::geluErf, nan)).isNaN();
            assertThat(one(ExponentialKernels::tanh, nan)).isNaN();
            assertThat(one(ExponentialKernels::softplus, nan)).isNaN();
            assertThat(one(LogKernels::log, nan)).isNaN();
            assertThat(one(SinCosKernels::sin, nan)).isNaN();
        }
    }

    @Test
    void roundsHalvesAwayFromZero() {
        assertThat(one(RoundingKernels::round, 2.5f)).isEqualTo(3f);
        assertThat(one(RoundingKernels::round, -2.5f)).isEqualTo(-3f);
        assertThat(one(RoundingKernels::round, Math.nextDown(0.5f))).isZero();
    }

    @Test
    void leavesLargeNumbersUnrounded() {
        assertThat(one(RoundingKernels::floor, -3e30f)).isEqualTo(-3e30f);
        assertThat(one(RoundingKernels::ceil, 0x1.000002p23f)).isEqualTo(0x1.000002p23f);
    }

    private static void check(UnaryLoop loop, DoubleUnaryOperator function, double from, double to, double precision) {
        Random random = new Random(SEED);
        float[] x = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            double share = random.nextDouble();
            // Half of them are spread evenly, half over the orders of magnitude.
            double wanted = i % 2 == 0 ? from + (to - from) * share : to * Math.pow(1e-30, share);
            x[i] = (float) Math.clamp(wanted, from, to);
        }
        float[] y = apply(loop, x);
        for (int i = 0; i < COUNT; i++) {
            double expected = function.applyAsDouble(x[i]);
            assertThat(Math.abs(y[i] - expected))
                    .as("seed %d: %s of %s instead of %s", SEED, y[i], x[i], expected)
                    .isLessThanOrEqualTo(precision * Math.abs(expected) + 1e-37);
        }
    }

    private static float one(UnaryLoop loop, float x) {
        float[] all = new float[UnaryLoop.STEP];
        all[UnaryLoop.STEP - 1] = x;
        return apply(loop, all)[UnaryLoop.STEP - 1];
    }

    private static float[] apply(UnaryLoop loop, float[] x) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocateFrom(ValueLayout.JAVA_FLOAT, x);
            loop.apply(numbers.address(), numbers.address(), x.length);
            return numbers.toArray(ValueLayout.JAVA_FLOAT);
        }
    }
}
