package dev.stowage.cpu.machine.row;

import static dev.stowage.cpu.machine.row.Rows.FLOAT;
import static dev.stowage.cpu.machine.row.Rows.floats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.stowage.cpu.machine.Features;
import dev.stowage.cpu.machine.GuardedMemory;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both products of attention for few queries are those of plain loops, and touch no byte beside their operands. */
class AttentionCodeTest {

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
    @ValueSource(ints = {1, 4})
    void scoresAreTheProductsOfKeysAndQueries(int queries) {
        Random random = new Random(queries);
        try (RowKernels kernels = new RowKernels()) {
            for (int round = 0; round < ROUNDS; round++) {
                int elements = RowKernels.Attention.KEY_ELEMENTS * (1 + random.nextInt(5));
                int fours = 1 + random.nextInt(4);
                int count = fours * RowKernels.Attention.KEYS;
                boolean atEnd = random.nextBoolean();
                try (GuardedMemory memory = new GuardedMemory()) {
                    Rows keys = new Rows(memory, RowType.F16, count, elements, random, atEnd);
                    MemorySegment rows = floats(memory, queries * elements, random, atEnd);
                    MemorySegment to = memory.allocate(4L * LANES * count * queries, atEnd);
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
                        for (int lane = 0; lane < LANES; lane++) {
                            actual += to.getAtIndex(FLOAT, (long) i * LANES + lane);
                        }
                        assertThat(actual).as("product %d, round %d", i, round).isCloseTo(expected, within(1e-3));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void meansAreTheSumsOfWeightedValues(int rows) {
        Random random = new Random(rows);
        try (RowKernels kernels = new RowKernels()) {
            for (int round = 0; round < ROUNDS; round++) {
                int elements = RowKernels.Attention.VALUE_ELEMENTS * (1 + random.nextInt(4));
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
}
