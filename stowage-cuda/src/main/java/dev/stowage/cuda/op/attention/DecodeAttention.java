package dev.stowage.cuda.op.attention;

import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;

/**
 * Attention of few queries: the cells are split over many blocks, and all heads that share keys are computed together.
 * As many splits as fill the GPU with one block for each multiprocessor, since one has the registers for one.
 */
final class DecodeAttention {

    private static final int MOST_TOKENS = 8;

    /** More rows than this read the cache more often than the kernel for prompts does. */
    private static final int MOST_ROWS = 64;

    private static final int TILE = 16;
    private static final int MOST_WARPS = 8;
    private static final int WARP = 32;

    /** With that many tiles for each warp, a multiprocessor has two blocks that decode a cache of q8_0 in turn. */
    private static final int MANY_TILES = 4;

    private DecodeAttention() {}

    static boolean suits(AttentionOperands a) {
        return a.isForTensorCores()
                && a.tokens <= MOST_TOKENS
                && (a.tokens == 1 || a.tokens * a.headsPerKvHead() <= MOST_ROWS)
                && AttentionOperands.isAligned(a.q, 16)
                && AttentionOperands.isAligned(a.result, 16)
                && isReadable(a.k, a.keySize)
                && isReadable(a.v, a.valueSize);
    }

    /** Rows of q8_0 are copied by words of 4 or 8 bytes, others are loaded by 16. */
    private static boolean isReadable(BoundTensor cache, int size) {
        return cache.type() == ElementType.Q8_0
                ? size % 64 == 0 && AttentionOperands.isAligned(cache, 4)
                : AttentionOperands.isAligned(cache, 16);
    }

    static void launch(AttentionOperands a, LaunchSink out) {
        int rows = a.tokens * a.headsPerKvHead();
        int rowsPerBlock = rows > 8 && a.compiledSize() <= 128 ? 16 : 8;
        int groups = Math.ceilDiv(rows, rowsPerBlock);
        int splits = splits(a, groups, out.gpu());
        int warps = warps(a, splits);
        SplitResults results = new SplitResults(a, splits, out);
        Launch launch = Launch.of(
                        "attention_decode_" + a.k.type().label() + "_h" + a.compiledSize() + "_r" + rowsPerBlock)
                .grid((long) a.kvHeads * groups, splits, a.batches)
                .block(warps * WARP)
                .shared(sharedBytes(a, rowsPerBlock, warps))
                .dependent()
                .view(a.q)
                .view(a.k)
                .view(a.v);
        results.addTo(a.withSinks(a.withMask(launch)));
        out.add(a.withParameters(launch));
        results.combine(out);
    }

    /** One block for each multiprocessor, or two of a long cache of q8_0, but no more splits than there are tiles of cells. */
    static int splits(AttentionOperands a, int groups, Gpu gpu) {
        long blocks = (long) a.kvHeads * groups * a.batches;
        int tiles = Math.ceilDiv(a.cells, TILE);
        long wanted = Math.min(gpu.multiprocessors() / blocks, tiles);
        boolean isDecoded = a.k.type() == ElementType.Q8_0 && tiles >= wanted * MOST_WARPS * MANY_TILES;
        return Math.clamp(isDecoded ? 2 * wanted : wanted, 1, SplitResults.MOST_SPLITS);
    }

    /** A power of two, so that each warp has a tile. */
    private static int warps(AttentionOperands a, int splits) {
        int tiles = Math.ceilDiv(Math.ceilDiv(a.cells, TILE), splits);
        return Math.min(MOST_WARPS, Integer.highestOneBit(Math.max(1, 2 * tiles - 1)));
    }

    /** For the sums of half of the warps when these are added up; before that, q8_0 has its tiles there. */
    private static int sharedBytes(AttentionOperands a, int rows, int warps) {
        int sums = 8 * rows * warps + Float.BYTES * rows * a.compiledSize() * warps / 2;
        if (a.k.type() != ElementType.Q8_0) {
            return sums;
        }
        int blocks = a.compiledSize() / a.k.type().blockSize();
        int stride = Math.ceilDiv(blocks * a.k.type().bytesPerBlock(), 8) * 8 + 8;
        return Math.max(sums, 2 * TILE * stride * warps);
    }
}
