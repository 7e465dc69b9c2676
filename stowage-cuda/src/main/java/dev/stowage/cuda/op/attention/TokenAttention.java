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

    /** With more tiles for each warp than this, using all multiprocessors gains more than the second launch costs. */
    private static final int MOST_TILES = 1;

    /** The blocks of a cluster of a long context: every multiprocessor can have one of them. */
    private static final int LONG_BLOCKS = 2;

    /** Of clusters of 4 and 8 blocks, some multiprocessors of a GPU are left over: 12 of 132 on an H200. */
    private static final int LEFT_OVER = 11;

    /** The tiles of a warp that are under way. */
    private static final int STAGES = 2;

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
        Shape shape = Shape.of(a, out.gpu());
        SplitResults results = new SplitResults(a, shape.splits, out);
        Launch launch = Launch.of("attention_token_f16_h" + a.compiledSize())
                .grid((long) a.kvHeads * shape.splits * shape.blocks, 1, a.batches)
                .block(shape.warps * WARP)
                .cluster(shape.blocks)
                .shared(sharedBytes(a.compiledSize(), shape.warps))
                .dependent()
                .view(a.q)
                .view(a.k)
                .view(a.v);
        results.addTo(a.withSinks(a.withMask(launch)));
        boolean publishesItself = published != null && shape.splits == 1;
        SplitResults.pointer(launch, publishesItself ? published : null).i32(shape.splits);
        out.add(a.withParameters(launch));
        results.combine(published, out);
    }

    /**
     * How cells are shared out.
     *
     * @param blocks the blocks of a cluster
     * @param splits the clusters of a kv head
     */
    private record Shape(int warps, int blocks, int splits) {

        static Shape of(AttentionOperands a, Gpu gpu) {
            int tiles = Math.ceilDiv(a.cells, TILE);
            long heads = (long) a.kvHeads * a.batches;
            int blocks = MOST_BLOCKS;
            while (blocks > 1 && (heads * blocks > room(blocks, gpu) || blocks > tiles)) {
                blocks /= 2;
            }
            int warps = Math.min(MOST_WARPS, powerOfTwo(Math.ceilDiv(tiles, blocks)));
            long splits = room(LONG_BLOCKS, gpu) / (heads * LONG_BLOCKS);
            boolean isLong = tiles > blocks * warps * MOST_TILES && splits * LONG_BLOCKS > blocks;
            return isLong
                    ? new Shape(warps, LONG_BLOCKS, (int) Math.min(splits, SplitResults.MOST_SPLITS))
                    : new Shape(warps, blocks, 1);
        }

        /** How many blocks in clusters of that size run at once, with one on each multiprocessor. */
        private static int room(int blocks, Gpu gpu) {
            int all = gpu.multiprocessors();
            return blocks > LONG_BLOCKS ? all - Math.ceilDiv(all, LEFT_OVER) : all;
        }

        private static int powerOfTwo(int atLeast) {
            return Integer.highestOneBit(Math.max(1, 2 * atLeast - 1));
        }
    }

    /** {@code TokenMemory} of the kernel, parts of 8 blocks and states of blocks and warps, and the ring of each warp. */
    private static int sharedBytes(int size, int warps) {
        int parts = Float.BYTES * (MOST_ROWS * size + 4 * 4 * MOST_BLOCKS);
        int states = 2 * Float.BYTES * MOST_ROWS * (MOST_BLOCKS + MOST_WARPS);
        int tile = TILE * (size * Short.BYTES + 16);
        int bias = WARP * 4 * Float.BYTES;
        return parts + states + warps * STAGES * (2 * tile + bias);
    }
}
