package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.product.FloatTileKernels;
import dev.stowage.cpu.kernel.product.PackKernels;
import dev.stowage.cpu.op.operand.RowBlockDecoder;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.reference.quant.DotType;

/**
 * The product of weights of any type and many columns. The columns are packed once, side by side in panels as wide as a
 * tile; a piece of the work is a range of rows of the weights, of which a block is decoded to floats at a time and
 * multiplied with all panels:
 *
 * <pre>
 *   rows of a piece                     panels of columns, packed
 *   ┌──────┬───────┬───────┐            ┌────┬────┬────┐
 *   │ up to│ next  │       │            │    │    │    │ DEPTH
 *   │  96  │ block │  ...  │     x      ├────┼────┼────┤
 *   │      │       │       │            │    │    │    │ ...
 *   └──────┴───────┴───────┘            └────┴────┴────┘
 *      DEPTH
 * </pre>
 *
 * Blocks of weights stay in the second cache while the panels go by, and the sums of a row and all columns stay there too
 * until the last block.
 */
final class TileProduct {

    /** How many numbers of a row are decoded at a time; a multiple of every block size. */
    private static final int DEPTH = 256;

    /** Rows that are decoded at a time: whole tiles. */
    private static final int BLOCK_ROWS = 16 * FloatTileKernels.ROWS;

    /** Columns whose sums are kept at a time. */
    private static final int SLAB_COLUMNS = 512;

    private TileProduct() {}

    static void prepare(NodeBuilder node, ActivationColumns columns) {
        Operand source = node.operand(1);
        Panels panels = Panels.of((int) source.d1, (int) source.d0);
        // Weights of another type may want the same columns rounded in another way.
        Scratch packed = node.derived(
                1,
                "panels rounded to " + DotType.of(node.operand(0).type),
                panels.bytes() * source.d2 * source.d3,
                target -> new Packing(source, columns, panels, target, node.threads()));
        node.add(new Multiplying(node, panels, packed));
    }

    /** How columns are divided into panels: widest first, and the rest in narrower ones. */
    record Panels(int columns, int depth, int wide, int narrowVectors) {

        static Panels of(int columns, int depth) {
            int width = FloatTileKernels.WIDEST * FloatTileKernels.LANES;
            int rest = columns % width;
            int vectors = Math.ceilDiv(rest, FloatTileKernels.LANES);
            int narrow = vectors == 0 ? 0 : vectors == 1 ? 1 : Math.min(FloatTileKernels.WIDEST, vectors == 2 ? 2 : 4);
            return new Panels(columns, depth, columns / width, narrow);
        }

        int count() {
            return wide + (narrowVectors == 0 ? 0 : 1);
        }

        int vectors(int panel) {
            return panel < wide ? FloatTileKernels.WIDEST : narrowVectors;
        }

        int width(int panel) {
            return vectors(panel) * FloatTileKernels.LANES;
        }

        /** The first column of a panel. */
        int first(int panel) {
            return panel * FloatTileKernels.WIDEST * FloatTileKernels.LANES;
        }

        /** How many columns of a panel there really are. */
        int filled(int panel) {
            return Math.min(width(panel), columns - first(panel));
        }

        /** Where a panel begins. */
        long offset(int panel) {
            return (long) first(panel) * depth * Float.BYTES;
        }

        long bytes() {
            return ((long) first(wide) + (long) narrowVectors * FloatTileKernels.LANES) * depth * Float.BYTES;
        }
    }

    private static final class Packing extends RangeTask {

        private final Operand source;
        private final ActivationColumns columns;
        private final Panels panels;
        private final Scratch target;

