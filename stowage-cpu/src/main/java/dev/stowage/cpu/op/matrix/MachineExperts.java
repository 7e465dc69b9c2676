package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.machine.tile.Panel;
import dev.stowage.cpu.machine.tile.TileKernels;
import dev.stowage.cpu.machine.tile.TileSupport;
import dev.stowage.cpu.machine.tile.TileType;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;

/**
 * Products with experts in tiles, by machine code. The columns of each expert are first rounded into panels of its own,
 * which are as long together as there are columns: those of an expert begin where its list of columns does.
 */
final class MachineExperts extends ExpertTask {

    private static final int GROUP = TileKernels.Tile.ROWS;

    /** Bytes of weights that stay in the second cache while panels go by. */
    private static final long BLOCK_BYTES = 384 << 10;

    private static final long MOST_ROWS = 1024;

    private final TileType type;
    private final Scratch panels;
    private final Scratch products;

    private MachineExperts(NodeBuilder node, ExpertLists lists, TileType type, Scratch panels) {
        super(node, lists, GROUP);
        this.type = type;
        this.panels = panels;
        this.products = node.scratchPerThread(Panel.MOST_COLUMNS * MOST_ROWS * Float.BYTES);
    }

    static void prepare(NodeBuilder node) {
        TileType type = TileType.of(node.operand(0).type).orElseThrow();
        ActivationColumns columns = ActivationColumns.of(node, 1);
        Scratch panels = node.scratch(
                Panel.bytes(type, 1, node.operand(0).d0) * node.result().rows());
        MachineExperts product = new MachineExperts(node, ExpertLists.of(node), type, panels);
        node.add(new Rounding(product, columns, node.threads()));
        node.add(product);
    }

    private long panel(int index, int firstColumn) {
        return panels.address() + Panel.bytes(type, 1, weights.d0) * (lists.first(index) + firstColumn);
    }

    @Override
    int step(int count) {
        return GROUP;
    }

    @Override
    void rows(int index, long from, long to, int thread) {
        PanelWidths widths = new PanelWidths(lists.count(index));
        long rows = Math.clamp(BLOCK_BYTES / weights.s1 / GROUP * GROUP, GROUP, MOST_ROWS);
        for (long block = from; block < to; block += rows) {
            long end = Math.min(to, block + rows);
            for (int panel = 0; panel < widths.count(); panel++) {
                multiply(index, block, end, widths.first(panel), widths.width(panel), thread);
            }
        }
    }

    /** Multiplies some rows with a panel. Its columns belong here and there, so their results are put in place afterwards. */
    private void multiply(int index, long from, long to, int first, int width, int thread) {
        TileKernels.Tile kernel = TileSupport.kernels().tile(type, width);
        long stride = (to - from) * Float.BYTES;
        boolean isAlone = width == 1;
        long target = isAlone ? result(lists.column(index, first), from) : products.address(thread);
        for (long row = from; row < to; row += GROUP) {
            kernel.multiply(
                    weights(index, row),
                    panel(index, first),
                    target + (row - from) * Float.BYTES,
                    stride,
                    weights.d0 / type.span());
        }
        for (int i = 0; i < width && !isAlone; i++) {
            Memory.copy(target + i * stride, result(lists.column(index, first + i), from), stride);
        }
    }

    /** Rounds the columns of every expert, in the order of the lists. */
    private static final class Rounding extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.15;

        private final MachineExperts product;
        private final ActivationColumns columns;
        private final TileKernels.Rounding kernel;

        Rounding(MachineExperts product, ActivationColumns columns, int threads) {
            super(product.result.rows(), product.weights.d0 * NANOS_PER_ELEMENT, threads);
            this.product = product;
            this.columns = columns;
            this.kernel = TileSupport.kernels().rounding(product.type);
        }

        @Override
        protected void run(long from, long to, int thread) {
            ExpertLists lists = product.lists;
            int called = lists.called();
            for (int index = 0; index < called; index++) {
                long start = lists.first(index);
                PanelWidths widths = new PanelWidths(lists.count(index));
                for (long at = Math.max(from, start); at < Math.min(to, start + widths.columns()); at++) {
                    round(index, (int) (at - start), widths);
                }
            }
        }

        private void round(int index, int i, PanelWidths widths) {
            int column = product.lists.column(index, i);
            int panel = widths.panel(i);
            int first = widths.first(panel);
            kernel.round(
                    columns.at(product.place(column), product.token(column), 0),
                    product.weights.d0,
                    product.panel(index, first),
                    widths.width(panel),
                    i - first);
        }
    }
}
