package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;

/**
 * How a product is divided by {@code gemm_sm90.cu}: persistent blocks, one on each multiprocessor, take tiles of
 * {@value #TOKENS} tokens by some weights in turn, and all wait for the last.
 *
 * @param blocks how many blocks there are
 */
record HopperTiles(TileWidth width, long blocks) {

    static final int TOKENS = TileWidth.TOKENS;

    private static final int THREADS = 384;

    /** The tiles with which the last multiprocessor is done first. */
    static HopperTiles of(Gpu gpu, long tokenTiles, long weights) {
        TileWidth width = TileWidth.best(tokenTiles, weights, gpu.multiprocessors());
        long tiles = tokenTiles * Math.ceilDiv(weights, width.weights());
        return new HopperTiles(width, Math.min(tiles, gpu.multiprocessors()));
    }

    /** The rows of weights that are copied at once: half of a tile. */
    int boxRows() {
        return width.weights() / 2;
    }

    /** A launch of a kernel of that kind without its arguments. */
    Launch launch(String kind, HalfType type) {
        return Launch.of("gemm_sm90_" + kind + width.weights() + "_" + type.suffix())
                .grid(blocks)
                .block(THREADS)
                .dependent()
                .shared(width.sharedBytes());
    }
}
