package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.Tensor;

/** MUL_MAT of operands in plain layouts. */
final class MulMat implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return RowTypes.supports(node, gpu);
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        GenericProduct.launch(Product.of(step), out);
    }
}
