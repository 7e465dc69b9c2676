package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.product.IntegerColumns;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * Products with experts whose rows are interleaved. An expert with few columns is multiplied group of rows by group of
 * rows, two groups half a piece apart at a time; one with many in tiles. The columns of a tile come from here and there,
 * so as much of them as the tile takes is first put side by side, which is little work beside that of the tile.
 */
final class InterleavedExperts extends ExpertTask {

    private static final int GROUP = InterleavedPanel.GROUP;
    private static final int DEPTH = InterleavedPanel.DEPTH;
    private static final int TILE_COLUMNS = InterleavedPanel.COLUMNS;
    private static final int BLOCKS = DEPTH / InterleavedPanel.BLOCK;

    /** From how many columns on tiles are faster; laying weights of four bits out takes longer. */
    private static final int COLUMNS_FOR_FLOATS = 8;

    private static final int COLUMNS_FOR_SHORTS = 16;

    /** Columns whose sums are kept at a time: whole tiles. */
    private static final int SLAB = 84 * TILE_COLUMNS;

    /** Where a gathered column has its scales and sums, and the next column begins. */
    private static final long SCALES = (long) DEPTH * Float.BYTES;

    private static final long SUMS = SCALES + (long) BLOCKS * Float.BYTES;
    private static final long STRIDE = SUMS + (long) BLOCKS * Float.BYTES;

    private final ActivationColumns columns;
    private final @Nullable QuantizedColumns rounded;
    private final InterleavedGroups groups;
    private final InterleavedPanel panel;
    private final boolean tilesTakeIntegers;
    private final int columnsForTiles;
    private final Scratch gathered;
    private final Scratch sums;

    private InterleavedExperts(
            NodeBuilder node, ExpertLists lists, ActivationColumns columns, @Nullable QuantizedColumns rounded) {
        super(node, lists, GROUP);
        this.columns = columns;
        this.rounded = rounded;
        this.groups = new InterleavedGroups(node);
        this.panel = InterleavedPanel.of(node);
        this.tilesTakeIntegers = InterleavedPanel.takesIntegers(weights.type);
        this.columnsForTiles = tilesTakeIntegers ? COLUMNS_FOR_SHORTS : COLUMNS_FOR_FLOATS;
        this.gathered = node.scratchPerThread(TILE_COLUMNS * STRIDE);
        long most = Math.min(SLAB, Math.ceilDiv(result.rows(), TILE_COLUMNS) * TILE_COLUMNS);
        this.sums = node.scratchPerThread(most * panel.rows() * Float.BYTES);
    }

    static void prepare(NodeBuilder node) {
        ElementType type = node.operand(0).type;
        // What becomes whole numbers is rounded on the way.
        ActivationColumns columns = InterleavedPanel.takesIntegers(type)
                ? ActivationColumns.of(node, 1)
                : ActivationColumns.forWeights(node);
        QuantizedColumns rounded = InterleavedGroups.takeIntegers(type)
                ? QuantizedColumns.of(node, columns, type.blockSize(), type == ElementType.Q6_K)
                : null;
        node.add(new InterleavedExperts(node, ExpertLists.of(node), columns, rounded));
    }

    @Override
    int step(int count) {
        return count < columnsForTiles ? GROUP : panel.rows();
    }

    @Override
    void rows(int index, long from, long to, int thread) {
        int count = lists.count(index);
        if (count < columnsForTiles) {
            groupByGroup(index, count, from, to, thread);
            return;
        }
        for (int first = 0; first < count; first += SLAB) {
            int slab = Math.min(SLAB, count - first);
            for (long row = from; row < to; row += panel.rows()) {
                tile(index, row, (int) Math.min(panel.rows(), to - row), first, slab, thread);
            }
        }
    }

    private void groupByGroup(int index, int count, long from, long to, int thread) {
        long apart = Math.ceilDiv((to - from) / GROUP, 2) * GROUP;
        for (long row = from; row < from + apart; row += GROUP) {
            boolean alone = row + apart >= to;
            for (int i = 0; i < count; i++) {
                int column = lists.column(index, i);
                groups.multiply(
                        weights(index, row),
                        alone ? 0 : apart * weights.s1,
                        rounded == null ? floats(column) : integers(rounded, column),
                        result(column, row),
                        alone ? 0 : apart * Float.BYTES,
                        thread);
            }
        }
    }

    private long floats(int column) {
        return columns.at(place(column), token(column), 0);
    }

    private long integers(QuantizedColumns from, int column) {
        return from.at(place(column), token(column), 0);
    }

    /** Computes a tile of rows for the columns of a slab. */
    private void tile(int index, long row, int rows, int first, int slab, int thread) {
        int depth = (int) weights.d0;
        long c = sums.address(thread);
        long tileBytes = (long) TILE_COLUMNS * panel.rows() * Float.BYTES;
        int tiles = Math.ceilDiv(slab, TILE_COLUMNS);
        long column = gathered.address(thread);
        PanelKernels.zero(c, tiles * tileBytes / Float.BYTES);
        for (int k = 0; k < depth; k += DEPTH) {
            int steps = Math.min(DEPTH, depth - k);
            panel.layOut(weights(index, row), rows, k, steps, thread);
            for (int tile = 0; tile < tiles; tile++) {
                gather(index, first + tile * TILE_COLUMNS, k, steps, column);
                panel.multiply(column, column + SCALES, column + SUMS, STRIDE, steps, c + tile * tileBytes, thread);
            }
        }
        for (int i = 0; i < slab; i++) {
            long from = c + (long) i * panel.rows() * Float.BYTES;
            PanelKernels.copy(from, result(lists.column(index, first + i), row), rows);
        }
    }

    /** Puts parts of the next columns side by side; where there are too few, the last one several times. */
    private void gather(int index, int first, int k, int steps, long to) {
        int last = lists.count(index) - 1;
        for (int i = 0; i < TILE_COLUMNS; i++) {
            int number = lists.column(index, Math.min(first + i, last));
            long target = to + i * STRIDE;
            if (rounded == null || !tilesTakeIntegers) {
                PanelKernels.copy(floats(number) + (long) k * Float.BYTES, target, steps);
                continue;
            }
            long column = integers(rounded, number);
            int blocks = steps / InterleavedPanel.BLOCK;
            long block = (long) (k / InterleavedPanel.BLOCK) * Float.BYTES;
            PanelKernels.copy(column + (long) k * Integer.BYTES, target, steps);
            PanelKernels.copy(IntegerColumns.scales(column, weights.d0) + block, target + SCALES, blocks);
            PanelKernels.copy(IntegerColumns.sums(column, weights.d0) + block, target + SUMS, blocks);
        }
    }
}
