package dev.stowage.cpu.op.norm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.CpuProvider;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeFrequencies;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.SortOrder;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.Nmse;
import dev.stowage.testkit.op.OpRun;
import java.util.Arrays;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Numbers that the conformance cases do not have: huge, tiny, infinite, NaN, equal ones, and far positions. */
class NormFamilyTest {

    private static final long ROWS = 5;

    /** Holds an op on rows of floats against the reference. */
    private static void check(
            BiFunction<GraphBuilder, Tensor, Tensor> op, UnaryOperator<float[]> change, double maxError) {
        Random random = new Random(3);
        for (int n : new int[] {1, 3, 8, 16, 31, 64, 100, 1000}) {
            float[] values = new float[n * (int) ROWS];
            for (int i = 0; i < values.length; i++) {
                values[i] = (float) random.nextGaussian();
            }
            float[] changed = change.apply(values);
            double[] expected = compute(new ReferenceProvider().devices().getFirst(), op, changed, n);
            double[] actual = compute(new CpuProvider().devices().getFirst(), op, changed, n);
            Nmse error = Nmse.of(expected, actual);
            assertThat(error.isWithin(maxError)).as("rows of %d: %s", n, error).isTrue();
        }
    }

    private static double[] compute(Device device, BiFunction<GraphBuilder, Tensor, Tensor> op, float[] values, int n) {
        GraphBuilder b = new GraphBuilder();
        Tensor input = b.tensor(ElementType.F32, n, ROWS);
        Tensor result = op.apply(b, input);
        Graph graph = Graph.of(result);
        try (Backend backend = device.open(BackendOptions.defaults().withThreads(2));
                Buffer buffer = Allocations.allocateAll(OpRun.tensors(graph), HostBufferType.standard())) {
            buffer.clear((byte) 0);
            TensorData.setFloats(input, values);
            backend.compute(graph);
            return OpRun.read(result);
        }
    }

    private static UnaryOperator<float[]> times(float factor) {
        return values -> {
            for (int i = 0; i < values.length; i++) {
                values[i] *= factor;
            }
            return values;
        };
    }

    private static UnaryOperator<float[]> with(float value) {
        return values -> {
            values[values.length / 2] = value;
            return values;
        };
    }

    @Test
    void normsRowsWhoseSquaresNoFloatHolds() {
        for (float factor : new float[] {1e25f, 1e-25f, 1e-40f}) {
            check((b, x) -> b.rmsNorm(x, 0f), times(factor), 1e-9);
            check((b, x) -> b.l2Norm(x, 0f), times(factor), 1e-9);
        }
        check((b, x) -> b.norm(x, 1e-5f), times(1e25f), 1e-9);
    }

    @Test
    void normsRowsWithInfinityAndNaN() {
        for (float value : new float[] {Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN}) {
            check((b, x) -> b.rmsNorm(x, 1e-5f), with(value), 1e-9);
            check((b, x) -> b.l2Norm(x, 1e-5f), with(value), 1e-9);
            check((b, x) -> b.norm(x, 1e-5f), with(value), 1e-9);
        }
    }

    @Test
    void normsRowsOfZeros() {
        check((b, x) -> b.rmsNorm(x, 1e-5f), times(0), 1e-9);
        check((b, x) -> b.norm(x, 1e-5f), times(0), 1e-9);
        check((b, x) -> b.l2Norm(x, 1e-5f), times(0), 1e-9);
    }

    @Test
    void keepsTheDigitsOfRowsFarFromZero() {
        UnaryOperator<float[]> shifted = values -> {
            for (int i = 0; i < values.length; i++) {
                values[i] += 20_000;
            }
            return values;
        };
        check((b, x) -> b.norm(x, 1e-5f), shifted, 1e-9);
    }

    @Test
    void givesNoShareToScoresOfMinusInfinity() {
        check((b, x) -> b.softMax(x), with(Float.NEGATIVE_INFINITY), 1e-10);
    }

    @Test
    void makesRowsWithNaNOrInfinityNaN() {
        float oddNaN = Float.intBitsToFloat(0x7FC00123);
        for (float value : new float[] {Float.NaN, oddNaN, Float.POSITIVE_INFINITY}) {
            check((b, x) -> b.softMax(x), with(value), 1e-10);
        }
        check((b, x) -> b.softMax(x), times(Float.NEGATIVE_INFINITY), 1e-10);
    }

    @Test
    void turnsByPositionsFarFromTheFirst() {
        for (RopeMode mode : new RopeMode[] {RopeMode.NORMAL, RopeMode.NEOX}) {
            OpParameters.Rope rope =
                    OpParameters.Rope.of(32, mode).withFrequencies(RopeFrequencies.of(10000f, 100_000f));
            BiFunction<GraphBuilder, Tensor, Tensor> op = (b, x) -> {
                Tensor heads = b.reshape(x, x.dim(0), 1, ROWS);
                Tensor positions = b.cast(b.arange(0, (float) ROWS, 1), ElementType.I32);
                return x.dim(0) < 32 ? b.sqr(x) : b.rope(heads, positions, rope);
            };
            check(op, times(1), 1e-10);
        }
    }

    @Test
    void findsTheLastOfEqualElements() {
        UnaryOperator<float[]> coarse = values -> {
            for (int i = 0; i < values.length; i++) {
                values[i] = Math.round(values[i]);
            }
            return values;
        };
        check((b, x) -> b.argmax(x), coarse, 0);
        check((b, x) -> b.argmax(x), with(Float.NaN), 0);
        check((b, x) -> b.argmax(x), times(Float.NEGATIVE_INFINITY), 0);
    }

    @Test
    void sortsEqualElementsByPlaceAndNaNAsTheLargest() {
        UnaryOperator<float[]> coarse = values -> {
            for (int i = 0; i < values.length; i++) {
                values[i] = i % 11 == 7 ? Float.NaN : i % 5 == 0 ? -0f : Math.round(values[i]);
            }
            return values;
        };
        for (SortOrder order : SortOrder.values()) {
            check((b, x) -> b.argsort(x, order), coarse, 0);
        }
    }

    @Test
    void findsTheFirstFewAmongMany() {
        check((b, x) -> b.topK(x, (int) Math.min(7, x.dim(0))), times(1), 0);
    }

    @Test
    void sumsUpToTheSameForAnyNumberOfThreads() {
        GraphBuilder b = new GraphBuilder();
        Tensor input = b.tensor(ElementType.F32, 1000, 77);
        Tensor sum = b.sum(input);
        Graph graph = Graph.of(sum);
        float[] values = new float[77_000];
        Random random = new Random(9);
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextFloat();
        }
        double[] sums = new double[4];
        try (Buffer _ = Allocations.allocateAll(OpRun.tensors(graph), HostBufferType.standard())) {
            TensorData.setFloats(input, values);
            for (int threads = 1; threads <= sums.length; threads++) {
                try (Backend backend = new CpuProvider()
                        .devices()
                        .getFirst()
                        .open(BackendOptions.defaults().withThreads(threads))) {
                    backend.compute(graph);
                    sums[threads - 1] = OpRun.read(sum)[0];
                }
            }
        }
        assertThat(Arrays.stream(sums).distinct()).hasSize(1);
    }
}
