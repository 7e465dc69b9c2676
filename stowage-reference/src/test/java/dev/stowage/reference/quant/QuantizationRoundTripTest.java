package dev.stowage.reference.quant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantizationRoundTripTest {

    private static final int ROW = 256;

    /**
     * The error that normally distributed weights suffer, as a part of their own size (both root mean square): about a
     * tenth more than the worst of 200 rows did when it was measured.
     */
    private static final Map<ElementType, Double> WORST = new EnumMap<>(Map.ofEntries(
            Map.entry(ElementType.Q1_0, 0.71),
            Map.entry(ElementType.Q2_0, 0.88),
            Map.entry(ElementType.Q4_0, 0.11),
            Map.entry(ElementType.Q4_1, 0.10),
            Map.entry(ElementType.Q5_0, 0.056),
            Map.entry(ElementType.Q5_1, 0.049),
            Map.entry(ElementType.Q8_0, 0.007),
            Map.entry(ElementType.Q8_1, 0.007),
            Map.entry(ElementType.Q2_K, 0.38),
            Map.entry(ElementType.Q3_K, 0.19),
            Map.entry(ElementType.Q4_K, 0.09),
            Map.entry(ElementType.Q5_K, 0.046),
            Map.entry(ElementType.Q6_K, 0.023),
            Map.entry(ElementType.Q8_K, 0.012),
            Map.entry(ElementType.IQ1_S, 0.58),
            Map.entry(ElementType.IQ1_M, 0.71),
            Map.entry(ElementType.IQ2_XXS, 0.41),
            Map.entry(ElementType.IQ2_XS, 0.36),
            Map.entry(ElementType.IQ2_S, 0.33),
            Map.entry(ElementType.IQ3_XXS, 0.28),
            Map.entry(ElementType.IQ3_S, 0.22),
            Map.entry(ElementType.IQ4_NL, 0.10),
            Map.entry(ElementType.IQ4_XS, 0.10),
            Map.entry(ElementType.TQ1_0, 1.04),
            Map.entry(ElementType.TQ2_0, 1.04),
            Map.entry(ElementType.MXFP4, 0.15),
            Map.entry(ElementType.NVFP4, 0.12)));

    static Stream<ElementType> quantizedTypes() {
        return Arrays.stream(ElementType.values()).filter(ElementType::isQuantized);
    }

    private static float[] roundTrip(ElementType type, float[] floats) {
        MemorySegment blocks = MemorySegment.ofArray(new byte[(int) type.rowBytes(floats.length)]);
        BlockFormat.of(type).quantize(floats, 0, floats.length, blocks, 0);
        float[] read = new float[floats.length];
        BlockFormat.of(type).dequantize(blocks, 0, read, 0, read.length);
        return read;
    }

    private static float[] row(IntToDoubleFunction element) {
        float[] row = new float[ROW];
        for (int i = 0; i < ROW; i++) {
            row[i] = (float) element.applyAsDouble(i);
        }
        return row;
    }

    @ParameterizedTest
    @MethodSource("quantizedTypes")
    void comesNearNormallyDistributedWeights(ElementType type) {
        double worst = Objects.requireNonNull(WORST.get(type));
        for (long seed = 1000; seed < 1020; seed++) {
            Random random = new Random(seed);
            float[] floats = row(_ -> random.nextGaussian());
            float[] read = roundTrip(type, floats);
            double error = 0;
            double size = 0;
            for (int i = 0; i < ROW; i++) {
                error += Math.pow((double) floats[i] - read[i], 2);
                size += Math.pow(floats[i], 2);
            }

            assertThat(Math.sqrt(error / size)).as("%s, seed %d", type, seed).isLessThan(worst);
        }
    }

    @ParameterizedTest
    @MethodSource("quantizedTypes")
    void keepsZeros(ElementType type) {
        for (float value : roundTrip(type, new float[ROW])) {
            assertThat(Math.abs(value)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.MAX_VALUE, Float.MIN_VALUE})
    void survivesNumbersThatNoBlockCanHold(float value) {
        for (ElementType type : quantizedTypes().toList()) {
            assertThat(roundTrip(type, row(_ -> value))).hasSize(ROW);
            Random random = new Random(7);
            assertThat(roundTrip(type, row(_ -> random.nextInt(20) == 0 ? value : random.nextGaussian())))
                    .hasSize(ROW);
        }
    }

    @ParameterizedTest
    @MethodSource("quantizedTypes")
    void survivesAnyBitsInTheInput(ElementType type) {
        for (long seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            assertThat(roundTrip(type, row(_ -> Float.intBitsToFloat(random.nextInt()))))
                    .hasSize(ROW);
        }
    }

    @ParameterizedTest
    @MethodSource("quantizedTypes")
    void leavesOtherBlocksAloneWhenOneHoldsNoNumbers(ElementType type) {
        Random random = new Random(8);
        float[] floats = row(_ -> random.nextGaussian());
        float[] two = Arrays.copyOf(floats, 2 * ROW);
        Arrays.fill(two, ROW, 2 * ROW, Float.NaN);
        float[] swapped = new float[2 * ROW];
        Arrays.fill(swapped, 0, ROW, Float.NaN);
        System.arraycopy(floats, 0, swapped, ROW, ROW);

        assertThat(Arrays.copyOf(roundTrip(type, two), ROW)).isEqualTo(roundTrip(type, floats));
        assertThat(Arrays.copyOfRange(roundTrip(type, swapped), ROW, 2 * ROW)).isEqualTo(roundTrip(type, floats));
    }

    @ParameterizedTest
    @EnumSource(names = {"TQ1_0", "TQ2_0", "Q2_0"})
    void keepsTernaryWeightsExactly(ElementType type) {
        Random random = new Random(9);
        float[] floats = row(_ -> (random.nextInt(3) - 1) * 0.375);

        assertThat(roundTrip(type, floats)).containsExactly(floats);
    }

    @ParameterizedTest
    @EnumSource(names = {"Q4_0", "Q5_0", "Q8_0", "Q8_1", "Q8_K"})
    void keepsWholeMultiplesOfAPowerOfTwoExactly(ElementType type) {
        int lowest = switch (type) {
            case Q4_0 -> -8;
            case Q5_0 -> -16;
            default -> -127;
        };
        float[] floats = row(i -> (i % 32 == 0 ? lowest : lowest / 2 + i % 8) * 0.0625);

        assertThat(roundTrip(type, floats)).containsExactly(floats);
    }

    @ParameterizedTest
    @EnumSource(names = {"MXFP4", "NVFP4"})
    void keepsFourBitFloatsExactly(ElementType type) {
        float[] numbers = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.5f, -1, -1.5f, -2, -3, -4, -6, 0};
        float[] floats = row(i -> numbers[i % 16] * 0.25);

        assertThat(roundTrip(type, floats)).containsExactly(floats);
    }

    @Test
    void readsTheTypeWithSumsLikeTheOneWithout() {
        Random random = new Random(10);
        float[] floats = row(_ -> random.nextGaussian());

        assertThat(roundTrip(ElementType.Q8_1, floats)).containsExactly(roundTrip(ElementType.Q8_0, floats));
    }

    @ParameterizedTest
    @EnumSource(names = {"IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ4_XS"})
    void putsGroupsWhereTheyBelongWhereOneIsZero(ElementType type) {
        Random random = new Random(11);
        float[] floats = row(i -> i / 32 == 2 ? 0 : random.nextGaussian());
        float[] read = roundTrip(type, floats);

        double same = 0;
        for (int i = 0; i < ROW; i++) {
            same += Math.signum(floats[i]) == Math.signum(read[i]) ? 1 : 0;
        }
        // Seven groups have signs to keep; were they out of place, chance would keep half of them.
        assertThat(same).isGreaterThan(0.75 * (ROW - 32));
    }

    @ParameterizedTest
    @EnumSource(names = {"Q4_1", "Q5_1"})
    void missesNoElementByMoreThanHalfALevel(ElementType type) {
        int levels = type == ElementType.Q4_1 ? 15 : 31;
        for (long seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            float[] floats = row(_ -> random.nextFloat());
            float[] read = roundTrip(type, floats);
            for (int i = 0; i < ROW; i++) {
                // Scale and minimum are rounded to half precision, which moves a level by at most 1/2048 of the range.
                assertThat(Math.abs(floats[i] - read[i]))
                        .as("seed %d, element %d", seed, i)
                        .isLessThanOrEqualTo(0.5f / levels + 2f / 2048);
            }
        }
    }
}
