package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.machine.tile.TileKernels;
import dev.stowage.cpu.machine.tile.TileSupport;
import dev.stowage.cpu.machine.tile.TileType;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.cpu.team.RangeTask;
import java.util.Arrays;

/**
 * The product of weights in tiles and some columns, by machine code. A call multiplies a group of 16 rows with a panel of
 * columns, which takes microseconds. What a column's result is does not depend on the panel that it is in.
 */
final class MachineProduct {

    private static final int GROUP = TileKernels.Tile.ROWS;

    private final TileType type;
    private final Operand weights;
    private final Operand result;
    private final RoundedPanels panels;
    private final TileKernels.Tile[] kernels;

    private MachineProduct(NodeBuilder node, TileType type) {
        this.type = type;
        this.weights = node.operand(0);
        this.result = node.result();
        this.panels = RoundedPanels.of(node, type);
        PanelWidths widths = panels.widths();
        this.kernels = new TileKernels.Tile[widths.count()];
        Arrays.setAll(kernels, panel -> TileSupport.kernels().tile(type, widths.width(panel)));
    }

    static void prepare(NodeBuilder node) {
        TileType type = TileType.of(node.operand(0).type).orElseThrow();
        MachineProduct product = new MachineProduct(node, type);
        node.add(
                product.kernels.length == 1
                        ? new OnePanel(product, node.threads())
                        : new ManyPanels(product, node.threads()));
    }

    private long groups() {
        return result.d0 / GROUP;
    }

    private int batches() {
        return Math.toIntExact(result.d2 * result.d3);
    }

    private void multiply(long batch, long group, int panel) {
        long i2 = batch % result.d2;
        long i3 = batch / result.d2;
        kernels[panel].multiply(
                weights.at(group * GROUP, i2 / (result.d2 / weights.d2), i3 / (result.d3 / weights.d3)),
                panels.at(panel, i2, i3),
                result.at(panels.widths().first(panel), i2, i3) + group * GROUP * Float.BYTES,
                result.s1,
                weights.d0 / type.span());
    }

    /** Few columns: every weight is read once, and memory is the limit. */
    private static final class OnePanel extends RangeTask {

        private static final double WEIGHTS_PER_NANO = 20;

        private final MachineProduct product;

        OnePanel(MachineProduct product, int threads) {
            super(product.groups() * product.batches(), product.weights.d0 * GROUP / WEIGHTS_PER_NANO, threads);
            this.product = product;
        }

        @Override
        protected void run(long from, long to, int thread) {
            long groups = product.groups();
            for (long at = from; at < to; at++) {
                product.multiply(at / groups, at % groups, 0);
            }
        }
    }

    /**
     * Many columns: as many groups of rows as stay in the second cache while panels go by. Where that gives too few pieces
     * for all threads, there are fewer groups in each, and panels are shared out too.
     */
    private static final class ManyPanels extends ParallelTask {

        private static final long BLOCK_BYTES = 384 << 10;
        private static final int PIECES_PER_THREAD = 4;

        private final MachineProduct product;
        private final Cut cut;

        ManyPanels(MachineProduct product, int threads) {
            this(product, Cut.of(product, threads));
        }

        private ManyPanels(MachineProduct product, Cut cut) {
            super(Math.toIntExact(product.batches() * cut.blocks() * cut.parts()));
            this.product = product;
            this.cut = cut;
        }

        /**
         * How the product of two matrices is cut.
         *
         * @param blocks blocks of rows
         * @param parts parts of the panels
         */
        private record Cut(long blocks, long parts) {

            static Cut of(MachineProduct product, int threads) {
                long pieces = threads == 1 ? 1 : (long) threads * PIECES_PER_THREAD;
                long wanted = Math.ceilDiv(pieces, (long) product.batches());
                long forCache = Math.ceilDiv(product.groups() * GROUP * product.weights.s1, BLOCK_BYTES);
                long blocks = Math.min(product.groups(), Math.max(forCache, wanted));
                return new Cut(blocks, Math.min(product.kernels.length, Math.ceilDiv(wanted, blocks)));
            }
        }

        @Override
        public void run(int piece, int thread) {
            long part = piece % cut.parts();
            long block = piece / cut.parts() % cut.blocks();
            long batch = piece / cut.parts() / cut.blocks();
            long firstGroup = product.groups() * block / cut.blocks();
            long endGroup = product.groups() * (block + 1) / cut.blocks();
            int panels = product.kernels.length;
            for (int panel = (int) (panels * part / cut.parts()); panel < panels * (part + 1) / cut.parts(); panel++) {
                for (long group = firstGroup; group < endGroup; group++) {
                    product.multiply(batch, group, panel);
                }
            }
        }
    }
}
