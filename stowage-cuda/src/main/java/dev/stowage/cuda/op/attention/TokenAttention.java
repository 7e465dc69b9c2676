package dev.stowage.cuda.op.attention;

import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * Attention of one token, or of few with up to 8 rows for a kv head, on Hopper: the thread blocks that share the cells
 * of a kv head are a cluster and combine their sums themselves, so that one launch is all. Long contexts have several
 * clusters for each kv head and {@link SplitResults#combine a second launch}.
 */
final class TokenAttention {

    private static final int MOST_ROWS = 8;
    private static final int MOST_SIZE = 128;
    private static final int TILE = 16;
    private static final int MOST_WARPS = 8;
    private static final int WARP = 32;
    private static final int MOST_BLOCKS = 8;

    /** With more tiles for each warp than this, a second cluster gains more than the second launch costs. */
    private static final int MOST_TILES = 4;

    private static final int QUANTIZED_GROUP = 16;

    private TokenAttention() {}

    static boolean suits(AttentionOperands a, Gpu gpu) {
        return gpu.isHopper()
                && a.isForTensorCores()
                && a.k.type() == ElementType.F16
                && a.compiledSize() <= MOST_SIZE
                && a.tokens * a.headsPerKvHead() <= MOST_ROWS
                && AttentionOperands.isAligned(a.q, 16)
                && AttentionOperands.isAligned(a.result, 16)
                && AttentionOperands.isAligned(a.k, 16)
                && AttentionOperands.isAligned(a.v, 16);
    }

    /** Whether the result can be stored as one vector of quantised activations. */
    static boolean canPublish(AttentionOperands a, Gpu gpu) {
        return suits(a, gpu) && a.tokens == 1 && a.batches == 1 && a.valueSize % QUANTIZED_GROUP == 0;
    }

    /**
     * Adds the launches.
     *
     * @param published where the result goes as quantised activations, and not to its tensor; null if it does not
     */
    static void launch(AttentionOperands a, @Nullable Scratch published, LaunchSink out) {
        int tiles = Math.ceilDiv(a.cells, TILE);
        int blocks = blocks(a, tiles, out.gpu());
        int warps = Math.min(MOST_WARPS, powerOfTwo(Math.ceilDiv(tiles, blocks)));
        int splits = splits(a, tiles, blocks, warps, out.gpu());
        SplitResults results = new SplitResults(a, splits, out);
        Launch launch = Launch.of("attention_token_f16_h" + a.compiledSize())
                .grid((long) a.kvHeads * splits * blocks, 1, a.batches)
                .block(warps * WARP)
                .cluster(blocks)
                .shared(sharedBytes(a.compiledSize(), warps))
                .dependent()
                .view(a.q)
                .view(a.k)
                .view(a.v);
        results.addTo(a.withSinks(a.withMask(launch)));
        boolean publishesItself = published != null && splits == 1;
        SplitResults.pointer(launch, publishesItself ? published : null).i32(splits);
        out.add(a.withParameters(launch));
        results.combine(published, out);
    }

    /** The blocks of a cluster: as many as there are multiprocessors for, but no more than tiles. */
    private static int blocks(AttentionOperands a, int tiles, Gpu gpu) {
        long clusters = (long) a.kvHeads * a.batches;
        int blocks = MOST_BLOCKS;
        while (blocks > 1 && (clusters * blocks > gpu.multiprocessors() || blocks > tiles)) {
            blocks /= 2;
        }
        return blocks;
    }

    /** The clusters of a kv head. */
    private static int splits(AttentionOperands a, int tiles, int blocks, int warps, Gpu gpu) {
        long room = gpu.multiprocessors() / ((long) a.kvHeads * a.batches * blocks);
        long wanted = Math.ceilDiv(tiles, blocks * warps * MOST_TILES);
        return Math.clamp(Math.min(room, wanted), 1, SplitResults.MOST_SPLITS);
    }

    private static int powerOfTwo(int atLeast) {
        return Integer.highestOneBit(Math.max(1, 2 * atLeast - 1));
    }

    /** {@code TokenMemory} of the kernel: parts of 8 blocks, states of blocks and warps, and the sums of each warp. */
    private static int sharedBytes(int size, int warps) {
        int parts = Float.BYTES * (MOST_ROWS * size + 4 * 4 * MOST_BLOCKS);
        int states = 2 * Float.BYTES * MOST_ROWS * (MOST_BLOCKS + MOST_WARPS);
        return parts + states + warps * MOST_ROWS * (size + 4) * Float.BYTES;
    }
}
