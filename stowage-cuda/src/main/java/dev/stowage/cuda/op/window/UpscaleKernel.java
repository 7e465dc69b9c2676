package dev.stowage.cuda.op.window;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.RowGrid;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;

/** Images stretched or shrunk. */
final class UpscaleKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .parameters(OpParameters.Interpolate.class)
                .type(0, ElementType.F32)
                .result(ElementType.F32)
                .require(!node.source(0).shape().isEmpty(), "has no values to interpolate in an image without elements")
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        if (!(step.parameters() instanceof OpParameters.Interpolate parameters)) {
            throw new IllegalStateException(step.result().describe() + " is not supported");
        }
        boolean corners = parameters.alignCorners();
        out.add(RowGrid.launch("upscale_f32", step.result().shape())
                .i32(code(parameters))
                .f32(corners ? 0f : 0.5f)
                .f32(scale(step, 0, corners))
                .f32(scale(step, 1, corners))
                .f32(scale(step, 2, false))
                .f32(scale(step, 3, false))
                .view(step.operand(0))
                .view(step.result()));
    }

    /** The number of the interpolation in {@code window_resize.cu}. */
    private static int code(OpParameters.Interpolate parameters) {
        return switch (parameters.mode()) {
            case NEAREST -> 0;
            case BILINEAR -> parameters.antialias() ? 3 : 1;
            case BICUBIC -> 2;
        };
    }

    private static float scale(Step step, int dimension, boolean corners) {
        long from = step.operand(0).dim(dimension);
        long to = step.result().dim(dimension);
        return corners && from > 1 && to > 1 ? (float) (to - 1) / (from - 1) : (float) to / from;
    }
}
