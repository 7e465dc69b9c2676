package dev.stowage.cuda.op.window;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.RowGrid;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.Window;

/** Convolutions of images and volumes, and transposed ones, computed element by element. */
final class ConvolutionKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        boolean takesTypeOfData = node.op() == Op.CONV_2D || node.op() == Op.CONV_2D_DW;
        return Requirements.of(node)
                .parameters(kindOf(node.op()))
                .allFloats()
                .require(
                        takesTypeOfData || node.type() == ElementType.F32,
                        "has results of f32 only, not of " + node.type())
                .reachable()
                .answer();
    }

    private static Class<? extends OpParameters> kindOf(Op op) {
        return switch (op) {
            case CONV_2D, CONV_2D_DW -> OpParameters.Conv2d.class;
            case CONV_3D -> OpParameters.Conv3d.class;
            default -> OpParameters.ConvTranspose.class;
        };
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        int kernelType = step.operand(0).type().code();
        int dataType = step.operand(1).type().code();
        Launch launch = switch (step.parameters()) {
            case OpParameters.Conv2d(Window width, Window height) ->
                Im2colKernel.slide(
                        on("conv_2d", step)
                                .i32(step.op() == Op.CONV_2D_DW ? 1 : 0)
                                .i32(kernelType)
                                .i32(dataType)
                                .i32(step.result().type().code()),
                        width,
                        height);
            case OpParameters.Conv3d p ->
                Im2colKernel.slide(
                        on("conv_3d", step)
                                .i32(kernelType)
                                .i32(dataType)
                                .i32(p.kernels())
                                .i32(p.channels()),
                        p.width(),
                        p.height(),
                        p.depth());
            case OpParameters.ConvTranspose(int stride) ->
                on(step.op() == Op.CONV_TRANSPOSE_1D ? "conv_transpose_1d" : "conv_transpose_2d", step)
                        .i32(kernelType)
                        .i32(dataType)
                        .i32(stride);
            default -> throw new IllegalStateException(step.result().describe() + " is not supported");
        };
        out.add(launch.view(step.operand(0)).view(step.operand(1)).view(step.result()));
    }

    private static Launch on(String kernel, Step step) {
        return RowGrid.launch(kernel, step.result().shape());
    }
}
