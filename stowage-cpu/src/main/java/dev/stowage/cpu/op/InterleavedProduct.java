package dev.stowage.cpu.op;

import dev.stowage.cpu.kernel.FloatTileKernels;
import dev.stowage.cpu.kernel.IntegerColumns;
import dev.stowage.cpu.kernel.InterleavedQ4_0;
import dev.stowage.cpu.kernel.InterleavedQ4_K;
import dev.stowage.cpu.kernel.InterleavedQ6_K;
import dev.stowage.cpu.kernel.InterleavedQ8_0;
import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.ShortTileKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.cpu.team.Task;
import dev.stowage.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * The product of weights whose rows are interleaved and some columns. Weights of four bits are multiplied as whole
 * numbers with columns that are rounded to eight bits first, the others as floats. Few columns go one by one, group of
 * rows by group of rows; many go in tiles, for which a block of weights is laid out once for all of them.
 */
final class InterleavedProduct {

    /** Rows of a group. */
    private static final int GROUP = 32;

    /** Elements of a row that are laid out at a time. */
    private static final int DEPTH = 256;

    private InterleavedProduct() {}

    static void prepare(NodeBuilder node, Columns columns) {
        Operand weights = node.operand(0);
        Operand source = node.operand(1);
        Scratch integers = wantsIntegers(weights.type, source.d1) ? rounded(node, columns) : null;
        if (source.d1 < FloatTileKernels.ROWS) {
            node.add(new GroupTask(node, columns, integers));
        } else if (isFourBits(weights.type)) {
            node.add(new ShortTask(node, rounded(node, columns)));
        } else {
            node.add(new FloatTask(node, columns));
        }
    }

    private static boolean isFourBits(ElementType type) {
        return type == ElementType.Q4_0 || type == ElementType.Q4_K;
    }

    private static boolean wantsIntegers(ElementType type, long columns) {
        return isFourBits(type) || (type == ElementType.Q6_K && columns < FloatTileKernels.ROWS);
    }

    private static Scratch rounded(NodeBuilder node, Columns columns) {
        Operand source = node.operand(1);
        int span = node.operand(0).type.blockSize();
        return node.derived(
                1,
                "integers " + span,
                source.rows() * IntegerColumns.bytes(source.d0),
                target -> new Rounding(source, columns, span, target, node.threads()));
    }

    private static final class Rounding extends RangeTask {

        private final Operand source;
        private final Columns columns;
        private final int span;
        private final Scratch target;

