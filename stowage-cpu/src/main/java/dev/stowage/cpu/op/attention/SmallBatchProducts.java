package dev.stowage.cpu.op.attention;

import dev.stowage.cpu.kernel.attention.AttentionRowKernels;
import dev.stowage.cpu.kernel.attention.AttentionScoreKernels;
import dev.stowage.cpu.kernel.product.FloatTileKernels;
import dev.stowage.cpu.machine.row.AttentionKernels;
import dev.stowage.cpu.machine.row.AttentionKernels.Attention;
import dev.stowage.cpu.machine.row.RowSupport;
import dev.stowage.tensor.ElementType;
import java.util.Optional;

/**
 * The two products of a small block of cells and a few rows of queries. Machine code takes keys and values of halves as they are,
 * and fetches those of the next block meanwhile; otherwise they are decoded when the first row asks for them, and used by all.
 */
final class SmallBatchProducts {

    private static final int LANES = FloatTileKernels.LANES;

    private final AttentionOperands attention;
    private final SmallBatchSize size;
    private final Optional<AttentionKernels> keyCode;
    private final Optional<AttentionKernels> valueCode;

    private long key;
    private long nextKey;
    private long value;
    private long nextValue;
    private int cells;
    private long decodedKeys;
    private long decodedValues;
    private boolean hasKeys;
    private boolean hasValues;

    SmallBatchProducts(AttentionOperands attention, SmallBatchSize size) {
        this.attention = attention;
        this.size = size;
        this.keyCode = attention.k.type == ElementType.F16 && attention.keySize % Attention.KEY_ELEMENTS == 0
                ? RowSupport.attention(attention.keySize).filter(kernels -> kernels.lanes() == LANES)
                : Optional.empty();
        this.valueCode = attention.v.type == ElementType.F16 && attention.valueSize % Attention.VALUE_ELEMENTS == 0
                ? RowSupport.attention(attention.valueSize)
                : Optional.empty();
    }

    /**
     * Takes up a block of cells.
     *
     * @param newKey its first key
     * @param keyAfter the first key of the block after it, or any number
     * @param newValue its first value
     * @param valueAfter the first value of the block after it, or any number
     * @param scratch the memory of the thread
     */
    void take(long newKey, long keyAfter, long newValue, long valueAfter, int newCells, long scratch) {
        key = newKey;
        nextKey = keyAfter - newKey;
        value = newValue;
        nextValue = valueAfter - newValue;
        cells = newCells;
        decodedKeys = scratch + size.keysAt();
        decodedValues = scratch + size.valuesAt();
        hasKeys = false;
        hasValues = false;
    }

    /** Computes the scores of some rows of queries; those after the last cell are of no meaning. */
    void score(int rows, long queries, long sums, long scores) {
        int step = Math.max(AttentionRowKernels.CELLS, LANES / rows);
        if (keyCode.isPresent() && cells % step == 0) {
            keyCode.get()
                    .scores(rows)
                    .multiply(key, attention.k.s1, cells / Attention.KEYS, queries, attention.keySize, sums, nextKey);
            AttentionRowKernels.fold(sums, rows * cells, scores);
            return;
        }
        if (!hasKeys) {
            attention.keys.decode(key, attention.k.s1, decodedKeys, size.keyStride(), cells, nextKey);
            hasKeys = true;
        }
        int whole = Math.ceilDiv(cells, step) * step;
        AttentionRowKernels.scores(
                rows, decodedKeys, size.keyStride(), whole, queries, size.keyBytes(), size.keyBytes(), sums, scores);
    }

    /** Adds values times the weights of some rows to their means. */
    void addValues(int rows, long weights, long means) {
        boolean haveZero = AttentionRowKernels.haveZero(weights, Math.ceilDiv(cells * rows, LANES));
        if (!haveZero && valueCode.isPresent()) {
            valueCode
                    .get()
                    .means(rows)
                    .multiply(value, attention.v.s1, cells, weights, attention.valueSize, means, nextValue);
            return;
        }
        if (!hasValues) {
            attention.values.decode(value, attention.v.s1, decodedValues, size.valueStride(), cells, nextValue);
            hasValues = true;
        }
        long bytes = size.valueBytes();
        if (!haveZero || areFinite()) {
            AttentionRowKernels.values(rows, decodedValues, size.valueStride(), weights, cells, means, bytes, bytes);
        } else {
            AttentionRowKernels.sparse(
                    rows, decodedValues, size.valueStride(), weights, cells, means, bytes, attention.valueSize);
        }
    }

    private boolean areFinite() {
        return AttentionScoreKernels.areFinite(decodedValues, size.valueStride(), cells, attention.valueSize);
    }
}
