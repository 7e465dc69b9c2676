package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.Tensor;

/** MUL_MAT_ID of operands in plain layouts, with ids that only the device reads. */
final class MulMatId implements OpKernel {

    private static final int WARPS = 4;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return RowTypes.supports(node, gpu);
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        PairProduct pairs = PairProduct.of(step);
        if (pairs.fits()) {
            pairs.launch(out);
        } else {
            launchGeneric(step, out);
        }
    }

    private static void launchGeneric(Step step, LaunchSink out) {
        Operand a = Operand.of(step.operand(0));
        Operand b = Operand.of(step.operand(1));
        Operand result = Operand.of(step.result());
        Launch launch = Launch.of("mul_mat_id_" + RowTypes.suffix(a.type()))
                .grid(Math.ceilDiv(result.layout().shape().elements(), WARPS))
                .block(32 * WARPS)
                .dependent()
                .argument(a.view());
        if (DotRounding.of(a.type()).isBlocks()) {
            launch.pointer(TokenRows.floats(out, step.operand(1), a.type())).i32(b.dim(1));
        } else {
            launch.argument(b.view()).i32(b.type().code());
        }
        out.add(launch.view(step.operand(2)).argument(result.view()));
    }
}
