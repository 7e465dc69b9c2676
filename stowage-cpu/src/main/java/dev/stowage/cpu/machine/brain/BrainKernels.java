package dev.stowage.cpu.machine.brain;

import dev.stowage.cpu.machine.MachineCode;
import dev.stowage.cpu.machine.matrix.AmxUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The products of rows of bf16 and many columns, each written when it is first asked for. They take addresses and counts that a
 * prepared graph has checked. As the instructions do, they take numbers below the smallest normal float for 0.
 */
public final class BrainKernels implements AutoCloseable {

    /** Elements are multiplied so many at a time. */
    public static final int STEP = 32;

    /** Columns in a vector. */
    public static final int LANES = 16;

    /** Vectors of columns in the widest tile. */
    public static final int WIDEST = 4;

    private final BrainLevel level;

    /** By rows and vectors, what has been written: looking one up makes no garbage. */
    private final AtomicReferenceArray<@Nullable Tile> tiles;

    /** Kernels of a level, which the processor must have. */
    public BrainKernels(BrainLevel level) {
        this.level = level;
        this.tiles = new AtomicReferenceArray<>(level.rows() * WIDEST);
    }

    /** The most rows of a tile. */
    public int rows() {
        return level.rows();
    }

    /**
     * The product of some rows and some columns.
     *
     * @param rows 1 to {@link #rows()}
     * @param vectors 1 to {@value #WIDEST} vectors of {@value #LANES} columns
     */
    public Tile tile(int rows, int vectors) {
        Tile tile = tiles.get(index(rows, vectors));
        return tile == null ? write(rows, vectors) : tile;
    }

    private static int index(int rows, int vectors) {
        return (rows - 1) * WIDEST + vectors - 1;
    }

    private synchronized Tile write(int rows, int vectors) {
        int index = index(rows, vectors);
        Tile tile = tiles.get(index);
        if (tile == null) {
            tile = new Tile(MachineCode.of(
                    switch (level) {
                        case AMX -> BrainMatrixCode.of(rows, vectors, AmxUnit::new);
                        case AVX512_BF16 -> BrainTileCode.of(rows, vectors);
                    }));
            tiles.set(index, tile);
        }
        return tile;
    }

    @Override
    public void close() {
        for (int index = 0; index < tiles.length(); index++) {
            Tile tile = tiles.get(index);
            if (tile != null) {
                tile.code().close();
            }
        }
    }

    /** A product of some rows and some columns. */
    public record Tile(MachineCode code) {

        /**
         * Adds products to sums.
         *
         * @param rows where the first begins
         * @param stride bytes from row to row
         * @param columns for each pair of elements those of one column after the other
         * @param steps how often {@value #STEP} elements
         * @param sums floats, for each row the columns
         */
        public void multiply(long rows, long stride, long columns, long steps, long sums) {
            code.call(rows, columns, sums, stride, steps, 0);
        }
    }
}
