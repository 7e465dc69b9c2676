package dev.stowage.cpu.op.attention;

import dev.stowage.cpu.kernel.attention.AttentionTileKernels;
import dev.stowage.cpu.kernel.product.FloatTileKernels;

/** How a node of attention is cut into blocks of queries, and where in its memory a {@link QueryBlock} has what. */
record QueryBlockSize(int queries, int blocks, int rows, int keySize, int valueSize, int maskWidth) {

    private static final int LANES = FloatTileKernels.LANES;

    private static final int MOST_QUERIES = 128;

    static QueryBlockSize of(AttentionOperands attention) {
        int rows = attention.rowsWanted();
        int wanted = Math.clamp(rows / attention.shared / LANES * (long) LANES, LANES, MOST_QUERIES);
        int queries = Math.min(wanted, attention.queries);
        int perHead = queries >= LANES ? Math.ceilDiv(queries, LANES) * LANES : queries;
        int lanes = Math.ceilDiv(perHead * attention.shared, LANES) * LANES;
        int valueSize = Math.ceilDiv(attention.valueSize, AttentionTileKernels.COLUMNS) * AttentionTileKernels.COLUMNS;
        return new QueryBlockSize(
                queries,
                Math.ceilDiv(attention.queries, queries),
                lanes,
                attention.keySize,
                valueSize,
                attention.mask == null ? 0 : lanes);
    }

    /** Means, largest scores and sums. */
    long stateBytes() {
        return Math.ceilDiv((valueSize + 2L) * rows * 4, 64) * 64;
    }

    long queriesAt() {
        return stateBytes();
    }

    long scoresAt() {
        return queriesAt() + (long) keySize * rows * 4;
    }

    long factorsAt() {
        return scoresAt() + (QueryBlock.CELLS + FloatTileKernels.ROWS) * (long) rows * 4;
    }

    long slopesAt() {
        return factorsAt() + rows * 4L;
    }

    long maskRowAt() {
        return slopesAt() + rows * 4L;
    }

    long maskAt() {
        return maskRowAt() + (long) QueryBlock.CELLS * LANES * 4;
    }

    long keysAt() {
        return Math.ceilDiv(maskAt() + (long) QueryBlock.CELLS * maskWidth * 4, 64) * 64;
    }

    /** An odd number of cache lines, so that cells do not fall on each other in the cache. */
    long keyStride() {
        return (Math.ceilDiv(keySize, 16) | 1) * 64L;
    }

    long valuesAt() {
        return keysAt() + (QueryBlock.CELLS + FloatTileKernels.ROWS) * keyStride();
    }

    long valueStride() {
        return (Math.ceilDiv(valueSize, 16) | 1) * 64L;
    }

    long bytes() {
        return valuesAt() + QueryBlock.CELLS * valueStride();
    }
}
