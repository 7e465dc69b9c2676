package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;

/**
 * Launches of {@code unit_mm_sm90.cu}: thread blocks that have the same rows and different parts of them are a cluster,
 * and add up their results among themselves.
 *
 * @param tokens the tokens the kernel is made for: 8, 16, 32 or 64
 * @param tiles how many times there are the rows of a block
 * @param parts the parts of a row, each of which is a block of the cluster
 */
record UnitClusters(int tokens, long tiles, int parts) {

    private static final int WARPGROUPS = 2;
    private static final int ROWS = 64 * WARPGROUPS;
    private static final int THREADS = 128 * WARPGROUPS;
    private static final int STAGES = 3;
    private static final int MOST_PARTS = 8;

    /** Weights of a row that are loaded together, and the bytes of as many numbers of a token. */
    private static final int CHUNK = 256;

    private static final int CHUNK_BYTES = CHUNK * Short.BYTES;

    /** Of 100 blocks that would run at the same time, two on a multiprocessor, how many surely do in clusters. */
    private static final int PERCENT_IN_CLUSTERS = 88;

    static UnitClusters of(UnitProduct product, int tokens, Gpu gpu) {
        long tiles = UnitBatch.rowTiles(product, ROWS);
        return new UnitClusters(tokens, tiles, parts(tiles, Math.ceilDiv(product.k(), CHUNK), gpu));
    }

    /** As many blocks as run at the same time, whose parts are as even as can be. */
    private static int parts(long tiles, long chunks, Gpu gpu) {
        long blocks = 2L * gpu.multiprocessors() * PERCENT_IN_CLUSTERS / 100;
        long most = Math.min(Math.min(MOST_PARTS, chunks), blocks / Math.max(1, tiles));
        int best = 1;
        for (int parts = 2; parts <= most; parts++) {
            if (Math.ceilDiv(chunks, parts) < Math.ceilDiv(chunks, best)) {
                best = parts;
            }
        }
        return best;
    }

    Launch launch(UnitProduct product) {
        return Launch.of("unit_mm_clusters_" + product.format().suffix() + "_x" + tokens)
                .grid(tiles * parts)
                .block(THREADS)
                .cluster(parts)
                .shared(sharedBytes());
    }

    /** The ring of tokens, and later the sums of each token. */
    private int sharedBytes() {
        return Math.max(STAGES * tokens * CHUNK_BYTES, tokens * (ROWS + 4) * Float.BYTES);
    }
}
