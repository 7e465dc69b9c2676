package dev.stowage.cuda.op.sort;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.Tensor;

/**
 * TOP_K. Rows are sorted like those of ARGSORT, except where few elements of a long row are wanted: then each chunk of the
 * row gives as many, and one block sorts those.
 */
final class TopKernel implements OpKernel {

    private final OpKernel sort;

    TopKernel(OpKernel sort) {
        this.sort = sort;
    }

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return sort.supports(node, gpu);
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        BoundTensor a = step.operand(0);
        long rows = a.shape().rows();
        long wanted = step.result().dim(0);
        long chunks = Math.ceilDiv(a.dim(0), SortKernel.CHUNK);
        long most = Math.min(SortKernel.MOST_KEYS, out.gpu().sharedBytesPerBlock() / Long.BYTES);
        boolean isLong = SortKernel.powerOfTwo(a.dim(0)) > most;
        if (!isLong || wanted > SortKernel.CHUNK || wanted * chunks > most || rows > SortKernel.MOST_ROWS) {
            sort.launch(step, out);
            return;
        }
        long found = wanted * chunks;
        long keys = SortKernel.powerOfTwo(found);
        Scratch tops = out.scratch(rows * found * Long.BYTES);
        out.add(Launch.of("top_of_chunks")
                .grid(chunks, rows, 1)
                .block(SortKernel.MOST_THREADS)
                .shared(SortKernel.CHUNK * Long.BYTES)
                .view(a)
                .pointer(tops)
                .i32(SortKernel.CHUNK)
                .i32(wanted)
                .dependent());
        out.add(Launch.of("top_of_tops")
                .grid(rows)
                .block(SortKernel.threads(keys))
                .shared((int) keys * Long.BYTES)
                .pointer(tops)
                .view(step.result())
                .i32(found)
                .i32(keys)
                .dependent());
    }
}
