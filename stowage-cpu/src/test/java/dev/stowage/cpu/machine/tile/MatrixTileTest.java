package dev.stowage.cpu.machine.tile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.stowage.cpu.machine.Features;
import dev.stowage.cpu.machine.GuardedMemory;
import dev.stowage.cpu.machine.MachineCode;
import dev.stowage.cpu.machine.matrix.EmulatedMatrices;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The code for AMX, with {@linkplain EmulatedMatrices other instructions} in the place of its own, computes the bits that AVX-512
 * does, and touches no byte beside its operands.
 */
class MatrixTileTest {

    private static final int ROWS = TileKernels.Tile.ROWS;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    @BeforeEach
    void theProcessorHasTheInstructionsOfTheEmulation() {
        boolean isLinux = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
        assumeThat(isLinux).isTrue();
        assumeThat(Features.ofThisProcessor()).containsAll(TileLevel.AVX512_VNNI.features());
    }

    @ParameterizedTest
    @EnumSource
    void productsOfMatricesHaveTheBitsOfThoseOfVectors(TileType type) {
        Random random = new Random(type.name().hashCode());
        try (TileKernels kernels = new TileKernels(TileLevel.AVX512_VNNI)) {
            for (int columns = 1; columns <= Panel.MOST_COLUMNS; columns++) {
                int blocks = 1 + random.nextInt(4);
                boolean atEnd = random.nextBoolean();
                int elements = blocks * type.span();
                try (GuardedMemory memory = new GuardedMemory()) {
                    MemorySegment weights = weights(memory, type, blocks, random, atEnd);
                    MemorySegment panel = memory.allocate(Panel.bytes(type, columns, elements), atEnd);
                    for (int column = 0; column < columns; column++) {
                        MemorySegment floats = memory.allocate(4L * elements, atEnd);
                        for (int i = 0; i < elements; i++) {
                            floats.setAtIndex(FLOAT, i, (float) random.nextGaussian());
                        }
                        kernels.rounding(type).round(floats.address(), elements, panel.address(), columns, column);
                    }
                    MemorySegment expected = memory.allocate(4L * ROWS * columns, atEnd);
                    MemorySegment actual = memory.allocate(4L * ROWS * columns, atEnd);
                    kernels.tile(type, columns)
                            .multiply(weights.address(), panel.address(), expected.address(), 4L * ROWS, blocks);
                    MemorySegment matrices = memory.allocate(EmulatedMatrices.BYTES, atEnd);
                    MatrixTile tile =
                            new MatrixTile(type, columns, code -> new EmulatedMatrices(code, matrices.address()));
                    try (MachineCode code = MachineCode.of(tile.write())) {
                        new TileKernels.Tile(code)
                                .multiply(weights.address(), panel.address(), actual.address(), 4L * ROWS, blocks);
                    }
                    assertThat(actual.mismatch(expected))
                            .as("%d columns, %d blocks", columns, blocks)
                            .isEqualTo(-1);
                }
            }
        }
    }

    private static MemorySegment weights(
            GuardedMemory memory, TileType type, int blocks, Random random, boolean atEnd) {
        MemorySegment weights = memory.allocate((long) blocks * type.blockBytes() * ROWS, atEnd);
        for (int i = 0; i < weights.byteSize(); i++) {
            int index = i % (type.blockBytes() * ROWS) / ROWS;
            byte value = TileLayout.isHalf(type, index) ? (byte) 0x2C : (byte) random.nextInt();
            weights.set(ValueLayout.JAVA_BYTE, i, value);
        }
        return weights;
    }
}
