package dev.stowage.cuda.op.window;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.strided.RowGrid;
import dev.stowage.cuda.op.strided.Rules;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.Window;

/** The elements under a window at each of its positions in a volume, as rows. */
final class Im2col3dKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Rules.all(
                Rules.parameters(node, OpParameters.Im2col3d.class),
                Rules.typeIn(node, node.source(1), Rules.FLOATS),
                Rules.typeIn(node, node, Rules.FLOATS),
                Rules.require(node.dim(0) <= Integer.MAX_VALUE, node.op() + " is for fewer than 2^31 taps"),
                Rules.reachable(node));
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        if (!(step.parameters() instanceof OpParameters.Im2col3d windows)) {
            throw new IllegalStateException(step.result().describe() + " is not supported");
        }
        Shape kernel = step.operand(0).shape();
        long volumes = step.operand(1).dim(3) / windows.channels();
        Launch launch = RowGrid.launch("im2col_3d", step.result().shape())
                .i32(step.operand(1).type().code())
                .i32(step.result().type().code())
                .i32(kernel.d0())
                .i32(kernel.d1())
                .i32(kernel.d2())
                .i32(windows.channels())
                .i64(step.result().dim(3) / volumes);
        for (Window window : new Window[] {windows.width(), windows.height(), windows.depth()}) {
            Im2colKernel.slide(launch, window);
        }
        out.add(launch.view(step.operand(1)).view(step.result()));
    }
}
