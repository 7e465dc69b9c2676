package dev.stowage.reference.kernel.attention;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.HALF;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestGrid;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeFrequencies;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.RopeSections;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RopeKernelTest {

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    /** The angle of a pair for a token. */
    private interface Angle {
        double of(int pair, int token);
    }

    /** Multiplies complex numbers whose parts are so far apart, from an element on, with {@code e^(i * angle)}. */
    private static TestGrid turned(TestGrid a, int[] sizes, int offset, int step, int apart, int pairs, Angle angle) {
        TestGrid result = TestGrid.of(sizes[0], sizes[1], sizes[2], sizes[3], a::get);
        for (int i3 = 0; i3 < sizes[3]; i3++) {
            for (int token = 0; token < sizes[2]; token++) {
                for (int head = 0; head < sizes[1]; head++) {
                    for (int pair = 0; pair < pairs; pair++) {
                        int real = offset + pair * step;
                        double x = a.get(real, head, token, i3);
                        double y = a.get(real + apart, head, token, i3);
                        double theta = angle.of(pair, token);
                        result.set(real, head, token, i3, x * Math.cos(theta) - y * Math.sin(theta));
                        result.set(real + apart, head, token, i3, x * Math.sin(theta) + y * Math.cos(theta));
                    }
                }
            }
        }
        return result;
    }

    @Test
    void normalTurnsNeighboursAndLeavesTheRestAsItIs() {
        Random random = new Random(1);
        int[] sizes = {10, 2, 3, 2};
        TestGrid a = TestGrid.random(random, 10, 2, 3, 2);
        int[] positions = {0, 7, 123};
        Tensor result =
                ops.rope(a.in(computation), computation.i32(positions), OpParameters.Rope.of(6, RopeMode.NORMAL));
        TestGrid expected =
                turned(a, sizes, 0, 2, 1, 3, (pair, token) -> positions[token] * Math.pow(10000, -pair / 3.0));
        assertClose(computation.compute(result), expected.values(), FLOAT, "seed 1");
    }

    @Test
    void neoxTurnsHalvesFromTheOffsetOn() {
        Random random = new Random(2);
        int[] sizes = {12, 2, 3, 1};
        TestGrid a = TestGrid.random(random, 12, 2, 3, 1);
        int[] positions = {5, 1, 40};
        OpParameters.Rope rope =
                OpParameters.Rope.of(8, RopeMode.NEOX).withOffset(2).withFrequencies(RopeFrequencies.of(500f, 0.25f));
        Tensor result = ops.rope(a.permuted(computation, ElementType.F32), computation.i32(positions), rope);
        TestGrid expected =
                turned(a, sizes, 2, 1, 4, 4, (pair, token) -> 0.25 * positions[token] * Math.pow(500, -pair / 4.0));
        assertClose(computation.compute(result), expected.values(), FLOAT, "seed 2");
    }

    @Test
    void frequencyFactorsDivideTheAngles() {
        Random random = new Random(3);
        TestGrid a = TestGrid.random(random, 4, 1, 2, 1);
        double[] factors = {0.5, 8};
        Tensor result = ops.rope(
                a.in(computation),
                computation.i32(3, 9),
                computation.f32(factors),
                OpParameters.Rope.of(4, RopeMode.NEOX));
        int[] positions = {3, 9};
        TestGrid expected = turned(
                a,
                new int[] {4, 1, 2, 1},
                0,
                1,
                2,
                2,
                (pair, token) -> positions[token] * Math.pow(10000, -pair / 2.0) / factors[pair]);
        assertClose(computation.compute(result), expected.values(), FLOAT, "seed 3");
    }

    /** Which of the four positions a pair is rotated by, given sections of 2, 1, 1 and 1 pairs. */
    @Test
    void mropeRotatesEachSectionByItsOwnPositionAndStartsOverAfterTheLast() {
        int[] axes = {0, 0, 1, 2, 3, 0, 0, 1};
        assertAxes(RopeMode.MROPE, new RopeSections(2, 1, 1, 1), axes, new int[] {0, 1, 2, 3, 4, 5, 6, 7}, 16, 16);
    }

    /** The axes alternate as long as each has pairs left in its section; the last one takes what they leave. */
    @Test
    void imropeInterleavesTheSections() {
        int[] axes = {0, 1, 2, 0, 1, 3, 0, 3};
        assertAxes(RopeMode.IMROPE, new RopeSections(3, 2, 1, 4), axes, new int[] {0, 1, 2, 3, 4, 5, 6, 7}, 16, 16);
    }

    /** The frequencies begin anew with each section, and the pairs are the halves of the whole row. */
    @Test
    void visionTurnsWholeRowsWithFrequenciesOfTheirOwnForEachSection() {
        int[] axes = {0, 0, 0, 1, 1, 0, 0, 0};
        assertAxes(RopeMode.VISION, new RopeSections(3, 2, 0, 0), axes, new int[] {0, 1, 2, 0, 1, 0, 1, 2}, 8, 16);
    }

    private void assertAxes(
            RopeMode mode, RopeSections sections, int[] axes, int[] exponents, int dimensions, int row) {
        Random random = new Random(4);
        TestGrid a = TestGrid.random(random, row, 2, 3, 2);
        int[] positions = fourPositions(3);
        OpParameters.Rope rope = OpParameters.Rope.of(dimensions, mode).withSections(sections);
        Tensor result = ops.rope(a.in(computation), computation.i32(positions), rope);
        TestGrid expected = turned(
                a,
                new int[] {row, 2, 3, 2},
                0,
                1,
                row / 2,
                row / 2,
                (pair, token) ->
                        positions[axes[pair] * 3 + token] * Math.pow(10000, -2.0 * exponents[pair] / dimensions));
        assertClose(computation.compute(result), expected.values(), FLOAT, "seed 4");
    }

    /** Four positions for each token: all those of the first axis, then all those of the second, and so on. */
    private static int[] fourPositions(int tokens) {
        int[] positions = new int[4 * tokens];
        Arrays.setAll(positions, i -> 3 + 7 * (i / tokens) + i % tokens);
        return positions;
    }

    /**
     * Within 64 positions and with base 10000, eight pairs rotate 32 to 1 times at pair
     * {@code 16 * ln(64 / (times * 2 pi)) / (2 * ln 10000)}: below 0, so 0, and at 2.02, so 3. Up to the first pair
     * nothing is scaled, from the second on everything, and the pairs in between are mixed.
     */
    @Test
    void yarnScalesSlowPairsAndLeavesFastOnesAlone() {
        Random random = new Random(5);
        TestGrid a = TestGrid.random(random, 16, 1, 1, 1);
        float scale = 0.25f;
        RopeFrequencies frequencies = new RopeFrequencies(64, 10000f, scale, 1f, 1.5f, 32f, 1f);
        OpParameters.Rope rope = OpParameters.Rope.of(16, RopeMode.NEOX).withFrequencies(frequencies);
        double[] actual = computation.compute(ops.rope(a.in(computation), computation.i32(11), rope));
        double magnitude = 1.5 * (1 + 0.1 * Math.log(4));
        double[] unscaledPart = {1, 2 / 3.0, 1 / 3.0, 0, 0, 0, 0, 0};
        TestGrid expected = turned(a, new int[] {16, 1, 1, 1}, 0, 1, 8, 8, (pair, _) -> {
            double angle = 11 * Math.pow(10000, -pair / 8.0);
            return angle * (unscaledPart[pair] + (1 - unscaledPart[pair]) * scale);
        });
        assertClose(actual, TestNumbers.map(expected.values(), x -> x * magnitude), FLOAT, "seed 5");
    }

    @ParameterizedTest
    @EnumSource(RopeMode.class)
    void turningChangesNoLength(RopeMode mode) {
        Random random = new Random(6);
        TestGrid a = TestGrid.random(random, 16, 2, 3, 1);
        double[] actual = computation.compute(ops.rope(a.in(computation), positions(mode), rope(mode)));
        for (int row = 0; row < 6; row++) {
            double before = 0;
            double after = 0;
            for (int i = 0; i < 16; i++) {
                before += Math.pow(a.values()[row * 16 + i], 2);
                after += Math.pow(actual[row * 16 + i], 2);
            }
            assertThat(after).as("seed 6, row %d", row).isCloseTo(before, offset(1e-4));
        }
        assertThat(actual).as("seed 6").isNotEqualTo(a.values());
    }

    @ParameterizedTest
    @EnumSource(RopeMode.class)
    void turningBackUndoesTurning(RopeMode mode) {
        Random random = new Random(7);
        TestGrid a = TestGrid.random(random, 16, 2, 3, 1);
        Tensor there = ops.rope(a.in(computation), positions(mode), rope(mode));
        double[] back = computation.compute(ops.ropeBack(there, positions(mode), null, rope(mode)));
        assertClose(back, a.values(), 1e-5, "seed 7");
    }

    @ParameterizedTest
    @EnumSource(RopeMode.class)
    void theResultMayOverwriteTheOperand(RopeMode mode) {
        Random random = new Random(8);
        TestGrid a = TestGrid.random(random, 16, 2, 3, 1);
        double[] expected = computation.compute(ops.rope(a.in(computation), positions(mode), rope(mode)));
        Tensor over = a.in(computation);
        Tensor result = ops.rope(over, positions(mode), rope(mode));
        assertThat(computation.computeOver(over, result)).as("seed 8").containsExactly(expected);
        Tensor within = ops.ropeInplace(a.in(computation), positions(mode), null, rope(mode));
        assertThat(computation.compute(within)).as("seed 8").containsExactly(expected);
    }

    private Tensor positions(RopeMode mode) {
        return mode.usesSections() ? computation.i32(fourPositions(3)) : computation.i32(4, 0, 99);
    }

    private static OpParameters.Rope rope(RopeMode mode) {
        return OpParameters.Rope.of(mode == RopeMode.VISION ? 8 : 16, mode)
                .withSections(mode.usesSections() ? new RopeSections(2, 3, 2, 1) : RopeSections.NONE);
    }

    @Test
    void roundsToTheTypeOfTheOperand() {
        Random random = new Random(9);
        TestGrid a = TestGrid.random(random, 8, 1, 2, 1);
        OpParameters.Rope rope = OpParameters.Rope.of(8, RopeMode.NEOX);
        double[] exact = computation.compute(ops.rope(a.in(computation), computation.i32(1, 2), rope));
        Tensor halves = ops.rope(a.in(computation, ElementType.F16), computation.i32(1, 2), rope);
        double[] rounded = TestNumbers.map(exact, x -> Float.float16ToFloat(Float.floatToFloat16((float) x)));
        assertClose(computation.compute(halves), rounded, HALF, "seed 9");
    }

    @Test
    void notANumberSpoilsItsPairOnly() {
        Tensor a = computation.f32(new double[] {Double.NaN, 1, 2, 3}, 4);
        Tensor result = ops.rope(a, computation.i32(0), OpParameters.Rope.of(4, RopeMode.NEOX));
        assertThat(computation.compute(result)).containsExactly(Double.NaN, 1, Double.NaN, 3);
    }

    private String reasonAgainst(Tensor node) {
        return new ReferenceProvider().devices().getFirst().supports(node).reason();
    }

    @Test
    void saysWhyARowCannotBeTurned() {
        Tensor positions = ops.tensor(ElementType.I32, 4);
        Tensor row = ops.tensor(ElementType.F32, 16);
        RopeSections sections = new RopeSections(1, 1, 1, 1);
        OpParameters.Rope vision = OpParameters.Rope.of(6, RopeMode.VISION).withSections(sections);
        assertThat(reasonAgainst(ops.rope(row, positions, vision)))
                .contains("rows of 16")
                .contains("6");
        OpParameters.Rope without = OpParameters.Rope.of(8, RopeMode.MROPE);
        assertThat(reasonAgainst(ops.rope(row, positions, without))).contains("sections");
        OpParameters.Rope whole = OpParameters.Rope.of(8, RopeMode.VISION).withSections(sections);
        assertThat(reasonAgainst(ops.rope(row, positions, ops.tensor(ElementType.F32, 4), whole)))
                .contains("each of the 8 pairs");
        Tensor numbers = ops.tensor(ElementType.I32, 4);
        assertThat(reasonAgainst(
                        ops.rope(numbers, ops.tensor(ElementType.I32, 1), OpParameters.Rope.of(4, RopeMode.NORMAL))))
                .contains("i32");
    }
}
