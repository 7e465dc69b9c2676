package dev.stowage.cuda.op.attention;

import dev.stowage.cuda.kernel.ParameterType;
import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.program.Launch;
import dev.stowage.memory.BoundTensor;

/**
 * Keys or values {@code [head, cells, kv heads, batches]} of f16 as one matrix for the copy engine. Its rows are cells;
 * the next head begins either some columns further in the same cell, as in a cache, or some rows further.
 *
 * @param columnsPerHead columns from one head to the next
 * @param rowsPerHead rows from one head to the next
 * @param rowsPerBatch rows from one batch to the next
 */
record CacheMatrix(Launch.MatrixArgument matrix, int columnsPerHead, int rowsPerHead, int rowsPerBatch) {

    private static final int ALIGNMENT = 16;
    private static final int BOX_COLUMNS = 64;
    private static final int BOX_ROWS = 128;

    /** Whether a tensor can be described so. */
    static boolean isPossible(BoundTensor cache) {
        long row = cache.stride(1);
        if (row <= 0 || row % ALIGNMENT != 0) {
            return false;
        }
        boolean hasPlaceForHeads = isWithinCells(cache)
                ? (cache.dim(2) - 1) * cache.stride(2) + cache.dim(0) * Short.BYTES <= row
                : cache.dim(2) == 1 || cache.stride(2) % row == 0;
        return hasPlaceForHeads
                && (cache.dim(3) == 1 || cache.stride(3) % row == 0)
                && rows(cache) <= Integer.MAX_VALUE
                && AttentionOperands.isAligned(cache, ALIGNMENT);
    }

    static CacheMatrix of(BoundTensor cache) {
        boolean isWithin = isWithinCells(cache);
        long columnsPerHead = isWithin ? cache.stride(2) / Short.BYTES : 0;
        Launch.MatrixArgument matrix = new Launch.MatrixArgument(
                new Launch.Scalar(ParameterType.POINTER, DeviceAddress.of(cache)),
                (cache.dim(2) - 1) * columnsPerHead + cache.dim(0),
                rows(cache),
                cache.stride(1),
                BOX_COLUMNS,
                BOX_ROWS);
        return new CacheMatrix(
                matrix,
                Math.toIntExact(columnsPerHead),
                Math.toIntExact(rowsPerHead(cache)),
                Math.toIntExact(rowsPerBatch(cache)));
    }

    private static boolean isWithinCells(BoundTensor cache) {
        return cache.dim(2) > 1 && cache.stride(2) < cache.stride(1);
    }

    private static long rowsPerHead(BoundTensor cache) {
        return isWithinCells(cache) || cache.dim(2) == 1 ? 0 : cache.stride(2) / cache.stride(1);
    }

    private static long rowsPerBatch(BoundTensor cache) {
        return cache.dim(3) == 1 ? 0 : cache.stride(3) / cache.stride(1);
    }

    private static long rows(BoundTensor cache) {
        return (cache.dim(2) - 1) * rowsPerHead(cache) + (cache.dim(3) - 1) * rowsPerBatch(cache) + cache.dim(1);
    }

    /** Adds where the next head and the next batch begin. */
    Launch addTo(Launch launch) {
        return launch.i32(columnsPerHead).i32(rowsPerHead).i32(rowsPerBatch);
    }
}
