package dev.stowage.cpu.op;

import dev.stowage.cpu.kernel.IntegerColumns;
import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.cpu.team.Task;
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

    static void prepare(NodeBuilder node, Columns columns) {
        boolean inTiles = node.operand(1).d1 >= COLUMNS;
        Operand weights = node.operand(0);
        boolean takesIntegers =
                inTiles ? InterleavedPanel.takesIntegers(weights.type) : InterleavedGroups.takeIntegers(weights.type);
        RoundedColumns rounded =
                takesIntegers ? RoundedColumns.of(node, columns, weights.type.blockSize(), !inTiles) : null;
        node.add(inTiles ? new TileTask(node, columns, rounded) : new GroupTask(node, columns, rounded));
    }

    /** Few columns: two groups of rows at a time, half a piece apart. */
    private static final class GroupTask extends RangeTask {

        private static final double WEIGHTS_PER_NANO = 20;

        private final Operand weights;
        private final Operand result;
        private final Columns columns;
        private final @Nullable RoundedColumns rounded;
        private final InterleavedGroups groups;
        private final long groupBytes;

        GroupTask(NodeBuilder node, Columns columns, @Nullable RoundedColumns rounded) {
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

        /** Multiplies a group, and the one that lies so many groups further if that is not 0. */
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

    /** Many columns: a tile of rows at a time, laid out part by part, and all columns for each part. */
    private static final class TileTask extends Task {

        private static final int PIECES_PER_THREAD = 8;

        private final Operand weights;
        private final Operand source;
        private final Operand result;
        private final Columns columns;
        private final @Nullable RoundedColumns rounded;
        private final InterleavedPanel panel;
        private final Scratch sums;
        private final int columnTiles;
        private final int piecesPerBatch;

        TileTask(NodeBuilder node, Columns columns, @Nullable RoundedColumns rounded) {
            this(node, columns, rounded, InterleavedPanel.of(node));
        }

        private TileTask(NodeBuilder node, Columns columns, @Nullable RoundedColumns rounded, InterleavedPanel panel) {
            super(pieces(node, panel.rows()));
            this.weights = node.operand(0);
            this.source = node.operand(1);
            this.result = node.result();
            this.columns = columns;
            this.rounded = rounded;
            this.panel = panel;
            this.columnTiles = Math.ceilDiv((int) source.d1, COLUMNS);
            this.sums = node.scratchPerThread(columnTiles * tileBytes());
            this.piecesPerBatch = pieces() / (int) (result.d2 * result.d3);
        }

        private static int pieces(NodeBuilder node, int tileRows) {
            Operand result = node.result();
            long batches = result.d2 * result.d3;
            long tiles = Math.ceilDiv(result.d0, tileRows);
            long wanted = node.threads() == 1 ? 1 : Math.ceilDiv((long) PIECES_PER_THREAD * node.threads(), batches);
            return (int) (batches * Math.clamp(wanted, 1, tiles));
        }

        private long tileBytes() {
            return (long) COLUMNS * panel.rows() * Float.BYTES;
        }

        @Override
        public void run(int piece, int thread) {
            long batch = piece / piecesPerBatch;
            int part = piece % piecesPerBatch;
            long tiles = Math.ceilDiv(result.d0, panel.rows());
            for (long tile = tiles * part / piecesPerBatch; tile < tiles * (part + 1) / piecesPerBatch; tile++) {
                long row = tile * panel.rows();
                int rows = (int) Math.min(panel.rows(), result.d0 - row);
                tile(row, rows, batch % result.d2, batch / result.d2, thread);
            }
        }

        private void tile(long row, int rows, long i2, long i3, int thread) {
            long planes = weights.at(row, i2 / (result.d2 / weights.d2), i3 / (result.d3 / weights.d3));
            int depth = (int) weights.d0;
            long to = sums.address(thread);
            PanelKernels.zero(to, columnTiles * tileBytes() / Float.BYTES);
            for (int k = 0; k < depth; k += DEPTH) {
                int steps = Math.min(DEPTH, depth - k);
                panel.layOut(planes, rows, k, steps, thread);
                for (int tile = 0; tile < columnTiles; tile++) {
                    multiply(firstColumn(tile), i2, i3, k, steps, to + tile * tileBytes(), thread);
                }
            }
            write(to, row, rows, i2, i3);
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

        /** Takes out the sums, which have each column's rows one behind the other. */
        private void write(long from, long row, int rows, long i2, long i3) {
            for (int tile = 0; tile < columnTiles; tile++) {
                for (int column = 0; column < COLUMNS; column++) {
                    Memory.copy(
                            from + tile * tileBytes() + (long) column * panel.rows() * Float.BYTES,
                            result.at(firstColumn(tile) + column, i2, i3) + row * Float.BYTES,
                            (long) rows * Float.BYTES);
                }
            }
        }
    }
}
