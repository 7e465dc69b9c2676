package dev.stowage.cpu.machine.tile;

import dev.stowage.cpu.machine.MachineCode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The kernels of tiles, each written when it is first asked for: some kilobytes of code in some hundred microseconds. They
 * take addresses and counts that a prepared graph has checked.
 */
public final class TileKernels implements AutoCloseable {

    private final TileLevel level;
    private final Map<Key, MachineCode> tiles = new ConcurrentHashMap<>();
    private final Map<String, MachineCode> columns = new ConcurrentHashMap<>();

    private record Key(TileType type, int columns) {}

    /** Kernels of a level, which the processor must have. */
    public TileKernels(TileLevel level) {
        this.level = level;
    }

    /** The instructions that these kernels are written with. */
    public TileLevel level() {
        return level;
    }

    /** The product of 16 rows of weights and a panel of that many columns. */
    public Tile tile(TileType type, int columnCount) {
        return new Tile(tiles.computeIfAbsent(
                new Key(type, columnCount), key -> MachineCode.of(TileCode.of(level, key.type(), key.columns()))));
    }

    /** The rounding of columns for weights of a type. */
    public Rounding rounding(TileType type) {
        return new Rounding(
                type, columns.computeIfAbsent(type.columns(), form -> MachineCode.of(ColumnCode.of(level, type))));
    }

    @Override
    public void close() {
        tiles.values().forEach(MachineCode::close);
        columns.values().forEach(MachineCode::close);
    }

    /** A product of 16 rows and some columns. */
    public record Tile(MachineCode code) {

        /** Rows of a tile. */
        public static final int ROWS = TileCode.ROWS;

        /**
         * The most elements of a row. A call multiplies whole rows, and while it runs its thread cannot be stopped: so many take
         * some hundred microseconds.
         */
        public static final long LONGEST_ROW = 1 << 17;

        /**
         * Multiplies.
         *
         * @param weights the rows, interleaved
         * @param panel the columns
         * @param to where the results of the first column go
         * @param toStride bytes from there to those of the next
         * @param blocks blocks of weights in a row, at least one
         */
        public void multiply(long weights, long panel, long to, long toStride, long blocks) {
            code.call(weights, panel, to, toStride, blocks, 0);
        }
    }

    /** Rounds columns. */
    public record Rounding(TileType type, MachineCode code) {

        /**
         * Rounds a column of floats into its place in a panel.
         *
         * @param elements how many, a multiple of {@link TileType#span()} and at least that
         * @param columns how many columns the panel has
         * @param column which of them it is
         */
        public void round(long from, long elements, long panel, int columns, int column) {
            code.call(
                    from,
                    panel + Panel.numbers(column),
                    panel + Panel.scale(columns, column),
                    Panel.stepBytes(type, columns),
                    elements / type.span(),
                    (long) columns * Float.BYTES);
        }
    }
}
