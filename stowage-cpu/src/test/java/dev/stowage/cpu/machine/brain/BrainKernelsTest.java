package dev.stowage.cpu.machine.brain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.stowage.cpu.machine.Features;
import dev.stowage.cpu.machine.GuardedMemory;
import dev.stowage.cpu.machine.MachineCode;
import dev.stowage.cpu.machine.matrix.EmulatedMatrices;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Machine code for products of bf16 computes what plain loops compute, and touches no byte beside its operands. */
class BrainKernelsTest {

    private static final int LANES = BrainKernels.LANES;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

    @BeforeEach
    void theProcessorHasTheInstructions() {
        boolean isLinux = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
        assumeThat(isLinux).isTrue();
        assumeThat(Features.ofThisProcessor()).containsAll(BrainLevel.AVX512_BF16.features());
    }

    /** Random operands of a tile, between pages that nothing may touch. */
    private static final class Operands {

        final int rows;
        final int columns;
        final int elements;
        final long stride;
        final MemorySegment weights;
        final MemorySegment panel;
        final MemorySegment before;

        Operands(GuardedMemory memory, int rows, int vectors, Random random) {
            boolean atEnd = random.nextBoolean();
            this.rows = rows;
            this.columns = vectors * LANES;
            this.elements = BrainKernels.STEP * (1 + random.nextInt(4));
            this.stride = (long) Short.BYTES * (elements + random.nextInt(9));
            this.weights = memory.allocate(stride * (rows - 1) + (long) Short.BYTES * elements, atEnd);
            this.panel = memory.allocate((long) Short.BYTES * elements * columns, atEnd);
            this.before = memory.allocate((long) Float.BYTES * rows * columns, atEnd);
            for (int row = 0; row < rows; row++) {
                for (int i = 0; i < elements; i++) {
                    weights.set(SHORT, row * stride + (long) Short.BYTES * i, brain(random));
                }
            }
            for (int i = 0; i < elements * columns; i++) {
                panel.setAtIndex(SHORT, i, brain(random));
            }
            for (int i = 0; i < rows * columns; i++) {
                before.setAtIndex(FLOAT, i, (float) random.nextGaussian());
            }
        }

        private static short brain(Random random) {
            return (short) (Float.floatToRawIntBits((float) random.nextGaussian()) >>> Short.SIZE);
        }

        private static double value(short bits) {
            return Float.intBitsToFloat(bits << Short.SIZE);
        }

        double weight(int row, int i) {
            return value(weights.get(SHORT, row * stride + (long) Short.BYTES * i));
        }

        double number(int column, int i) {
            return value(panel.getAtIndex(SHORT, (i / 2 * columns + column) * 2L + i % 2));
        }

        MemorySegment multiply(BrainKernels.Tile tile, GuardedMemory memory, boolean atEnd) {
            MemorySegment sums = memory.allocate(before.byteSize(), atEnd).copyFrom(before);
            tile.multiply(weights.address(), stride, panel.address(), elements / BrainKernels.STEP, sums.address());
            return sums;
        }
    }

    private static void assertProducts(Operands operands, MemorySegment sums) {
        for (int i = 0; i < operands.rows * operands.columns; i++) {
            double expected = operands.before.getAtIndex(FLOAT, i);
            double size = Math.abs(expected);
            for (int k = 0; k < operands.elements; k++) {
                double product = operands.weight(i / operands.columns, k) * operands.number(i % operands.columns, k);
                expected += product;
                size += Math.abs(product);
            }
            assertThat((double) sums.getAtIndex(FLOAT, i))
                    .as("sum %d of %d rows, %d elements", i, operands.rows, operands.elements)
                    .isCloseTo(expected, within(1e-6 * size));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void productsAreThoseOfPlainLoops(int vectors) {
        Random random = new Random(vectors);
        try (BrainKernels kernels = new BrainKernels(BrainLevel.AVX512_BF16)) {
            for (int round = 0; round < 8 * kernels.rows(); round++) {
                try (GuardedMemory memory = new GuardedMemory()) {
                    Operands operands = new Operands(memory, 1 + round % kernels.rows(), vectors, random);
                    BrainKernels.Tile tile = kernels.tile(operands.rows, vectors);
                    assertProducts(operands, operands.multiply(tile, memory, random.nextBoolean()));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void theCodeForAmxComputesThemTooAndHasTheBitsOfThatForVectors(int vectors) {
        Random random = new Random(vectors);
        try (BrainKernels kernels = new BrainKernels(BrainLevel.AVX512_BF16)) {
            for (int rows = 1; rows <= BrainLevel.AMX.rows(); rows++) {
                try (GuardedMemory memory = new GuardedMemory()) {
                    Operands operands = new Operands(memory, rows, vectors, random);
                    boolean atEnd = random.nextBoolean();
                    MemorySegment matrices = memory.allocate(EmulatedMatrices.BYTES, atEnd);
                    try (MachineCode code = MachineCode.of(BrainMatrixCode.of(
                            rows, vectors, assembler -> new EmulatedMatrices(assembler, matrices.address())))) {
                        MemorySegment actual = operands.multiply(new BrainKernels.Tile(code), memory, atEnd);
                        assertProducts(operands, actual);
                        if (rows <= kernels.rows()) {
                            MemorySegment expected = operands.multiply(kernels.tile(rows, vectors), memory, atEnd);
                            assertThat(actual.mismatch(expected))
                                    .as("%d rows", rows)
                                    .isEqualTo(-1);
                        }
                    }
                }
            }
        }
    }

    @Test
    void nothingIsWrongWithTheKernelsOfThisProcessor() {
        try (BrainKernels kernels = new BrainKernels(BrainLevel.AVX512_BF16)) {
            assertThat(BrainCheck.firstWrong(kernels)).isEmpty();
        }
    }
}
