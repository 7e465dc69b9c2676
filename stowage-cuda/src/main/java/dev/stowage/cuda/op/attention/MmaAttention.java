package dev.stowage.cuda.op.attention;

import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/** Attention of many queries by the tensor cores of sm_80 and later: blocks of 64 rows, tiles of 64 or 32 cells. */
final class MmaAttention {

    private static final int ROWS = 64;
    private static final int THREADS = 128;

    /** Tiles that a split has at least. */
    private static final int LEAST_TILES = 4;

    private MmaAttention() {}

    static boolean suits(AttentionOperands a, Gpu gpu) {
        return a.isForTensorCores()
                && gpu.capability() >= 80
                && sharedBytes(a) <= gpu.sharedBytesPerBlock()
                && a.heads <= GridLimits.MOST_Z
                && AttentionOperands.isAligned(a.q, 8)
                && AttentionOperands.isAligned(a.result, 8)
                && isReadable(a.k)
                && isReadable(a.v);
    }

    private static boolean isReadable(BoundTensor cache) {
        return AttentionOperands.isAligned(cache, cache.type() == ElementType.Q8_0 ? 2 : 16);
    }

    static void launch(AttentionOperands a, MaskTiles.Source masks, LaunchSink out) {
        int pack = pack(a);
        MaskTiles tiles = new MaskTiles(a.tokens, a.cells, ROWS / pack, tileCells(a));
        int splits = splits(a, tiles, pack, out.gpu());
        SplitResults results = new SplitResults(a, splits, out);
        BoundTensor mask = a.mask;
        @Nullable Scratch classes = mask == null ? null : masks.of(out, mask, tiles);
        Launch launch = Launch.of("attention_mma_" + a.k.type().label() + "_h" + a.compiledSize())
                .grid(tiles.tokenTiles(), a.heads / pack, (long) a.batches * splits)
                .block(THREADS)
                .shared(sharedBytes(a))
                .dependent()
                .view(a.q)
                .view(a.k)
                .view(a.v);
        a.withMask(launch);
        a.withSinks(classes == null ? launch.pointer(0) : launch.pointer(classes));
        results.addTo(launch).i32(splits).i32(pack);
        out.add(a.withParameters(launch));
        results.combine(out);
    }

    /** How many heads a block has: those that share keys where tokens alone do not fill its rows, otherwise one. */
    private static int pack(AttentionOperands a) {
        boolean isPacked = a.tokens < ROWS && a.headsPerKvHead() <= ROWS && a.hasSameMaskForHeads();
        return isPacked ? a.headsPerKvHead() : 1;
    }

    private static int tileCells(AttentionOperands a) {
        return a.compiledSize() == 256 ? 32 : 64;
    }

    /** Two blocks for each multiprocessor. */
    private static int splits(AttentionOperands a, MaskTiles tiles, int pack, Gpu gpu) {
        long blocks = tiles.tokenTiles() * (a.heads / pack) * a.batches;
        long wanted = Math.min(2L * gpu.multiprocessors() / blocks, tiles.cellTiles() / LEAST_TILES);
        long most = Math.min(SplitResults.MOST_SPLITS, GridLimits.MOST_Z / a.batches);
        return Math.clamp(wanted, 1, Math.toIntExact(most));
    }

    /** Two tiles of keys and of values; above 128 elements the queries too. */
    private static int sharedBytes(AttentionOperands a) {
        int queries = a.compiledSize() > 128 ? 2 * ROWS * a.compiledSize() : 0;
        return 8 * tileCells(a) * a.compiledSize() + queries;
    }
}
