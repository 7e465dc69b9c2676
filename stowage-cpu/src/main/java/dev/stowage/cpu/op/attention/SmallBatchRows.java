package dev.stowage.cpu.op.attention;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.attention.AttentionMaskKernels;
import dev.stowage.cpu.kernel.attention.AttentionRowKernels;
import dev.stowage.cpu.kernel.attention.AttentionScoreKernels;
import dev.stowage.cpu.kernel.codec.HalfKernels;
import dev.stowage.cpu.kernel.product.FloatTileKernels;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;

/**
 * The few rows of queries of each group of heads, and what one thread has for working on them. Keys and values of a
 * group are decoded a small block of cells at a time, and all its rows use them while they are in the L1 cache: rows in
 * fours, and a last one alone. The groups alternate at each block, as caches of keys and values hold all heads of a
 * cell side by side, and memory is fastest when read in address order.
 *
 * <p>A vector of scores holds, of four rows, as many cells as there is room for; lanes of one row share a largest score.
 */
final class SmallBatchRows {

    private static final int CELLS = SmallBatchSize.CELLS;
    private static final int LANES = FloatTileKernels.LANES;
    private static final long VECTOR = LANES * 4L;

    private final AttentionOperands attention;
    private final SmallBatchSize size;
    private final Scratch scratch;
    private final int thread;
    private final SmallBatchProducts products;

    private long state;
    private long batch;
    private long head;
    private long group;
    private int firstCell;

    SmallBatchRows(AttentionOperands attention, SmallBatchSize size, Scratch scratch, int thread) {
        this.attention = attention;
        this.size = size;
        this.scratch = scratch;
        this.thread = thread;
        this.products = new SmallBatchProducts(attention, size);
    }

    private long at(long offset) {
        return scratch.address(thread) + offset;
    }

    private long maxima(int row) {
        return at(size.lanesAt()) + (group * size.padded() + row) * 4 * VECTOR;
    }

    private long factors(int row) {
        return maxima(row) + VECTOR;
    }

    private long sums(int row) {
        return maxima(row) + 2 * VECTOR;
    }

    private long slopes(int row) {
        return maxima(row) + 3 * VECTOR;
    }

    private long queries(int row) {
        return at((group * size.padded() + row) * size.keyBytes());
    }

    private long mean(int row) {
        return state + group * size.stateBytes() + row * size.valueBytes();
    }

    private int query(int row) {
        return row / attention.shared;
    }

    private long headOf(int row) {
        return head + row % attention.shared;
    }

    /** Lets all queries of a batch see a range of cells, and leaves what comes of it in a state for each group. */
    void attend(long newBatch, int from, int to, long newState) {
        batch = newBatch;
        state = newState;
        if (attention.keySize % LANES != 0 || attention.valueSize % LANES != 0) {
            // What is stored after the elements of a row is read with it.
            PanelKernels.zero(at(size.keysAt()), (size.bytes() - size.keysAt()) / 4);
        }
        for (int i = 0; i < size.groups(); i++) {
            take(i);
            begin();
        }
        for (int cell = from; cell < to; cell += CELLS) {
            for (int i = 0; i < size.groups(); i++) {
                take(i);
                attendBlock(cell, Math.min(CELLS, to - cell));
            }
        }
        for (int i = 0; i < size.groups(); i++) {
            take(i);
            for (int row = 0; row < size.padded(); row += size.together(row)) {
                leave(row, size.together(row));
            }
        }
    }

    private void take(long newGroup) {
        group = newGroup;
        head = newGroup * attention.shared;
    }

    private void begin() {
        PanelKernels.zero(mean(0), size.padded() * size.valueBytes() / 4);
        PanelKernels.zero(queries(0), size.padded() * size.keyBytes() / 4);
        for (int row = 0; row < size.rows(); row++) {
            long query = attention.query(query(row), headOf(row), batch);
            AttentionRowKernels.scale(query, attention.scale, queries(row), attention.keySize);
        }
        for (int row = 0; row < size.padded(); row += size.together(row)) {
            for (int lane = 0; lane < LANES; lane++) {
                int of = Math.min(row + lane % size.together(row), size.rows() - 1);
                Memory.setFloat(maxima(row) + lane * 4L, Float.NEGATIVE_INFINITY);
                Memory.setFloat(sums(row) + lane * 4L, 0);
                Memory.setFloat(slopes(row) + lane * 4L, attention.slope(headOf(of)));
            }
        }
    }

    private void attendBlock(int cell, int cells) {
        firstCell = cell;
        Operand mask = attention.mask;
        int from = 0;
        int to = cells;
        if (mask != null) {
            from = cells;
            to = 0;
            for (int row = 0; row < size.rows(); row += maskStep()) {
                from = AttentionMaskKernels.first(maskRow(mask, row), mask.s1, 1, from);
                to = AttentionMaskKernels.end(maskRow(mask, row), mask.s1, 1, Math.max(from, to), cells);
            }
        }
        if (from >= to) {
            return;
        }
        firstCell = cell + from;
        takeBlock(to - from);
        for (int row = 0; row < size.padded(); row += size.together(row)) {
            attendRows(row, size.together(row), to - from);
        }
    }

