package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.cpu.kernel.product.FloatTileKernels;
import dev.stowage.cpu.kernel.product.PackKernels;
import dev.stowage.cpu.kernel.product.RowDots;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Scratch;

/**
 * Products with experts whose weights are not interleaved. An expert with few columns is multiplied row by row, four rows
 * that are far apart at a time as {@link RowProduct} has it; one with many in tiles, as {@link TileProduct} has it.
 */
final class ExpertProduct extends ExpertTask {

    private static final int TOGETHER = 4;

    /** How many numbers of a row are decoded at a time; a multiple of every block size. */
    private static final int DEPTH = 256;

    private static final long DEPTH_BYTES = (long) DEPTH * Float.BYTES;

    private static final int TILE_ROWS = FloatTileKernels.ROWS;

    /** Rows that are decoded at a time: whole tiles. */
    private static final int BLOCK_ROWS = 16 * TILE_ROWS;

    private static final int LANES = FloatTileKernels.LANES;

    /** Vectors of columns whose sums are kept at a time: whole panels of the widest. */
    private static final int SLAB = 512 / LANES;

    private final ActivationColumns columns;
    private final RowDots dots;
    private final RowDecoder decoder;
    private final Scratch workspace;
    private final Scratch packed;
    private final Scratch decoded;
    private final Scratch sums;

    private ExpertProduct(NodeBuilder node, ExpertLists lists, ActivationColumns columns, Scratch packed) {
        super(node, lists, TILE_ROWS);
        this.columns = columns;
        this.dots = RowDots.of(weights.type, weights.d0);
        this.decoder = RowDecoder.of(weights.type);
        this.workspace = node.scratchPerThread(dots.workspaceBytes());
        this.packed = packed;
        this.decoded = node.scratchPerThread(BLOCK_ROWS * DEPTH_BYTES);
        this.sums = node.scratchPerThread(
                Math.min(SLAB, Math.ceilDiv(result.rows(), LANES)) * LANES * BLOCK_ROWS * Float.BYTES);
    }

    static void prepare(NodeBuilder node, ActivationColumns columns) {
        ExpertLists lists = ExpertLists.of(node);
        long vectors = ExpertLists.mostPacked(node.result().rows(), node.operand(0).d2);
        Scratch packed = node.scratch(Math.max(1, vectors) * LANES * node.operand(1).d0 * Float.BYTES);
        if (vectors > 0) {
            node.add(new ExpertPacking(node, lists, columns, packed));
        }
        node.add(new ExpertProduct(node, lists, columns, packed));
    }

    @Override
    int step(int count) {
        return count < ExpertLists.COLUMNS_FOR_TILES ? TOGETHER : TILE_ROWS;
    }

    @Override
    void rows(int index, long from, long to, int thread) {
        int count = lists.count(index);
        if (count < ExpertLists.COLUMNS_FOR_TILES) {
            rowByRow(index, count, from, to, workspace.address(thread));
            return;
        }
        int vectors = lists.packed(index + 1) - lists.packed(index);
        for (int first = 0; first < vectors; first += SLAB) {
            int last = Math.min(vectors, first + SLAB);
            for (long row = from; row < to; row += BLOCK_ROWS) {
                block(index, row, (int) Math.min(BLOCK_ROWS, to - row), first, last, thread);
            }
        }
    }

    private void rowByRow(int index, int count, long from, long to, long products) {
        long apart = (to - from) / TOGETHER;
        for (long row = from; row < from + apart; row++) {
            for (int i = 0; i < count; i++) {
                int column = lists.column(index, i);
                dots.multiply(weights(index, row), apart * weights.s1, column(column), products);
                long target = result(column, row);
                for (int part = 0; part < TOGETHER; part++) {
                    float product = Memory.getFloat(products + (long) part * Float.BYTES);
                    Memory.setFloat(target + part * apart * Float.BYTES, product);
                }
            }
        }
        for (long row = from + apart * TOGETHER; row < to; row++) {
            for (int i = 0; i < count; i++) {
                int column = lists.column(index, i);
                dots.multiply(weights(index, row), 0, column(column), products);
                Memory.setFloat(result(column, row), Memory.getFloat(products));
            }
        }
    }

    private long column(int column) {
        return columns.at(place(column), token(column), 0);
    }

    /** Multiplies a block of rows with the panels from vector {@code first} on, and before {@code last}. */
    private void block(int index, long row, int rows, int first, int last, int thread) {
        int tiles = Math.ceilDiv(rows, TILE_ROWS);
        int depth = (int) weights.d0;
        long a = decoded.address(thread);
        long b = packed.address() + (long) lists.packed(index) * LANES * depth * Float.BYTES;
        long c = sums.address(thread);
        PanelKernels.zero(c, (long) (last - first) * LANES * tiles * TILE_ROWS);
        PanelKernels.zero(a + rows * DEPTH_BYTES, (long) (tiles * TILE_ROWS - rows) * DEPTH);
        for (int k = 0; k < depth; k += DEPTH) {
            int steps = Math.min(DEPTH, depth - k);
            long from = weights(index, row) + weights.type.rowBytes(k);
            for (int i = 0; i < rows; i++) {
                decoder.decode(from + i * weights.s1, a + i * DEPTH_BYTES, steps);
            }
            for (int vector = first; vector < last; vector += ExpertPacking.vectors(last - vector)) {
                int vectors = ExpertPacking.vectors(last - vector);
                long width = (long) vectors * LANES * Float.BYTES;
                long panel = b + (long) vector * LANES * depth * Float.BYTES + k * width;
                long sum = c + (long) (vector - first) * LANES * tiles * TILE_ROWS * Float.BYTES;
                for (int tile = 0; tile < tiles; tile++) {
                    FloatTileKernels.tile(
                            vectors,
                            a + (long) tile * TILE_ROWS * DEPTH_BYTES,
                            DEPTH_BYTES,
                            panel,
                            steps,
                            sum + (long) tile * TILE_ROWS * width);
                }
            }
        }
        write(index, row, rows, first, last, c);
    }

    private void write(int index, long row, int rows, int first, int last, long c) {
        int paddedRows = Math.ceilDiv(rows, TILE_ROWS) * TILE_ROWS;
        int count = lists.count(index);
        for (int vector = first; vector < last; vector += ExpertPacking.vectors(last - vector)) {
            int width = ExpertPacking.vectors(last - vector) * LANES;
            long sum = c + (long) (vector - first) * LANES * paddedRows * Float.BYTES;
            for (int i = 0; i < width && vector * LANES + i < count; i++) {
                int column = lists.column(index, vector * LANES + i);
                PackKernels.gather(sum + (long) i * Float.BYTES, (long) width * Float.BYTES, rows, result(column, row));
            }
        }
    }
}
