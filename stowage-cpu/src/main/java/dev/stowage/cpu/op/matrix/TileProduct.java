package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.product.PackKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.reference.quant.DotType;
import dev.stowage.tensor.ElementType;

/**
 * The product of weights of any type and many columns. The columns are packed once, side by side in panels as wide as a
 * tile; a piece of the work is a range of rows of the weights, of which a block is taken at a time, as floats or as they are
 * stored ({@link TileRows}), and multiplied with all panels:
 *
 * <pre>
 *   rows of a piece                     panels of columns, packed
 *   ┌──────┬───────┬───────┐            ┌────┬────┬────┐
 *   │ about│ next  │       │            │    │    │    │ DEPTH
 *   │ 100  │ block │  ...  │     x      ├────┼────┼────┤
 *   │      │       │       │            │    │    │    │ ...
 *   └──────┴───────┴───────┘            └────┴────┴────┘
 *      DEPTH
 * </pre>
 *
 * Blocks of weights stay in the second cache while the panels go by, and the sums of a row and all columns stay there too
 * until the last block.
 */
final class TileProduct {

    private static final int DEPTH = TileRows.DEPTH;

    /** Columns whose sums are kept at a time. */
    private static final int SLAB_COLUMNS = 512;

    private TileProduct() {}

    static void prepare(NodeBuilder node, ActivationColumns columns) {
        Operand source = node.operand(1);
        TileRows rows = TileRows.of(node);
        Panels panels = Panels.of(rows, (int) source.d1, (int) source.d0);
        // What columns are rounded to is part of the name: products with weights of two types may read the same ones.
        ElementType rounding = DotType.of(node.operand(0).type);
        Scratch packed = node.derived(
                1,
                "panels of %s, %d bytes each".formatted(rounding, rows.elementBytes()),
                panels.bytes() * source.d2 * source.d3,
                target -> new Packing(source, columns, rows, panels, target, node.threads()));
        node.add(new Multiplying(node, rows, panels, packed));
    }

    /**
     * How columns are divided into panels: widest first, and the rest in a narrower one.
     *
     * @param lanes columns of a vector
     * @param widest vectors of a whole panel
     * @param whole how many whole panels there are
     * @param rest vectors of the last panel, if that is not a whole one
     */
    record Panels(int columns, int depth, int elementBytes, int lanes, int widest, int whole, int rest) {

        static Panels of(TileRows rows, int columns, int depth) {
            int width = rows.widest() * rows.lanes();
            int vectors = Math.ceilDiv(columns % width, rows.lanes());
            int rest = vectors <= 2 ? vectors : rows.widest();
            return new Panels(columns, depth, rows.elementBytes(), rows.lanes(), rows.widest(), columns / width, rest);
        }

        int count() {
            return whole + (rest == 0 ? 0 : 1);
        }

        int vectors(int panel) {
            return panel < whole ? widest : rest;
        }

        int width(int panel) {
            return vectors(panel) * lanes;
        }

        /** The first column of a panel. */
        int first(int panel) {
            return panel * widest * lanes;
        }

        /** How many columns of a panel there really are. */
        int filled(int panel) {
            return Math.min(width(panel), columns - first(panel));
        }

        /** Where an element of a panel's columns is. */
        long offset(int panel, int element) {
            return ((long) first(panel) * depth + (long) element * width(panel)) * elementBytes;
        }

        long bytes() {
            return ((long) first(whole) + (long) rest * lanes) * depth * elementBytes;
        }
    }

    private static final class Packing extends RangeTask {

        private final Operand source;
        private final ActivationColumns columns;
        private final TileRows rows;
        private final Panels panels;
        private final Scratch target;

