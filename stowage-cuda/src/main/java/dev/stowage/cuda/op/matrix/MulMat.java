package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.Tensor;

/**
 * MUL_MAT of operands in plain layouts. Sums are f32 in every kernel, and f32 is multiplied by f32 as such, so that {@link
 * dev.stowage.tensor.Precision} makes no difference: the second factor is rounded as the first asks for, by {@link
 * DotRounding}. That the first factor is a Hadamard matrix is not made use of.
 */
final class MulMat implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return RowTypes.supports(node, gpu);
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Product product = Product.of(step);
        if (VectorProduct.fits(product)) {
            VectorProduct.launch(product, out);
        } else if (HalfProduct.fits(product)) {
            HalfProduct.launch(product, step.operand(1), out);
        } else if (FloatProduct.fits(product)) {
            FloatProduct.launch(product, out);
        } else {
            GenericProduct.launch(product, step.operand(1), out);
        }
    }
}
