package dev.stowage.cuda.op.matrix;

/**
 * How many weights a tile of {@code gemm_sm90.cu} has. Wide tiles load less per multiplication; narrow ones divide the
 * work more evenly over the multiprocessors, which all take tiles of 128 tokens in turn and wait for the last.
 */
enum TileWidth {
    // Stages fill what shared memory a block can have; the speeds are relative, per multiprocessor.
    W256(256, 4, 1.0),
    W192(192, 5, 0.98),
    W128(128, 6, 0.95),
    W64(64, 8, 0.75);

    static final int TOKENS = 128;

    /** Shared memory before the first buffer, which is aligned to this. */
    private static final int ALIGNMENT = 1024;

    private final int weights;
    private final int stages;
    private final double speed;

    TileWidth(int weights, int stages, double speed) {
        this.weights = weights;
        this.stages = stages;
        this.speed = speed;
    }

    /** The width with which the last multiprocessor is done first. */
    static TileWidth best(long tokenTiles, long weights, int multiprocessors) {
        TileWidth best = W256;
        for (TileWidth width : values()) {
            if (width.time(tokenTiles, weights, multiprocessors) < best.time(tokenTiles, weights, multiprocessors)) {
                best = width;
            }
        }
        return best;
    }

    private double time(long tokenTiles, long count, int multiprocessors) {
        long tiles = tokenTiles * Math.ceilDiv(count, weights);
        return Math.ceilDiv(tiles, multiprocessors) * weights / speed;
    }

    int weights() {
        return weights;
    }

    int sharedBytes() {
        return ALIGNMENT + stages * (TOKENS + weights) * Gemm.STEP * 2;
    }
}
