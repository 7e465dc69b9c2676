package dev.stowage.cpu.machine.row;

import static dev.stowage.cpu.machine.row.Rows.FLOAT;
import static dev.stowage.cpu.machine.row.Rows.SHORT;
import static dev.stowage.cpu.machine.row.Rows.floats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.cpu.machine.Features;
import dev.stowage.cpu.machine.GuardedMemory;
import dev.stowage.cpu.machine.MachineCode;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Machine code computes what plain loops and its twins compute, and touches no byte beside its operands. */
class RowKernelsTest {

    private static final int LANES = RowKernels.LANES;
    private static final int ROUNDS = 40;

    @BeforeEach
    void theProcessorHasTheInstructions() {
        boolean isLinux = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
        assumeThat(isLinux).isTrue();
    }

    private static RowKernels kernels(RowLevel level) {
        assumeThat(Features.ofThisProcessor()).containsAll(level.features());
        return new RowKernels(level);
    }

    private static Stream<Arguments> levelsAndTypes() {
        return Arrays.stream(RowLevel.values())
                .flatMap(level -> Arrays.stream(RowType.values()).map(type -> Arguments.of(level, type)));
    }

    @ParameterizedTest
    @MethodSource("levelsAndTypes")
    void productsOfRowsAndAColumnAreThoseOfPlainLoops(RowLevel level, RowType type) {
        Random random = new Random(type.name().hashCode());
        try (RowKernels kernels = kernels(level)) {
            for (int round = 0; round < ROUNDS; round++) {
                int elements = LANES * (1 + random.nextInt(40));
                int rows = 1 + random.nextInt(5);
                boolean atEnd = random.nextBoolean();
                try (GuardedMemory memory = new GuardedMemory()) {
                    Rows weights = new Rows(memory, type, rows, elements, random, atEnd);
                    MemorySegment column = floats(memory, elements, random, atEnd);
                    MemorySegment to = memory.allocate(4L * rows, atEnd);
                    kernels.dot(type)
                            .multiply(
                                    weights.memory.address(),
                                    weights.stride,
                                    rows,
                                    column.address(),
                                    elements,
                                    to.address());
                    for (int row = 0; row < rows; row++) {
                        double expected = 0;
                        double size = 0;
                        for (int i = 0; i < elements; i++) {
                            double product = (double) weights.get(row, i) * column.getAtIndex(FLOAT, i);
                            expected += product;
                            size += Math.abs(product);
                        }
                        assertThat((double) to.getAtIndex(FLOAT, row))
                                .as("row %d of %d, %d elements, round %d", row, rows, elements, round)
                                .isCloseTo(expected, within(1e-6 * size));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndTypes")
    void rowsBecomeTheFloatsThatTheDecoderMakes(RowLevel level, RowType type) {
        Random random = new Random(3);
        try (RowKernels kernels = kernels(level)) {
            for (int round = 0; round < ROUNDS; round++) {
                int elements = LANES * (1 + random.nextInt(20));
                int rows = 1 + random.nextInt(5);
                boolean atEnd = random.nextBoolean();
                long toStride = 4L * (elements + random.nextInt(5));
                try (GuardedMemory memory = new GuardedMemory()) {
                    Rows from = new Rows(memory, type, rows, elements, random, atEnd);
                    random.ints(rows * 2L).forEach(_ -> from.putAnyBits(random));
                    MemorySegment to = memory.allocate(toStride * (rows - 1) + 4L * elements, atEnd);
                    MemorySegment expected = memory.allocate(4L * elements, atEnd);
                    kernels.toFloats(type)
                            .convert(
                                    from.memory.address(),
                                    from.stride,
                                    to.address(),
                                    toStride,
                                    rows,
                                    elements,
                                    random.nextInt());
                    for (int row = 0; row < rows; row++) {
                        RowDecoder.of(ElementType.valueOf(type.name()))
                                .decode(from.memory.address() + row * from.stride, expected.address(), elements);
                        assertThat(to.asSlice(row * toStride, 4L * elements).mismatch(expected))
                                .as("row %d of %d, %d elements, round %d", row, rows, elements, round)
                                .isEqualTo(-1);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void floatsBecomeTheNearestHalves(RowLevel level) {
        Random random = new Random(5);
        try (RowKernels kernels = kernels(level)) {
            for (int round = 0; round < ROUNDS; round++) {
                int elements = LANES * (1 + random.nextInt(20));
                int rows = 1 + random.nextInt(5);
                boolean atEnd = random.nextBoolean();
                long toStride = 2L * (elements + random.nextInt(5));
                try (GuardedMemory memory = new GuardedMemory()) {
                    Rows from = new Rows(memory, RowType.F32, rows, elements, random, atEnd);
                    random.ints(rows * 5L).forEach(_ -> from.putAnyBits(random));
                    MemorySegment to = memory.allocate(toStride * (rows - 1) + 2L * elements, atEnd);
                    kernels.toHalves()
                            .convert(
                                    from.memory.address(),
                                    from.stride,
                                    to.address(),
                                    toStride,
                                    rows,
                                    elements,
                                    random.nextInt());
                    for (int row = 0; row < rows; row++) {
                        for (int i = 0; i < elements; i++) {
                            assertThat(to.get(SHORT, row * toStride + 2L * i))
                                    .as("row %d, element %d: %s", row, i, from.get(row, i))
                                    .isEqualTo(Float.floatToFloat16(from.get(row, i)));
                        }
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void productsHaveTheSameBitsAtAllLevels(RowLevel level) {
        Random random = new Random(9);
        try (RowKernels kernels = kernels(level);
                RowKernels plain = kernels(RowLevel.AVX2);
                GuardedMemory memory = new GuardedMemory()) {
            int elements = 23 * LANES;
            Rows rows = new Rows(memory, RowType.F16, 3, elements, random, true);
            MemorySegment column = floats(memory, elements, random, true);
            MemorySegment expected = memory.allocate(12, true);
            MemorySegment actual = memory.allocate(12, true);
            long from = rows.memory.address();
            plain.dot(RowType.F16).multiply(from, rows.stride, 3, column.address(), elements, expected.address());
            kernels.dot(RowType.F16).multiply(from, rows.stride, 3, column.address(), elements, actual.address());
            assertThat(actual.mismatch(expected)).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void closingKernelsFreesTheirCode(RowLevel level) {
        long before = MachineCode.mappedBytes();
        RowKernels kernels = kernels(level);
        assertThat(MachineCode.mappedBytes()).isGreaterThan(before);
        kernels.close();
        assertThat(MachineCode.mappedBytes()).isEqualTo(before);
    }
}
