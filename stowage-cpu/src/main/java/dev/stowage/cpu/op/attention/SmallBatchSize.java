package dev.stowage.cpu.op.attention;

import dev.stowage.cpu.kernel.attention.AttentionRowKernels;
import dev.stowage.cpu.kernel.product.FloatTileKernels;

/** How many rows of queries a group of heads has, and at which offsets a {@link SmallBatchRows} keeps what in its memory. */
record SmallBatchSize(int groups, int rows, int padded, long keyBytes, long valueBytes) {

    /** The cells of a block: a multiple of the lanes of any vector. */
    static final int CELLS = 32;

    private static final int LANES = FloatTileKernels.LANES;
    private static final long VECTOR = LANES * 4L;

    static SmallBatchSize of(AttentionOperands attention) {
        int rows = attention.queries * attention.shared;
        int alone = rows % AttentionRowKernels.ROWS == 1 ? 1 : 0;
        int padded = Math.ceilDiv(rows - alone, AttentionRowKernels.ROWS) * AttentionRowKernels.ROWS + alone;
        int groups = attention.heads / attention.shared;
        return new SmallBatchSize(groups, rows, padded, whole(attention.keySize), whole(attention.valueSize));
    }

    private static long whole(int elements) {
        return Math.ceilDiv(elements, LANES) * VECTOR;
    }

    /** The rows that are worked on together from a row on. */
    int together(int row) {
        return padded - row >= AttentionRowKernels.ROWS ? AttentionRowKernels.ROWS : 1;
    }

    /** For each row of a group its mean, and the largest score and the sum of weights. */
    long stateBytes() {
        return Math.ceilDiv(padded * (valueBytes + 8), 64) * 64;
    }

    long scoresAt() {
        return (long) groups * padded * keyBytes;
    }

    long sumsAt() {
        return scoresAt() + CELLS * AttentionRowKernels.ROWS * 4L;
    }

    long maskRowAt() {
        return sumsAt() + CELLS * AttentionRowKernels.ROWS * VECTOR;
    }

    long maskAt() {
        return maskRowAt() + CELLS * 4L;
    }

    /** Four vectors for each row: largest scores, factors, sums and slopes of its lanes. */
    long lanesAt() {
        return maskAt() + CELLS * AttentionRowKernels.ROWS * 4L;
    }

    long keysAt() {
        return lanesAt() + 4L * groups * padded * VECTOR;
    }

    long keyStride() {
        return keyBytes + 64;
    }

    long valuesAt() {
        return keysAt() + CELLS * keyStride();
    }

    long valueStride() {
        return valueBytes + 64;
    }

    long bytes() {
        return valuesAt() + CELLS * valueStride();
    }
}
