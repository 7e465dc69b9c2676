package dev.stowage.cuda.op.attention;

import dev.stowage.cuda.kernel.ParameterType;
import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/** Attention over prompts on sm_90: blocks of 128 queries and tiles of 128 cells that the copy engine loads. */
final class HopperAttention {

    private static final int TILE = 128;
    private static final int THREADS = 384;
    private static final int ALIGNMENT = 16;

    private HopperAttention() {}

    static boolean suits(AttentionOperands a, Gpu gpu) {
        return gpu.isHopper()
                && a.isForTensorCores()
                && a.k.type() == ElementType.F16
                && a.keySize == a.valueSize
                && (a.keySize == 64 || a.keySize == 128)
                && isEnough(a, gpu)
                && sharedBytes(a) <= gpu.sharedBytesPerBlock()
                && AttentionOperands.isAligned(a.q, ALIGNMENT)
                && AttentionOperands.isAligned(a.result, 8)
                && CacheMatrix.isPossible(a.k)
                && CacheMatrix.isPossible(a.v)
                && isCopied(a.mask);
    }

    /** Cells are not split here: few blocks with many cells are better off with {@link MmaAttention}. */
    private static boolean isEnough(AttentionOperands a, Gpu gpu) {
        return a.tokens > TILE / 2 && tokenTiles(a) * a.heads * a.batches >= gpu.multiprocessors() / 4;
    }

    private static boolean isCopied(@Nullable BoundTensor mask) {
        return mask == null || (mask.stride(1) % ALIGNMENT == 0 && DeviceAddress.of(mask) % ALIGNMENT == 0);
    }

    private static long tokenTiles(AttentionOperands a) {
        return Math.ceilDiv(a.tokens, TILE);
    }

    /** Queries, two tiles of keys and of values, a tile of the mask, and the list of tiles; aligned to 1024 bytes. */
    private static int sharedBytes(AttentionOperands a) {
        return 1024
                + 5 * TILE * a.keySize * Short.BYTES
                + TILE * TILE * Short.BYTES
                + Math.ceilDiv(a.cells, TILE) * Integer.BYTES;
    }

    static void launch(AttentionOperands a, MaskTiles.Source masks, LaunchSink out) {
        BoundTensor mask = a.mask;
        CacheMatrix keys = CacheMatrix.of(a.k);
        CacheMatrix values = CacheMatrix.of(a.v);
        @Nullable
        Scratch classes = mask == null ? null : masks.of(out, mask, new MaskTiles(a.tokens, a.cells, TILE, TILE));
        Launch launch = Launch.of("attention_sm90_f16_h" + a.keySize)
                .grid(tokenTiles(a) * a.heads, a.batches, 1)
                .block(THREADS)
                .shared(sharedBytes(a))
                .dependent()
                .argument(keys.matrix())
                .argument(values.matrix())
                .argument(mask == null ? keys.matrix() : maskMatrix(mask))
                .view(a.q);
        a.withMask(launch);
        a.withSinks(classes == null ? launch.pointer(0) : launch.pointer(classes));
        launch.pointer(a.result).i32(a.cells).i32(a.kvHeads);
        out.add(a.withParameters(values.addTo(keys.addTo(launch))));
    }

    private static Launch.MatrixArgument maskMatrix(BoundTensor mask) {
        long rows = mask.dim(1) * mask.dim(2) * mask.dim(3);
        Launch.Argument base = new Launch.Scalar(ParameterType.POINTER, DeviceAddress.of(mask));
        return new Launch.MatrixArgument(base, mask.dim(0), rows, mask.stride(1), TILE / 2, TILE);
    }
}
