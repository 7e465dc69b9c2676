package dev.stowage.cpu.machine.tile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.stowage.cpu.machine.Features;
import dev.stowage.cpu.machine.GuardedMemory;
import dev.stowage.cpu.machine.MachineCode;
import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Machine code of every level computes what plain loops compute, and touches no byte beside its operands. */
class TileKernelsTest {

    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final int ROWS = TileKernels.Tile.ROWS;

    @BeforeEach
    void theProcessorHasTheInstructions() {
        boolean isLinux = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
        assumeThat(isLinux).isTrue();
    }

    private static TileKernels kernels(TileLevel level) {
        assumeThat(level == TileLevel.AMX ? Features.includingAmx() : Features.ofThisProcessor())
                .containsAll(level.features());
        return new TileKernels(level);
    }

    @ParameterizedTest
    @MethodSource("levelsAndTypes")
    void tilesOfAnyWidthAreTheProductOfWeightsAndRoundedColumns(TileLevel level, TileType type) {
        Random random = new Random(type.name().hashCode());
        try (TileKernels kernels = kernels(level)) {
            for (int columns = 1; columns <= Panel.MOST_COLUMNS; columns++) {
                for (boolean atEnd : new boolean[] {false, true}) {
                    int blocks = 1 + random.nextInt(6);
                    assertThat(error(kernels, type, columns, blocks, atEnd, random))
                            .as("%s, %d columns, %d blocks", type, columns, blocks)
                            .isLessThan(1e-11);
                }
            }
        }
    }

    private static Stream<Arguments> levelsAndTypes() {
        return Arrays.stream(TileLevel.values())
                .flatMap(level -> Arrays.stream(TileType.values()).map(type -> Arguments.of(level, type)));
    }

    /** Weights of all bits set and of none, and columns of nothing but their largest: where sums of 16 bits would be cut off. */
    @ParameterizedTest
    @MethodSource("levelsAndTypes")
    void theLargestWeightsAndNumbersGiveTheSameBitsAtAllLevels(TileLevel level, TileType type) {
        Random random = new Random(3);
        int blocks = 2;
        byte[] bytes = new byte[blocks * type.blockBytes() * ROWS];
        for (int i = 0; i < bytes.length; i++) {
            boolean isHalf = TileLayout.isHalf(type, i % type.blockBytes());
            byte extreme = (byte) (i / type.blockBytes() / blocks % 2 == 0 ? 0xFF : type == TileType.Q8_0 ? 0x80 : 0);
            bytes[i] = isHalf ? (byte) 0x2C : extreme;
        }
        requireSameBits(level, type, bytes, blocks, i -> random.nextBoolean() ? 3f : -3f);
        requireSameBits(level, type, bytes, blocks, i -> 3f);
        requireSameBits(level, type, bytes, blocks, i -> -3f);
    }