        Packing(Operand source, ActivationColumns columns, TileRows rows, Panels panels, Scratch target, int threads) {
            super(panels.count() * source.d2 * source.d3, source.d0 * panels.width(0) * 0.5, threads);
            this.source = source;
            this.columns = columns;
            this.rows = rows;
            this.panels = panels;
            this.target = target;
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long item = from; item < to; item++) {
                long batch = item / panels.count();
                int panel = (int) (item % panels.count());
                rows.pack(
                        columns.at(panels.first(panel), batch % source.d2, batch / source.d2),
                        columns.stride(),
                        panels.filled(panel),
                        panels.width(panel),
                        panels.depth(),
                        target.address() + batch * panels.bytes() + panels.offset(panel, 0));
            }
        }
    }

    private static final class Multiplying extends ParallelTask {

        private final Operand weights;
        private final Operand result;
        private final TileRows rows;
        private final Panels panels;
        private final Scratch packed;
        private final Scratch sums;
        private final int piecesPerBatch;
        private final int slabPanels;

        Multiplying(NodeBuilder node, TileRows rows, Panels panels, Scratch packed) {
            super(pieces(node, rows.tileRows()));
            this.weights = node.operand(0);
            this.result = node.result();
            this.rows = rows;
            this.panels = panels;
            this.packed = packed;
            this.piecesPerBatch = pieces() / (int) (result.d2 * result.d3);
            this.slabPanels = Math.max(1, Math.min(panels.count(), SLAB_COLUMNS / (panels.widest() * panels.lanes())));
            this.sums = node.scratchPerThread((long) slabPanels * panels.width(0) * rows.blockRows() * Float.BYTES);
        }

        /** For each batch as many pieces as keep the threads busy, of whole tiles. */
        private static int pieces(NodeBuilder node, int tileRows) {
            Operand result = node.result();
            long batches = result.d2 * result.d3;
            long tiles = Math.ceilDiv(result.d0, tileRows);
            long work = result.elements() * node.operand(0).d0;
            long wanted = work < 50_000 || node.threads() == 1 ? 1 : Math.ceilDiv(4L * node.threads(), batches);
            return (int) (batches * Math.clamp(wanted, 1, tiles));
        }

        @Override
        public void run(int piece, int thread) {
            long batch = piece / piecesPerBatch;
            int part = piece % piecesPerBatch;
            long tiles = Math.ceilDiv(result.d0, rows.tileRows());
            long from = tiles * part / piecesPerBatch * rows.tileRows();
            long to = Math.min(result.d0, tiles * (part + 1) / piecesPerBatch * rows.tileRows());
            for (int first = 0; first < panels.count(); first += slabPanels) {
                int last = Math.min(panels.count(), first + slabPanels);
                for (long row = from; row < to; row += rows.blockRows()) {
                    block(batch, row, (int) Math.min(rows.blockRows(), to - row), first, last, thread);
                }
            }
        }

        private void block(long batch, long firstRow, int count, int firstPanel, int lastPanel, int thread) {
            long i2 = batch % result.d2;
            long i3 = batch / result.d2;
            long c = sums.address(thread);
            int padded = Math.ceilDiv(count, rows.tileRows()) * rows.tileRows();
            int slabWidth = panels.first(lastPanel - 1) - panels.first(firstPanel) + panels.width(lastPanel - 1);
            PanelKernels.zero(c, (long) padded * slabWidth);
            long row = weights.at(firstRow, i2 / (result.d2 / weights.d2), i3 / (result.d3 / weights.d3));
            for (int k = 0; k < panels.depth(); k += DEPTH) {
                int steps = Math.min(DEPTH, panels.depth() - k);
                long from = row + weights.type.rowBytes(k);
                rows.load(from, count, steps, thread);
                long sum = c;
                for (int panel = firstPanel; panel < lastPanel; panel++) {
                    long columns = packed.address() + batch * panels.bytes() + panels.offset(panel, k);
                    rows.multiply(from, count, panels.vectors(panel), columns, steps, sum, thread);
                    sum += (long) padded * panels.width(panel) * Float.BYTES;
                }
            }
            long sum = c;
            for (int panel = firstPanel; panel < lastPanel; panel++) {
                PackKernels.results(
                        sum,
                        panels.width(panel),
                        count,
                        panels.filled(panel),
                        result.at(panels.first(panel), i2, i3) + firstRow * Float.BYTES,
                        result.s1);
                sum += (long) padded * panels.width(panel) * Float.BYTES;
            }
        }
    }
}
