package dev.stowage.cpu.op.rope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.CpuProvider;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.TensorData;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.RopeSections;
import dev.stowage.tensor.Tensor;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rotations by very large angles. */
class RopeOpTest {

    private static final Device CPU = new CpuProvider().devices().getFirst();
    private static final Device REFERENCE = new ReferenceProvider().devices().getFirst();

    private static final long SEED = 5;
    private static final int DIMENSIONS = 40;
    private static final int TOKENS = 6;

    @ParameterizedTest
    @EnumSource(names = {"NORMAL", "NEOX", "MROPE"})
    void tinyFrequencyFactorsTurnAsInTheReference(RopeMode mode) {
        float[] expected = rotated(REFERENCE, mode);
        float[] actual = rotated(CPU, mode);

        for (int i = 0; i < expected.length; i++) {
            assertThat(expected[i])
                    .as("seed %d, element %d of the reference", SEED, i)
                    .isFinite();
            assertThat(actual[i]).as("seed %d, element %d", SEED, i).isEqualTo(expected[i], Offset.offset(1e-5f));
        }
    }

    private static float[] rotated(Device device, RopeMode mode) {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.tensor(ElementType.F32, DIMENSIONS, 2, TOKENS);
        Tensor positions = b.tensor(ElementType.I32, mode.usesSections() ? 4 * TOKENS : TOKENS);
        Tensor factors = b.tensor(ElementType.F32, DIMENSIONS / 2);
        OpParameters.Rope plain = OpParameters.Rope.of(DIMENSIONS, mode);
        OpParameters.Rope rope = mode.usesSections() ? plain.withSections(new RopeSections(8, 6, 6, 0)) : plain;
        Tensor result = b.rope(x, positions, factors, rope);
        try (Backend backend = device.open(BackendOptions.defaults().withThreads(1));
                Buffer _ = Allocations.allocateAll(b, device.bufferType())) {
            fill(x, positions, factors);
            backend.compute(Graph.of(result));
            return TensorData.getFloats(result);
        }
    }

    /** Factors from 1 down to the smallest float; some tokens at position 0 or 1, others further on. */
    private static void fill(Tensor x, Tensor positions, Tensor factors) {
        Random random = new Random(SEED);
        float[] numbers = new float[Math.toIntExact(x.shape().elements())];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        TensorData.setFloats(x, numbers);
        int[] places = new int[Math.toIntExact(positions.shape().elements())];
        for (int i = 0; i < places.length; i++) {
            places[i] = i % 3 == 2 ? random.nextInt(100_000) : i % 3;
        }
        TensorData.setInts(positions, places);
        float[] divisors = new float[DIMENSIONS / 2];
        for (int i = 0; i < divisors.length; i++) {
            divisors[i] = i == 0 ? Float.MIN_VALUE : (float) Math.pow(10, -2.2 * i);
        }
        TensorData.setFloats(factors, divisors);
    }
}
