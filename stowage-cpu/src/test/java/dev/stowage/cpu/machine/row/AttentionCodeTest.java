package dev.stowage.cpu.machine.row;

import static dev.stowage.cpu.machine.row.Rows.FLOAT;
import static dev.stowage.cpu.machine.row.Rows.floats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.stowage.cpu.kernel.attention.AttentionPanelKernels;
import dev.stowage.cpu.machine.Features;
import dev.stowage.cpu.machine.GuardedMemory;
import dev.stowage.cpu.machine.MachineCode;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Both products of attention for few queries are those of plain loops, and touch no byte beside their operands. */
class AttentionCodeTest {

    private static final int LANES = RowKernels.LANES;
    private static final int ROUNDS = 40;

    @BeforeEach
    void thereIsMachineCode() {
        boolean isLinux = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
        assumeThat(isLinux).isTrue();
    }

    private static AttentionKernels kernels(RowLevel level) {
        assumeThat(Features.ofThisProcessor()).containsAll(level.features());
        return new AttentionKernels(level);
    }

    @ParameterizedTest
    @CsvSource({"AVX512, 1", "AVX512, 4", "AVX2, 1", "AVX2, 4"})
    void scoresAreTheProductsOfKeysAndQueries(RowLevel level, int queries) {
        Random random = new Random(queries);
        try (AttentionKernels kernels = kernels(level)) {
            for (int round = 0; round < ROUNDS; round++) {
                int elements = AttentionKernels.Attention.KEY_ELEMENTS * (1 + random.nextInt(5));
                int fours = 1 + random.nextInt(4);
                int count = fours * AttentionKernels.Attention.KEYS;
                boolean atEnd = random.nextBoolean();
                try (GuardedMemory memory = new GuardedMemory()) {
                    Rows keys = new Rows(memory, RowType.F16, count, elements, random, atEnd);
                    MemorySegment rows = floats(memory, queries * elements, random, atEnd);
                    MemorySegment to = memory.allocate(4L * kernels.lanes() * count * queries, atEnd);
                    kernels.scores(queries)
                            .multiply(
                                    keys.memory.address(),
                                    keys.stride,
                                    fours,
                                    rows.address(),
                                    elements,
                                    to.address(),
                                    random.nextInt());
                    for (int i = 0; i < count * queries; i++) {
                        double expected = 0;
                        for (int k = 0; k < elements; k++) {
                            expected += (double) keys.get(i / queries, k)
                                    * rows.getAtIndex(FLOAT, (long) i % queries * elements + k);
                        }
                        double actual = 0;
                        for (int lane = 0; lane < kernels.lanes(); lane++) {
                            actual += to.getAtIndex(FLOAT, (long) i * kernels.lanes() + lane);
                        }
                        assertThat(actual).as("product %d, round %d", i, round).isCloseTo(expected, within(1e-3));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"AVX512, 1", "AVX512, 4", "AVX2, 1", "AVX2, 4"})
    void meansAreTheSumsOfWeightedValues(RowLevel level, int rows) {
        Random random = new Random(rows);
        try (AttentionKernels kernels = kernels(level)) {
            for (int round = 0; round < ROUNDS; round++) {
                int elements = AttentionKernels.Attention.VALUE_ELEMENTS * (1 + random.nextInt(4));
                int count = 1 + random.nextInt(9);
                boolean atEnd = random.nextBoolean();
                try (GuardedMemory memory = new GuardedMemory()) {
                    Rows values = new Rows(memory, RowType.F16, count, elements, random, atEnd);
                    MemorySegment weights = floats(memory, count * rows, random, atEnd);
                    MemorySegment sums = floats(memory, rows * elements, random, atEnd);
                    float[] before = sums.toArray(FLOAT);
                    kernels.means(rows)
                            .multiply(
                                    values.memory.address(),
                                    values.stride,
                                    count,
                                    weights.address(),
                                    elements,
                                    sums.address(),
                                    random.nextInt());
                    for (int i = 0; i < rows * elements; i++) {
                        double expected = before[i];
                        for (int cell = 0; cell < count; cell++) {
                            expected += (double) values.get(cell, i % elements)
                                    * weights.getAtIndex(FLOAT, (long) cell * rows + i / elements);
                        }
                        assertThat((double) sums.getAtIndex(FLOAT, i))
                                .as("element %d, round %d", i, round)
                                .isCloseTo(expected, within(1e-4));
                    }
                }
            }
        }
    }

    @Test
    void rowsBecomeLanesAndLanesRowsAsTheTwinsMoveThem() {
        assumeThat(Features.ofThisProcessor()).containsAll(RowLevel.AVX512.features());
        Random random = new Random(7);
        try (LaneKernels kernels = new LaneKernels()) {
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

    @ParameterizedTest
    @EnumSource
    void closingKernelsFreesTheirCode(RowLevel level) {
        long before = MachineCode.mappedBytes();
        AttentionKernels kernels = kernels(level);
        assertThat(MachineCode.mappedBytes()).isGreaterThan(before);
        kernels.close();
        assertThat(MachineCode.mappedBytes()).isEqualTo(before);
    }
}
