package dev.stowage.cuda.op.norm;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/** GROUP_NORM: a block for each group of channels of each image. */
final class GroupNormKernel implements OpKernel {

    private static final int MOST_IMAGES = 65535;
    private static final int THREADS = 1024;
    private static final int WARP = 32;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .parameters(OpParameters.GroupNorm.class)
                .type(0, ElementType.F32)
                .require(node.dim(3) <= MOST_IMAGES, "is for at most " + MOST_IMAGES + " images")
                .require(node.dim(2) <= Integer.MAX_VALUE, "is for fewer than 2^31 channels")
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        OpParameters.GroupNorm parameters = (OpParameters.GroupNorm) step.parameters();
        Shape shape = step.result().shape();
        long channels = Math.ceilDiv(shape.d2(), parameters.groups());
        long elements = shape.d0() * shape.d1() * channels;
        out.add(Launch.of("group_norm_f32")
                .grid(Math.ceilDiv(shape.d2(), channels), shape.d3(), 1)
                .block(Math.clamp(Math.ceilDiv(elements, WARP) * WARP, WARP, THREADS))
                .view(step.operand(0))
                .view(step.result())
                .i32(channels)
                .f32(parameters.epsilon())
                .dependent());
    }
}