    @ParameterizedTest
    @MethodSource("levelsAndTypes")
    void randomWeightsAndNumbersGiveTheSameBitsAtAllLevels(TileLevel level, TileType type) {
        Random random = new Random(4);
        int blocks = 3;
        byte[] bytes = new byte[blocks * type.blockBytes() * ROWS];
        random.nextBytes(bytes);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = TileLayout.isHalf(type, i % type.blockBytes()) ? (byte) 0x2C : bytes[i];
        }
        requireSameBits(level, type, bytes, blocks, i -> (float) random.nextGaussian());
    }

    /** Compares with the lowest level. */
    private static void requireSameBits(
            TileLevel level, TileType type, byte[] bytes, int blocks, IntToDoubleFunction numbers) {
        int columns = 5;
        int elements = blocks * type.span();
        try (TileKernels kernels = kernels(level);
                TileKernels plain = kernels(TileLevel.AVX2);
                GuardedMemory memory = new GuardedMemory()) {
            MemorySegment interleaved = memory.allocate(bytes.length, true);
            interleave(type, bytes, blocks, interleaved);
            MemorySegment floats = memory.allocate(4L * elements * columns, true);
            for (int i = 0; i < elements * columns; i++) {
                floats.setAtIndex(FLOAT, i, (float) numbers.applyAsDouble(i));
            }
            MemorySegment[] results = new MemorySegment[2];
            MemorySegment[] panels = new MemorySegment[2];
            for (int i = 0; i < 2; i++) {
                TileKernels each = i == 0 ? plain : kernels;
                panels[i] = memory.allocate(Panel.bytes(type, columns, elements), true);
                results[i] = memory.allocate(4L * ROWS * columns, true);
                for (int column = 0; column < columns; column++) {
                    long from = floats.address() + 4L * elements * column;
                    each.rounding(type).round(from, elements, panels[i].address(), columns, column);
                }
                each.tile(type, columns)
                        .multiply(interleaved.address(), panels[i].address(), results[i].address(), 4L * ROWS, blocks);
            }
            assertThat(panels[1].mismatch(panels[0])).as("columns").isEqualTo(-1);
            assertThat(results[1].toArray(FLOAT)).isEqualTo(results[0].toArray(FLOAT));
            assertThat(error(type, columns, elements, weights(type, bytes), panels[1], results[1], ROWS))
                    .isLessThan(1e-11);
        }
    }

    private static float[] weights(TileType type, byte[] bytes) {
        float[] weights = new float[bytes.length / type.blockBytes() * type.span()];
        BlockFormat.of(type.elements()).dequantize(MemorySegment.ofArray(bytes), 0, weights, 0, weights.length);
        return weights;
    }

    private static double error(
            TileKernels kernels, TileType type, int columns, int blocks, boolean atEnd, Random random) {
        int elements = blocks * type.span();
        ElementType format = ElementType.valueOf(type.name());
        byte[] bytes = new byte[(int) format.rowBytes(elements) * ROWS];
        MemorySegment plain = MemorySegment.ofArray(bytes);
        BlockFormat.of(format).quantize(numbers(elements * ROWS, random), 0, elements * ROWS, plain, 0);
        int stride = ROWS + random.nextInt(5);
        try (GuardedMemory memory = new GuardedMemory()) {
            MemorySegment interleaved = memory.allocate(bytes.length, atEnd);
            MemorySegment panel = memory.allocate(Panel.bytes(type, columns, elements), atEnd);
            MemorySegment to = memory.allocate(4L * (stride * (columns - 1) + ROWS), atEnd);
            interleave(type, bytes, blocks, interleaved);
            for (int column = 0; column < columns; column++) {
                MemorySegment floats = memory.allocate(4L * elements, atEnd);
                MemorySegment.copy(numbers(elements, random), 0, floats, FLOAT, 0, elements);
                kernels.rounding(type).round(floats.address(), elements, panel.address(), columns, column);
            }
            kernels.tile(type, columns)
                    .multiply(interleaved.address(), panel.address(), to.address(), 4L * stride, blocks);
            return error(type, columns, elements, weights(type, bytes), panel, to, stride);
        }
    }

    private static double error(
            TileType type,
            int columns,
            int elements,
            float[] weights,
            MemorySegment panel,
            MemorySegment to,
            int stride) {
        double error = 0;
        double power = 0;
        for (int column = 0; column < columns; column++) {
            for (int row = 0; row < ROWS; row++) {
                double expected = 0;
                for (int k = 0; k < elements; k++) {
                    expected += weights[row * elements + k] * number(type, panel, columns, column, k);
                }
                error += Math.pow(to.getAtIndex(FLOAT, (long) column * stride + row) - expected, 2);
                power += expected * expected;
            }
        }
        return error / power;
    }

    private static double number(TileType type, MemorySegment panel, int columns, int column, int k) {
        long step = (long) k / Panel.STEP * Panel.stepBytes(type, columns);
        byte number = panel.get(ValueLayout.JAVA_BYTE, step + Panel.numbers(column) + k % Panel.STEP);
        return (double) number * panel.get(FLOAT, step + Panel.scale(columns, column));
    }

    private static void interleave(TileType type, byte[] rows, int blocks, MemorySegment to) {
        int blockBytes = type.blockBytes();
        for (int row = 0; row < ROWS; row++) {
            for (int i = 0; i < blocks * blockBytes; i++) {
                int index = i % blockBytes;
                long at = (long) i / blockBytes * blockBytes * ROWS + TileLayout.position(type, index, row);
                int value = rows[row * blocks * blockBytes + i] ^ TileLayout.inverted(type, index);
                to.set(ValueLayout.JAVA_BYTE, at, (byte) value);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndTypes")
    void columnsAreRoundedAsPlainLoopsRoundThem(TileLevel level, TileType type) {
        Random random = new Random(7);
        int elements = 3 * type.span();
        float[] numbers = numbers(elements, random);
        Arrays.fill(numbers, 0, type.span(), 0);
        try (TileKernels kernels = kernels(level);
                GuardedMemory memory = new GuardedMemory()) {
            MemorySegment panel = memory.allocate(Panel.bytes(type, 3, elements), true);
            MemorySegment floats = memory.allocate(4L * elements, true);
            MemorySegment.copy(numbers, 0, floats, FLOAT, 0, elements);
            kernels.rounding(type).round(floats.address(), elements, panel.address(), 3, 1);
            for (int from = 0; from < elements; from += type.span()) {
                float most = 0;
                for (int i = from; i < from + type.span(); i++) {
                    most = Math.max(most, Math.abs(numbers[i]));
                }
                float inverse = most == 0 ? 0 : 127 / most;
                float scale = most / 127;
                scale = type.span() == 32 ? Float.float16ToFloat(Float.floatToFloat16(scale)) : scale;
                for (int i = from; i < from + type.span(); i += Panel.STEP) {
                    requireStep(type, panel, i / Panel.STEP, numbers, inverse, scale);
                }
            }
        }
    }

    private static void requireStep(
            TileType type, MemorySegment panel, int step, float[] numbers, float inverse, float scale) {
        long at = (long) step * Panel.stepBytes(type, 3);
        int[] sums = new int[2];
        for (int i = 0; i < Panel.STEP; i++) {
            int expected = (int) Math.rint(numbers[step * Panel.STEP + i] * inverse);
            sums[i / 16] += expected;
            assertThat((int) panel.get(ValueLayout.JAVA_BYTE, at + Panel.numbers(1) + i))
                    .isEqualTo(expected);
        }
        assertThat(panel.get(FLOAT, at + Panel.scale(3, 1))).isEqualTo(scale);
        long extra = at + Panel.extra(3, 1, 0);
        switch (type.extra) {
            case SUM -> assertThat(panel.get(INT, extra)).isEqualTo(-type.offset * (sums[0] + sums[1]));
            case SCALED_SUM -> assertThat(panel.get(FLOAT, extra)).isEqualTo(-1f * ((sums[0] + sums[1]) * scale));
            case TWO_SUMS -> {
                assertThat(panel.get(INT, extra)).isEqualTo(-type.offset * sums[0]);
                assertThat(panel.get(INT, at + Panel.extra(3, 1, 1))).isEqualTo(-type.offset * sums[1]);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndTypes")
    void aSpanWithNanOrInfinityHasThatForItsScale(TileLevel level, TileType type) {
        int elements = type.span();
        for (float special : new float[] {Float.NaN, Float.POSITIVE_INFINITY}) {
            try (TileKernels kernels = kernels(level);
                    GuardedMemory memory = new GuardedMemory()) {
                MemorySegment panel = memory.allocate(Panel.bytes(type, 1, elements), true);
                MemorySegment floats = memory.allocate(4L * elements, true);
                floats.setAtIndex(FLOAT, 5, special);
                kernels.rounding(type).round(floats.address(), elements, panel.address(), 1, 0);
                assertThat(panel.get(FLOAT, Panel.scale(1, 0))).isEqualTo(Float.valueOf(special));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void closingKernelsFreesTheirCode(TileLevel level) {
        long before = MachineCode.mappedBytes();
        TileKernels kernels = kernels(level);
        kernels.tile(TileType.Q4_0, 3);
        kernels.rounding(TileType.Q4_0);
        assertThat(MachineCode.mappedBytes()).isGreaterThan(before);
        kernels.close();
        assertThat(MachineCode.mappedBytes()).isEqualTo(before);
    }

    private static float[] numbers(int count, Random random) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return numbers;
    }
}