        Rounding(Operand source, Columns columns, int span, Scratch target, int threads) {
            super(source.rows(), source.d0 * 0.3, threads);
            this.source = source;
            this.columns = columns;
            this.span = span;
            this.target = target;
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long row = from; row < to; row++) {
                long i1 = row % source.d1;
                long i2 = row / source.d1 % source.d2;
                long i3 = row / source.d1 / source.d2;
                IntegerColumns.round(
                        columns.at(i1, i2, i3),
                        (int) source.d0,
                        target.address() + row * IntegerColumns.bytes(source.d0),
                        span,
                        source.d1 < FloatTileKernels.ROWS);
            }
        }
    }

    /** Few columns: two groups of rows at a time, half a piece apart. */
    private static final class GroupTask extends RangeTask {

        private static final double WEIGHTS_PER_NANO = 20;

        private final Operand weights;
        private final Operand source;
        private final Operand result;
        private final Columns columns;
        private final @Nullable Scratch integers;
        private final Scratch workspace;
        private final long groupBytes;

        GroupTask(NodeBuilder node, Columns columns, @Nullable Scratch integers) {
            super(
                    node.result().d0 / GROUP * node.result().d2 * node.result().d3,
                    node.operand(0).d0 * GROUP * node.result().d1 / WEIGHTS_PER_NANO,
                    node.threads());
            this.weights = node.operand(0);
            this.source = node.operand(1);
            this.result = node.result();
            this.columns = columns;
            this.integers = integers;
            this.groupBytes = weights.s1 * GROUP;
            this.workspace =
                    node.scratchPerThread(Math.max(InterleavedQ4_K.WORKSPACE_BYTES, InterleavedQ6_K.WORKSPACE_BYTES));
        }

        @Override
        protected void run(long from, long to, int thread) {
            long groups = result.d0 / GROUP;
            for (long at = from; at < to; ) {
                long batch = at / groups;
                long first = at - batch * groups;
                long end = Math.min(groups, first + to - at);
                groups(batch, first, end, thread);
                at += end - first;
            }
        }

        private void groups(long batch, long from, long to, int thread) {
            long i2 = batch % result.d2;
            long i3 = batch / result.d2;
            long base = weights.at(0, i2 / (result.d2 / weights.d2), i3 / (result.d3 / weights.d3));
            long apart = (to - from) / 2;
            for (long group = from; group < to; group++) {
                boolean alone = group >= from + 2 * apart;
                if (group >= from + apart && !alone) {
                    continue;
                }
                for (long column = 0; column < result.d1; column++) {
                    multiply(
                            base + group * groupBytes,
                            alone ? 0 : apart * groupBytes,
                            column,
                            i2,
                            i3,
                            result.at(column, i2, i3) + group * GROUP * Float.BYTES,
                            alone ? 0 : apart * GROUP * Float.BYTES,
                            workspace.address(thread));
                }
            }
        }

        private void multiply(
                long rows, long apart, long i1, long i2, long i3, long to, long toApart, long workspaceAddress) {
            int elements = (int) weights.d0;
            long column = integers == null
                    ? columns.at(i1, i2, i3)
                    : integers.address() + ((i3 * source.d2 + i2) * source.d1 + i1) * IntegerColumns.bytes(source.d0);
            switch (weights.type) {
                case Q4_0 -> InterleavedQ4_0.multiply(rows, apart, elements, column, to, toApart);
                case Q4_K -> InterleavedQ4_K.multiply(rows, apart, elements, column, to, toApart, workspaceAddress);
                case Q8_0 -> InterleavedQ8_0.multiply(rows, apart, elements, column, to, toApart);
                default -> {
                    InterleavedQ6_K.multiply(rows, elements, column, to, workspaceAddress);
                    if (apart != 0) {
                        InterleavedQ6_K.multiply(rows + apart, elements, column, to + toApart, workspaceAddress);
                    }
                }
            }
        }
    }

    /** What the two ways in tiles share: pieces of whole tiles of rows, and all columns for each. */
    private abstract static class TileTask extends Task {

        final Operand weights;
        final Operand source;
        final Operand result;
        final int tileRows;
        final int columnTiles;
        private final int piecesPerBatch;

        TileTask(NodeBuilder node, int tileRows) {
            super(pieces(node, tileRows));
            this.weights = node.operand(0);
            this.source = node.operand(1);
            this.result = node.result();
            this.tileRows = tileRows;
            this.columnTiles = Math.ceilDiv((int) source.d1, FloatTileKernels.ROWS);
            this.piecesPerBatch = pieces() / (int) (result.d2 * result.d3);
        }

        private static int pieces(NodeBuilder node, int tileRows) {
            Operand result = node.result();
            long batches = result.d2 * result.d3;
            long tiles = Math.ceilDiv(result.d0, tileRows);
            long wanted = node.threads() == 1 ? 1 : Math.ceilDiv(8L * node.threads(), batches);
            return (int) (batches * Math.clamp(wanted, 1, tiles));
        }

        @Override
        public void run(int piece, int thread) {
            long batch = piece / piecesPerBatch;
            int part = piece % piecesPerBatch;
            long tiles = Math.ceilDiv(result.d0, tileRows);
            long i2 = batch % result.d2;
            long i3 = batch / result.d2;
            long base = weights.at(0, i2 / (result.d2 / weights.d2), i3 / (result.d3 / weights.d3));
            for (long tile = tiles * part / piecesPerBatch; tile < tiles * (part + 1) / piecesPerBatch; tile++) {
                long row = tile * tileRows;
                tile(base + row * weights.s1, row, (int) Math.min(tileRows, result.d0 - row), i2, i3, thread);
            }
        }

        /** The first column of a tile; the last tile is moved back to where it is full. */
        final long firstColumn(int tile) {
            return Math.min((long) tile * FloatTileKernels.ROWS, source.d1 - FloatTileKernels.ROWS);
        }

        /** Computes a tile of rows and all columns. */
        abstract void tile(long planes, long row, int rows, long i2, long i3, int thread);

        /** Writes the sums of a tile of rows, which has each column's rows one behind the other. */
        final void write(long sums, long row, int rows, long i2, long i3) {
            for (int tile = 0; tile < columnTiles; tile++) {
                long first = firstColumn(tile);
                for (int column = 0; column < FloatTileKernels.ROWS; column++) {
                    Memory.copy(
                            sums + ((long) tile * FloatTileKernels.ROWS + column) * tileRows * Float.BYTES,
                            result.at(first + column, i2, i3) + row * Float.BYTES,
                            (long) rows * Float.BYTES);
                }
            }
        }
    }

    /** Many columns, in floats. */
    private static final class FloatTask extends TileTask {

        private static final int ROWS = FloatTileKernels.WIDEST * FloatTileKernels.LANES;

        private final Columns columns;
        private final Scratch panel;
        private final Scratch sums;
        private final Scratch workspace;

        FloatTask(NodeBuilder node, Columns columns) {
            super(node, ROWS);
            this.columns = columns;
            this.panel = node.scratchPerThread((long) DEPTH * ROWS * Float.BYTES);
            this.sums = node.scratchPerThread((long) columnTiles * FloatTileKernels.ROWS * ROWS * Float.BYTES);
            this.workspace = node.scratchPerThread(InterleavedQ6_K.WORKSPACE_BYTES);
        }

        @Override
        void tile(long planes, long row, int rows, long i2, long i3, int thread) {
            int depth = (int) weights.d0;
            long b = panel.address(thread);
            long c = sums.address(thread);
            long stride = (long) ROWS * Float.BYTES;
            Memory.ALL.asSlice(c, columnTiles * FloatTileKernels.ROWS * stride).fill((byte) 0);
            for (int k = 0; k < depth; k += DEPTH) {
                int steps = Math.min(DEPTH, depth - k);
                for (int group = 0; group * GROUP < rows; group++) {
                    long from = planes + (long) group * GROUP * weights.s1 + weights.type.rowBytes(k) * GROUP;
                    long to = b + (long) group * GROUP * Float.BYTES;
                    if (weights.type == ElementType.Q8_0) {
                        InterleavedQ8_0.panel(from, steps / 32, to, stride);
                    } else {
                        InterleavedQ6_K.panel(from, to, stride, workspace.address(thread));
                    }
                }
                for (int tile = 0; tile < columnTiles; tile++) {
                    FloatTileKernels.tile(
                            FloatTileKernels.WIDEST,
                            columns.at(firstColumn(tile), i2, i3) + (long) k * Float.BYTES,
                            columns.stride(),
                            b,
                            steps,
                            c + tile * FloatTileKernels.ROWS * stride);
                }
            }
            write(c, row, rows, i2, i3);
        }
    }

    /** Many columns, in whole numbers of 16 bits. */
    private static final class ShortTask extends TileTask {

        private static final int ROWS = ShortTileKernels.ROWS;
        private static final int BLOCKS = DEPTH / ShortTileKernels.BLOCK;

        private final Scratch integers;
        private final Scratch panel;
        private final Scratch blockSums;
        private final Scratch factors;
        private final Scratch sums;

        ShortTask(NodeBuilder node, Scratch integers) {
            super(node, ROWS);
            this.integers = integers;
            this.panel = node.scratchPerThread((long) DEPTH * ROWS * Short.BYTES);
            this.blockSums = node.scratchPerThread(BLOCKS * ShortTileKernels.SUM_BYTES);
            this.factors = node.scratchPerThread(2L * BLOCKS * ROWS * Float.BYTES + InterleavedQ4_K.WORKSPACE_BYTES);
            this.sums = node.scratchPerThread((long) columnTiles * ShortTileKernels.COLUMNS * ROWS * Float.BYTES);
        }

        @Override
        void tile(long planes, long row, int rows, long i2, long i3, int thread) {
            int depth = (int) weights.d0;
            long w = panel.address(thread);
            long scales = factors.address(thread);
            long offsets = scales + (long) BLOCKS * ROWS * Float.BYTES;
            long workspace = offsets + (long) BLOCKS * ROWS * Float.BYTES;
            long c = sums.address(thread);
            long tileBytes = (long) ShortTileKernels.COLUMNS * ROWS * Float.BYTES;
            long stride = IntegerColumns.bytes(source.d0);
            long column0 = integers.address() + (i3 * source.d2 + i2) * source.d1 * stride;
            Memory.ALL.asSlice(c, columnTiles * tileBytes).fill((byte) 0);
            for (int k = 0; k < depth; k += DEPTH) {
                int blocks = Math.min(DEPTH, depth - k) / ShortTileKernels.BLOCK;
                for (int group = 0; group * GROUP < rows; group++) {
                    long from = planes + (long) group * GROUP * weights.s1 + weights.type.rowBytes(k) * GROUP;
                    long to = w + (long) group * GROUP * Short.BYTES;
                    long at = (long) group * GROUP * Float.BYTES;
                    if (weights.type == ElementType.Q4_0) {
                        InterleavedQ4_0.panel(from, blocks, to, scales + at);
                    } else {
                        InterleavedQ4_K.panel(from, to, scales + at, offsets + at, workspace);
                    }
                }
                for (int tile = 0; tile < columnTiles; tile++) {
                    long column = column0 + firstColumn(tile) * stride;
                    columns(column, k, blocks, stride, w, scales, offsets, c + tile * tileBytes, thread);
                }
            }
            write(c, row, rows, i2, i3);
        }

        private void columns(
                long column, int k, int blocks, long stride, long w, long scales, long offsets, long to, int thread) {
            long block0 = blockSums.address(thread);
            for (int block = 0; block < blocks; block++) {
                ShortTileKernels.block(
                        w + (long) block * ShortTileKernels.BLOCK * ROWS * Short.BYTES,
                        column + 4L * (k + block * ShortTileKernels.BLOCK),
                        stride,
                        block0 + block * ShortTileKernels.SUM_BYTES);
            }
            long blockAt = 4L * (k / ShortTileKernels.BLOCK);
            long columnScales = IntegerColumns.scales(column, source.d0) + blockAt;
            if (weights.type == ElementType.Q4_0) {
                ShortTileKernels.addScaled(block0, blocks, scales, columnScales, stride, to);
            } else {
                ShortTileKernels.addOffset(
                        block0,
                        blocks,
                        scales,
                        offsets,
                        columnScales,
                        IntegerColumns.sums(column, source.d0) + blockAt,
                        stride,
                        to);
            }
        }
    }
}