    /** Rows from one with a mask of its own to the next. */
    private int maskStep() {
        return attention.hasMaskPerHead() ? 1 : attention.shared;
    }

    private long maskRow(Operand mask, int row) {
        return AttentionOperands.maskRow(mask, query(row), headOf(row), batch) + firstCell * 2L;
    }

    private void takeBlock(int cells) {
        products.take(
                attention.key(firstCell, head, batch),
                attention.key(nextCell(), nextHead(), batch),
                attention.value(firstCell, head, batch),
                attention.value(nextCell(), nextHead(), batch),
                cells,
                at(0));
    }

    /** The first cell of the block after this one: the same one for the next group, or the next one for the first. */
    private int nextCell() {
        return group + 1 < size.groups() ? firstCell : firstCell + CELLS;
    }

    private long nextHead() {
        return (group + 1) % size.groups() * attention.shared;
    }

    /**
     * In steps of their own, as the compiler puts vectors onto the heap where it makes one piece of too many kernels.
     */
    private void attendRows(int row, int rows, int cells) {
        int vectors = Math.ceilDiv(cells * rows, LANES);
        products.score(rows, queries(row), at(size.sumsAt()), at(size.scoresAt()));
        weigh(row, rows, cells, vectors);
        products.addValues(rows, at(size.scoresAt()), mean(row));
    }

    private void weigh(int row, int rows, int cells, int vectors) {
        long scores = at(size.scoresAt());
        if (attention.cap != 0) {
            AttentionScoreKernels.bound(scores, VECTOR, vectors, attention.cap);
        }
        mask(row, rows, cells, scores, vectors);
        for (int i = cells * rows; i < vectors * LANES; i++) {
            Memory.setFloat(scores + i * 4L, Float.NEGATIVE_INFINITY);
        }
        raise(row, rows, scores, vectors);
        AttentionScoreKernels.weigh(scores, VECTOR, vectors, maxima(row), factors(row), sums(row));
    }

    private void mask(int row, int rows, int cells, long scores, int vectors) {
        Operand mask = attention.mask;
        if (mask == null || isOpen(mask, row, rows, cells)) {
            return;
        }
        for (int i = 0; i < rows; i++) {
            HalfKernels.toFloats(maskRow(mask, Math.min(row + i, size.rows() - 1)), at(size.maskRowAt()), cells);
            AttentionMaskKernels.spread(at(size.maskRowAt()), cells, at(size.maskAt()) + i * 4L, rows * 4L);
        }
        AttentionScoreKernels.mask(scores, VECTOR, vectors, at(size.maskAt()), VECTOR, slopes(row));
    }

    private boolean isOpen(Operand mask, int row, int rows, int cells) {
        boolean open = true;
        for (int i = row; i < Math.min(row + rows, size.rows()); i++) {
            if (i == row || i % maskStep() == 0) {
                open &= AttentionMaskKernels.isOpen(maskRow(mask, i), mask.s1, 1, cells);
            }
        }
        return open;
    }

    /** Finds the largest score of each row, and makes smaller what earlier cells gave where there is a larger one. */
    private void raise(int row, int rows, long scores, int vectors) {
        long max = maxima(row);
        long factor = factors(row);
        PanelKernels.copy(max, factor, LANES);
        AttentionRowKernels.largest(scores, vectors, max);
        for (int i = 0; i < rows; i++) {
            float before = Memory.getFloat(factor + i * 4L);
            float largest = Float.NEGATIVE_INFINITY;
            for (int lane = i; lane < LANES; lane += rows) {
                largest = Math.max(largest, Memory.getFloat(max + lane * 4L));
            }
            float smaller = largest == before ? 1 : (float) Math.pow(2, (double) before - largest);
            for (int lane = i; lane < LANES; lane += rows) {
                Memory.setFloat(max + lane * 4L, largest);
                Memory.setFloat(factor + lane * 4L, smaller);
            }
            if (smaller != 1) {
                AttentionRowKernels.scale(mean(row + i), smaller, mean(row + i), attention.valueSize);
            }
        }
    }

    /** Writes largest scores and sums after the means. */
    private void leave(int row, int rows) {
        long numbers = mean(size.padded());
        for (int i = 0; i < rows; i++) {
            float sum = 0;
            for (int lane = i; lane < LANES; lane += rows) {
                sum += Memory.getFloat(sums(row) + lane * 4L);
            }
            Memory.setFloat(numbers + (row + i) * 8L, Memory.getFloat(maxima(row) + i * 4L));
            Memory.setFloat(numbers + (row + i) * 8L + 4, sum);
        }
    }
}
