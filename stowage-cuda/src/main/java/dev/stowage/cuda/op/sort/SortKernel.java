package dev.stowage.cuda.op.sort;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.SortOrder;
import dev.stowage.tensor.Tensor;

/**
 * ARGSORT and TOP_K of f32 rows. Rows whose keys fit in shared memory are sorted by one block each, longer ones in
 * scratch memory:
 *
 * <pre>
 *   sort_chunks                      each chunk sorted, directions alternating
 *   for length 2, 4, 8, ... chunks
 *     sort_exchange                  for each distance of a chunk or more
 *     sort_merge_chunks              for all smaller distances at once
 *   sort_places                      the places of the keys
 * </pre>
 */
final class SortKernel implements OpKernel {

    static final int MOST_THREADS = 1024;
    private static final int WARP = 32;
    /** Keys of a chunk where rows do not fit in shared memory: half of what any GPU has without asking. */
    static final int CHUNK = 4096;
    /** Keys of a row that a block sorts at most; above, many blocks are faster than one. */
    static final int MOST_KEYS = 8192;
    /** How much scratch memory is used at a time; a single row may need more. */
    private static final long SCRATCH_BYTES = 128L << 20;
    /** Rows at a time, the most of a grid in its second dimension. */
    static final long MOST_ROWS = 65535;
    /** The longest row whose length rounded up to a power of two the kernels can count. */
    private static final long MOST_ELEMENTS = 1L << 31;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .require(
                        node.op() == Op.TOP_K || node.parameters() instanceof OpParameters.Argsort,
                        "has parameters of another op: " + node.parameters())
                .type(0, ElementType.F32)
                .result(ElementType.I32)
                .require(node.source(0).dim(0) < MOST_ELEMENTS, "is for rows of fewer than 2^31 elements")
                .rows()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        BoundTensor a = step.operand(0);
        long keys = powerOfTwo(a.dim(0));
        if (keys <= Math.min(MOST_KEYS, out.gpu().sharedBytesPerBlock() / Long.BYTES)) {
            out.add(Launch.of("sort_rows")
                    .grid(a.shape().rows())
                    .block(threads(keys))
                    .shared((int) keys * Long.BYTES)
                    .view(a)
                    .view(step.result())
                    .i32(keys)
                    .i32(descending(step))
                    .dependent());
            return;
        }
        long rows = a.shape().rows();
        long together = Math.clamp(SCRATCH_BYTES / (keys * Long.BYTES), 1, Math.min(rows, MOST_ROWS));
        Scratch scratch = out.scratch(together * keys * Long.BYTES);
        for (long first = 0; first < rows; first += together) {
            sortLong(step, scratch, keys, first, Math.min(together, rows - first), out);
        }
    }

    private static void sortLong(Step step, Scratch scratch, long keys, long first, long rows, LaunchSink out) {
        int shared = CHUNK * Long.BYTES;
        out.add(Launch.of("sort_chunks")
                .grid(keys / CHUNK, rows, 1)
                .block(MOST_THREADS)
                .shared(shared)
                .view(step.operand(0))
                .pointer(scratch)
                .i64(keys)
                .i32(CHUNK)
                .i64(first)
                .i32(descending(step))
                .dependent());
        for (long length = 2L * CHUNK; length <= keys; length *= 2) {
            for (long distance = length / 2; distance >= CHUNK; distance /= 2) {
                out.add(Launch.of("sort_exchange")
                        .grid(keys / 2 / MOST_THREADS, rows, 1)
                        .block(MOST_THREADS)
                        .pointer(scratch)
                        .i64(keys)
                        .i64(length)
                        .i64(distance)
                        .dependent());
            }
            out.add(Launch.of("sort_merge_chunks")
                    .grid(keys / CHUNK, rows, 1)
                    .block(MOST_THREADS)
                    .shared(shared)
                    .pointer(scratch)
                    .i64(keys)
                    .i64(length)
                    .i32(CHUNK)
                    .dependent());
        }
        out.add(Launch.of("sort_places")
                .grid(Math.ceilDiv(step.result().dim(0), MOST_THREADS), rows, 1)
                .block(MOST_THREADS)
                .pointer(scratch)
                .view(step.result())
                .i64(keys)
                .i64(first)
                .dependent());
    }

    /** The places of the largest come first for TOP_K, too. */
    private static int descending(Step step) {
        return step.parameters() instanceof OpParameters.Argsort argsort && argsort.order() == SortOrder.ASC ? 0 : 1;
    }

    static int threads(long keys) {
        return Math.clamp(keys / 2, WARP, MOST_THREADS);
    }

    static long powerOfTwo(long length) {
        return length <= 1 ? 1 : Long.highestOneBit(length - 1) << 1;
    }
}
