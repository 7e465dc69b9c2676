package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.product.IntegerColumns;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.cpu.team.RangeTask;
import org.jspecify.annotations.Nullable;

/**
 * The product of weights whose rows are interleaved and some columns. Weights of few bits are multiplied as whole numbers
 * with columns that are rounded to eight bits first, the others as floats. Few columns go one by one, group of rows by
 * group of rows; many go in tiles, for which a block of weights is laid out once for all of them.
 */
final class InterleavedProduct {

    private static final int GROUP = InterleavedPanel.GROUP;
    private static final int DEPTH = InterleavedPanel.DEPTH;
    private static final int COLUMNS = InterleavedPanel.COLUMNS;

    private InterleavedProduct() {}

    static void prepare(NodeBuilder node) {
        boolean inTiles = node.operand(1).d1 >= COLUMNS;
        Operand weights = node.operand(0);
        boolean takesIntegers =
                inTiles ? InterleavedPanel.takesIntegers(weights.type) : InterleavedGroups.takeIntegers(weights.type);
        // What becomes whole numbers is rounded on the way.
        ActivationColumns columns = takesIntegers ? ActivationColumns.of(node, 1) : ActivationColumns.forWeights(node);
        QuantizedColumns rounded =
                takesIntegers ? QuantizedColumns.of(node, columns, weights.type.blockSize(), !inTiles) : null;
        node.add(inTiles ? new TileTask(node, columns, rounded) : new GroupTask(node, columns, rounded));
    }

    /** Few columns: two groups of rows at a time, half a piece apart. */
    private static final class GroupTask extends RangeTask {

        private static final double WEIGHTS_PER_NANO = 20;

        private final Operand weights;
        private final Operand result;
        private final ActivationColumns columns;
        private final @Nullable QuantizedColumns rounded;
        private final InterleavedGroups groups;
        private final long groupBytes;

        GroupTask(NodeBuilder node, ActivationColumns columns, @Nullable QuantizedColumns rounded) {
            super(
                    node.result().d0 / GROUP * node.result().d2 * node.result().d3,
                    node.operand(0).d0 * GROUP * node.result().d1 / WEIGHTS_PER_NANO,
                    node.threads());
            this.weights = node.operand(0);
            this.result = node.result();
            this.columns = columns;
            this.rounded = rounded;
            this.groups = new InterleavedGroups(node);
            this.groupBytes = weights.s1 * GROUP;
        }

        @Override
        protected void run(long from, long to, int thread) {
            long groupsPerBatch = result.d0 / GROUP;
            for (long at = from; at < to; ) {
                long batch = at / groupsPerBatch;
                long first = at - batch * groupsPerBatch;
                long end = Math.min(groupsPerBatch, first + to - at);
                long half = (end - first) / 2;
                for (long group = first; group < first + half; group++) {
                    multiply(batch, group, half, thread);
                }
                if (end - first > 2 * half) {
                    multiply(batch, end - 1, 0, thread);
                }
                at += end - first;
            }
        }

        /** Multiplies a group, and the one so many groups further if that is not 0. */
        private void multiply(long batch, long group, long apart, int thread) {
            long i2 = batch % result.d2;
            long i3 = batch / result.d2;
            long base = weights.at(0, i2 / (result.d2 / weights.d2), i3 / (result.d3 / weights.d3));
            for (long column = 0; column < result.d1; column++) {
                groups.multiply(
                        base + group * groupBytes,
                        apart * groupBytes,
                        rounded == null ? columns.at(column, i2, i3) : rounded.at(column, i2, i3),
                        result.at(column, i2, i3) + group * GROUP * Float.BYTES,
                        apart * GROUP * Float.BYTES,
                        thread);
            }
        }
    }

    /**
     * Many columns: a tile of rows at a time, laid out part by part, and all columns for each part. A tile is a piece; the
     * last few are cut into several by their columns, so that no thread waits long for the others at the end, though the
     * weights have to be laid out once for each of those.
     */
    private static final class TileTask extends ParallelTask {

        /** The tiles of columns that are worth laying out weights for. */
        private static final int FEWEST_COLUMN_TILES = 16;

        private static final int MOST_CUTS = 4;

        private final Operand weights;
        private final Operand source;
        private final Operand result;
        private final ActivationColumns columns;
        private final @Nullable QuantizedColumns rounded;
        private final InterleavedPanel panel;
        private final Scratch sums;
        private final int columnTiles;
        private final Cut cut;

        TileTask(NodeBuilder node, ActivationColumns columns, @Nullable QuantizedColumns rounded) {
            this(node, columns, rounded, InterleavedPanel.of(node));
        }

        private TileTask(
                NodeBuilder node,
                ActivationColumns columns,
                @Nullable QuantizedColumns rounded,
                InterleavedPanel panel) {
            this(node, columns, rounded, panel, Cut.of(node, panel.rows()));
        }

