package dev.stowage.cuda.op.window;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.RowGrid;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.Window;

/** The elements under a window at each of its positions on a sequence, on an image or in a volume, as rows. */
final class Im2colKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .parameters(node.op() == Op.IM2COL ? OpParameters.Im2col.class : OpParameters.Im2col3d.class)
                .type(1, Requirements.FLOATS)
                .result(Requirements.FLOATS)
                .require(node.dim(0) <= Integer.MAX_VALUE, "is for fewer than 2^31 taps")
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Shape kernel = step.operand(0).shape();
        Launch launch = switch (step.parameters()) {
            case OpParameters.Im2col flat
            when flat.twoDimensional() ->
                slide(begin("im2col_2d", step).i32(kernel.d0()).i32(kernel.d1()), flat.width(), flat.height());
            case OpParameters.Im2col line -> slide(begin("im2col_1d", step).i32(kernel.d0()), line.width());
            case OpParameters.Im2col3d volume -> {
                long volumes = step.operand(1).dim(3) / volume.channels();
                yield slide(
                        begin("im2col_3d", step)
                                .i32(kernel.d0())
                                .i32(kernel.d1())
                                .i32(kernel.d2())
                                .i32(volume.channels())
                                .i64(step.result().dim(3) / volumes),
                        volume.width(),
                        volume.height(),
                        volume.depth());
            }
            default -> throw new IllegalStateException(step.result().describe() + " is not supported");
        };
        out.add(launch.view(step.operand(1)).view(step.result()));
    }

    private static Launch begin(String kernel, Step step) {
        return RowGrid.launch(kernel, step.result().shape())
                .i32(step.operand(1).type().code())
                .i32(step.result().type().code());
    }

    /** Adds the parameters of windows. */
    static Launch slide(Launch launch, Window... windows) {
        for (Window window : windows) {
            launch.i32(window.stride()).i32(window.padding()).i32(window.dilation());
        }
        return launch;
    }
}