        Packing(Operand source, ActivationColumns columns, Panels panels, Scratch target, int threads) {
            super(panels.count() * source.d2 * source.d3, source.d0 * panels.width(0) * 0.5, threads);
            this.source = source;
            this.columns = columns;
            this.panels = panels;
            this.target = target;
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long item = from; item < to; item++) {
                long batch = item / panels.count();
                int panel = (int) (item % panels.count());
                PackKernels.columns(
                        columns.at(panels.first(panel), batch % source.d2, batch / source.d2),
                        columns.stride(),
                        panels.filled(panel),
                        panels.width(panel),
                        panels.depth(),
                        target.address() + batch * panels.bytes() + panels.offset(panel));
            }
        }
    }

    private static final class Multiplying extends ParallelTask {

        private final Operand weights;
        private final Operand result;
        private final Panels panels;
        private final Scratch packed;
        private final Scratch decoded;
        private final Scratch sums;
        private final RowBlockDecoder whole;
        private final RowBlockDecoder rest;
        private final int piecesPerBatch;
        private final int slabPanels;

        Multiplying(NodeBuilder node, Panels panels, Scratch packed) {
            super(pieces(node));
            this.weights = node.operand(0);
            this.result = node.result();
            this.panels = panels;
            this.packed = packed;
            this.whole = RowBlockDecoder.of(weights.type, DEPTH);
            this.rest = RowBlockDecoder.of(weights.type, weights.d0 % DEPTH);
            this.piecesPerBatch = pieces() / (int) (result.d2 * result.d3);
            this.slabPanels = Math.max(
                    1, Math.min(panels.count(), SLAB_COLUMNS / (FloatTileKernels.WIDEST * FloatTileKernels.LANES)));
            this.decoded = node.scratchPerThread((long) BLOCK_ROWS * DEPTH * Float.BYTES);
            this.sums = node.scratchPerThread((long) slabPanels * panels.width(0) * BLOCK_ROWS * Float.BYTES);
        }

        /** For each batch as many pieces as keep the threads busy, of whole tiles. */
        private static int pieces(NodeBuilder node) {
            Operand result = node.result();
            long batches = result.d2 * result.d3;
            long tiles = Math.ceilDiv(result.d0, FloatTileKernels.ROWS);
            long work = result.elements() * node.operand(0).d0;
            long wanted = work < 50_000 || node.threads() == 1 ? 1 : Math.ceilDiv(4L * node.threads(), batches);
            return (int) (batches * Math.clamp(wanted, 1, tiles));
        }

        @Override
        public void run(int piece, int thread) {
            long batch = piece / piecesPerBatch;
            int part = piece % piecesPerBatch;
            long tiles = Math.ceilDiv(result.d0, FloatTileKernels.ROWS);
            long from = tiles * part / piecesPerBatch * FloatTileKernels.ROWS;
            long to = Math.min(result.d0, tiles * (part + 1) / piecesPerBatch * FloatTileKernels.ROWS);
            for (int first = 0; first < panels.count(); first += slabPanels) {
                int last = Math.min(panels.count(), first + slabPanels);
                for (long row = from; row < to; row += BLOCK_ROWS) {
                    block(batch, row, (int) Math.min(BLOCK_ROWS, to - row), first, last, thread);
                }
            }
        }

        private void block(long batch, long firstRow, int rows, int firstPanel, int lastPanel, int thread) {
            long i2 = batch % result.d2;
            long i3 = batch / result.d2;
            long a = decoded.address(thread);
            long c = sums.address(thread);
            int tiles = Math.ceilDiv(rows, FloatTileKernels.ROWS);
            int paddedRows = tiles * FloatTileKernels.ROWS;
            int depth = panels.depth();
            int slabWidth = panels.first(lastPanel - 1) - panels.first(firstPanel) + panels.width(lastPanel - 1);
            PanelKernels.zero(c, (long) paddedRows * slabWidth);
            long blockBytes = weights.type.rowBytes(DEPTH);
            long row0 = weights.at(firstRow, i2 / (result.d2 / weights.d2), i3 / (result.d3 / weights.d3));
            long b = packed.address() + batch * panels.bytes();
            for (int k = 0, at = 0; k < depth; k += DEPTH, at++) {
                int steps = Math.min(DEPTH, depth - k);
                RowBlockDecoder decoder = steps == DEPTH ? whole : rest;
                decoder.decode(
                        row0 + at * blockBytes,
                        weights.s1,
                        a,
                        (long) DEPTH * Float.BYTES,
                        rows,
                        BLOCK_ROWS * weights.s1);
                for (int row = rows; row < paddedRows; row++) {
                    PanelKernels.zero(a + (long) row * DEPTH * Float.BYTES, steps);
                }
                long sum = c;
                for (int panel = firstPanel; panel < lastPanel; panel++) {
                    int width = panels.width(panel);
                    long columns = b + panels.offset(panel) + (long) k * width * Float.BYTES;
                    for (int tile = 0; tile < tiles; tile++) {
                        FloatTileKernels.tile(
                                panels.vectors(panel),
                                a + (long) tile * FloatTileKernels.ROWS * DEPTH * Float.BYTES,
                                (long) DEPTH * Float.BYTES,
                                columns,
                                steps,
                                sum + (long) tile * FloatTileKernels.ROWS * width * Float.BYTES);
                    }
                    sum += (long) paddedRows * width * Float.BYTES;
                }
            }
            long sum = c;
            for (int panel = firstPanel; panel < lastPanel; panel++) {
                int width = panels.width(panel);
                PackKernels.results(
                        sum,
                        width,
                        rows,
                        panels.filled(panel),
                        result.at(panels.first(panel), i2, i3) + firstRow * Float.BYTES,
                        result.s1);
                sum += (long) paddedRows * width * Float.BYTES;
            }
        }
    }
}