        private TileTask(
                NodeBuilder node,
                ActivationColumns columns,
                @Nullable QuantizedColumns rounded,
                InterleavedPanel panel,
                Cut cut) {
            super(cut.pieces());
            this.weights = node.operand(0);
            this.source = node.operand(1);
            this.result = node.result();
            this.columns = columns;
            this.rounded = rounded;
            this.panel = panel;
            this.columnTiles = Math.ceilDiv((int) source.d1, COLUMNS);
            this.sums = node.scratchPerThread(columnTiles * tileBytes());
            this.cut = cut;
        }

        /**
         * How the work is cut.
         *
         * @param batches products of matrices
         * @param tiles tiles of rows of each
         * @param whole tiles of each that are not cut; those come first
         * @param parts what the others are cut into
         * @param isShared whether there is more than one thread; else a batch is a piece
         */
        private record Cut(int batches, int tiles, int whole, int parts, boolean isShared) {

            static Cut of(NodeBuilder node, int tileRows) {
                Operand result = node.result();
                int tiles = (int) Math.ceilDiv(result.d0, tileRows);
                int parts = Math.clamp(result.d1 / COLUMNS / FEWEST_COLUMN_TILES, 1, MOST_CUTS);
                int whole = Math.max(0, tiles - node.threads());
                return new Cut((int) (result.d2 * result.d3), tiles, whole, parts, node.threads() > 1);
            }

            int piecesPerBatch() {
                return isShared ? whole + (tiles - whole) * parts : 1;
            }

            int pieces() {
                return batches * piecesPerBatch();
            }
        }

        private long tileBytes() {
            return (long) COLUMNS * panel.rows() * Float.BYTES;
        }

        @Override
        public void run(int piece, int thread) {
            int batch = piece / cut.piecesPerBatch();
            int inBatch = piece % cut.piecesPerBatch();
            long i2 = batch % result.d2;
            long i3 = batch / result.d2;
            if (!cut.isShared()) {
                for (int tile = 0; tile < cut.tiles(); tile++) {
                    tile(tile, 0, columnTiles, i2, i3, thread);
                }
            } else if (inBatch < cut.whole()) {
                tile(inBatch, 0, columnTiles, i2, i3, thread);
            } else {
                int rest = inBatch - cut.whole();
                int part = rest % cut.parts();
                tile(
                        cut.whole() + rest / cut.parts(),
                        columnTiles * part / cut.parts(),
                        columnTiles * (part + 1) / cut.parts(),
                        i2,
                        i3,
                        thread);
            }
        }

        /** Multiplies a tile of rows with some tiles of columns. */
        private void tile(int rowTile, int from, int end, long i2, long i3, int thread) {
            long row = (long) rowTile * panel.rows();
            int rows = (int) Math.min(panel.rows(), result.d0 - row);
            long planes = weights.at(row, i2 / (result.d2 / weights.d2), i3 / (result.d3 / weights.d3));
            int depth = (int) weights.d0;
            long to = sums.address(thread);
            PanelKernels.zero(to, (end - from) * tileBytes() / Float.BYTES);
            for (int k = 0; k < depth; k += DEPTH) {
                int steps = Math.min(DEPTH, depth - k);
                panel.layOut(planes, rows, k, steps, thread);
                for (int tile = from; tile < end; tile++) {
                    multiply(firstColumn(tile), i2, i3, k, steps, to + (tile - from) * tileBytes(), thread);
                }
            }
            for (int tile = from; tile < end; tile++) {
                write(to + (tile - from) * tileBytes(), firstColumn(tile), row, rows, i2, i3);
            }
        }

        private void multiply(long column, long i2, long i3, int k, int steps, long to, int thread) {
            if (rounded == null) {
                long numbers = columns.at(column, i2, i3) + (long) k * Float.BYTES;
                panel.multiply(numbers, 0, 0, columns.stride(), steps, to, thread);
            } else {
                long first = rounded.at(column, i2, i3);
                long block = (long) (k / InterleavedPanel.BLOCK) * Float.BYTES;
                panel.multiply(
                        first + (long) k * Integer.BYTES,
                        IntegerColumns.scales(first, source.d0) + block,
                        IntegerColumns.sums(first, source.d0) + block,
                        rounded.stride(),
                        steps,
                        to,
                        thread);
            }
        }

        /** The first column of a tile; the last tile is moved back to where it is full. */
        private long firstColumn(int tile) {
            return Math.min((long) tile * COLUMNS, source.d1 - COLUMNS);
        }

        /** Takes out the sums of a tile, which have each column's rows one after the other. */
        private void write(long from, long first, long row, int rows, long i2, long i3) {
            for (int column = 0; column < COLUMNS; column++) {
                Memory.copy(
                        from + (long) column * panel.rows() * Float.BYTES,
                        result.at(first + column, i2, i3) + row * Float.BYTES,
                        (long) rows * Float.BYTES);
            }
        }
    }
}
