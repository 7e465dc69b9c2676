package dev.stowage.cpu.machine.row;

import static dev.stowage.cpu.machine.row.Rows.FLOAT;
import static dev.stowage.cpu.machine.row.Rows.SHORT;
import static dev.stowage.cpu.machine.row.Rows.floats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.stowage.cpu.kernel.attention.AttentionPanelKernels;
import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.cpu.machine.Features;
import dev.stowage.cpu.machine.GuardedMemory;
import dev.stowage.cpu.machine.MachineCode;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Machine code computes what plain loops and its twins compute, and touches no byte beside its operands. */
class RowKernelsTest {

    private static final int LANES = RowKernels.LANES;
    private static final int ROUNDS = 40;

    @BeforeEach
    void theProcessorHasTheInstructions() {
        boolean isLinux = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
        assumeThat(isLinux).isTrue();
        assumeThat(Features.ofThisProcessor()).containsAll(RowKernels.FEATURES);
    }

    @ParameterizedTest
    @EnumSource
    void productsOfRowsAndAColumnAreThoseOfPlainLoops(RowType type) {
        Random random = new Random(type.name().hashCode());
        try (RowKernels kernels = new RowKernels()) {
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
    @EnumSource
    void rowsBecomeTheFloatsThatTheDecoderMakes(RowType type) {
        Random random = new Random(3);
        try (RowKernels kernels = new RowKernels()) {
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

    @Test
    void floatsBecomeTheNearestHalves() {
        Random random = new Random(5);
        try (RowKernels kernels = new RowKernels()) {
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

    @Test
    void rowsBecomeLanesAndLanesRowsAsTheTwinsMoveThem() {
        Random random = new Random(7);
        try (RowKernels kernels = new RowKernels()) {
            for (int round = 0; round < ROUNDS; round++) {
                int elements = LANES * (1 + random.nextInt(9));
                boolean atEnd = random.nextBoolean();
                long lane = 4L * LANES * (1 + random.nextInt(3));
                long laneBytes = lane * (elements - 1) + 4L * LANES;
                try (GuardedMemory memory = new GuardedMemory()) {
                    Rows rows = new Rows(memory, RowType.F32, LANES, elements, random, atEnd);
                    MemorySegment factors = floats(memory, LANES, random, atEnd);
                    MemorySegment lanes = memory.allocate(laneBytes, atEnd);
                    MemorySegment expected = memory.allocate(laneBytes, atEnd);
                    float scale = random.nextFloat();
                    for (int i = 0; i < LANES; i++) {
                        factors.setAtIndex(FLOAT, i, scale);
                    }
                    long from = rows.memory.address();
                    kernels.toLanes()
                            .transpose(from, rows.stride, lanes.address(), lane, elements / LANES, factors.address());
                    AttentionPanelKernels.pack(from, rows.stride, LANES, elements, scale, expected.address(), lane);
                    assertThat(lanes.mismatch(expected))
                            .as("into lanes, round %d", round)
                            .isEqualTo(-1);

                    MemorySegment.copy(floats(memory, LANES, random, atEnd), 0, factors, 0, 4L * LANES);
                    MemorySegment back = memory.allocate(rows.memory.byteSize(), atEnd);
                    MemorySegment expectedBack = memory.allocate(rows.memory.byteSize(), atEnd);
                    kernels.fromLanes()
                            .transpose(
                                    lanes.address(),
                                    lane,
                                    back.address(),
                                    rows.stride,
                                    elements / LANES,
                                    factors.address());
                    AttentionPanelKernels.unpack(
                            lanes.address(),
                            lane,
                            LANES,
                            elements,
                            factors.address(),
                            expectedBack.address(),
                            rows.stride);
                    assertThat(back.mismatch(expectedBack))
                            .as("out of lanes, round %d", round)
                            .isEqualTo(-1);
                }
            }
        }
    }

    @Test
    void closingKernelsFreesTheirCode() {
        long before = MachineCode.mappedBytes();
        RowKernels kernels = new RowKernels();
        assertThat(MachineCode.mappedBytes()).isGreaterThan(before);
        kernels.close();
        assertThat(MachineCode.mappedBytes()).isEqualTo(before);
    }
}
