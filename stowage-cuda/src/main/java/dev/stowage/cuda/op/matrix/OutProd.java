package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.Tensor;

/** OUT_PROD: eight results of a row per thread. */
final class OutProd implements OpKernel {

    private static final int THREADS = 128;
    private static final int RESULTS = 8;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return RowTypes.supports(node, gpu);
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        BoundTensor result = step.result();
        long units = Math.ceilDiv(result.dim(0), RESULTS) * result.shape().rows();
        out.add(Launch.of("out_prod_" + RowTypes.suffix(step.operand(0).type()))
                .grid(Math.ceilDiv(units, THREADS))
                .block(THREADS)
                .dependent()
                .view(step.operand(0))
                .view(step.operand(1))
                .i32(step.operand(1).type().code())
                .view(result));
    }
}
