package dev.stowage.cuda.op.norm;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.RowGrid;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/** SOFT_MAX with scale, mask, ALiBi slopes and sinks, for rows of any length. */
final class SoftMaxKernel implements OpKernel {

    private static final int MOST_THREADS = 1024;
    private static final int MASK = 1;
    private static final int SINKS = 2;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        Requirements requirements = Requirements.of(node)
                .parameters(OpParameters.SoftMax.class)
                .type(0, ElementType.F32)
                .require(
                        node.layout().isContiguous() && node.source(0).layout().isContiguous(),
                        "is for scores without gaps only")
                .operands()
                .rows();
        if (node.hasSource(MASK)) {
            requirements
                    .type(MASK, ElementType.F32, ElementType.F16)
                    .require(node.source(MASK).layout().isContiguous(), "is for masks without gaps only");
        }
        if (node.hasSource(SINKS)) {
            requirements.type(SINKS, ElementType.F32);
        }
        return requirements.answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        OpParameters.SoftMax parameters = (OpParameters.SoftMax) step.parameters();
        BoundTensor a = step.operand(0);
        Shape shape = a.shape();
        boolean isHalf = step.hasOperand(MASK) && step.operand(MASK).type() == ElementType.F16;
        Shape mask = step.hasOperand(MASK) ? step.operand(MASK).shape() : Shape.SCALAR;
        Launch launch = RowGrid.of(shape.rows(), shape.d0(), MOST_THREADS, out.gpu())
                .applyTo(Launch.of(isHalf ? "soft_max_f32_mask_f16" : "soft_max_f32"))
                .pointer(a)
                .pointer(step.result());
        optional(launch, step, MASK);
        optional(launch, step, SINKS);
        launch.i64(shape.d0())
                .i64(shape.rows())
                .i32(shape.d1())
                .i32(shape.d2())
                .i64(mask.d1())
                .i32(mask.d2())
                .i32(mask.d3())
                .i64(step.hasOperand(SINKS) ? step.operand(SINKS).stride(0) : 0)
                .f32(parameters.scale());
        addSlopes(launch, parameters.maxBias(), shape.d2());
        out.add(launch.dependent());
    }

    private static void optional(Launch launch, Step step, int slot) {
        if (step.hasOperand(slot)) {
            launch.pointer(step.operand(slot));
        } else {
            launch.pointer(0);
        }
    }

    /** The largest power of two among the heads, 0 without slopes, and the binary logarithms of both bases. */
    private static void addSlopes(Launch launch, float maxBias, long heads) {
        if (maxBias > 0) {
            long power = Long.highestOneBit(heads);
            launch.i32(power).f32((float) (-maxBias / (double) power)).f32((float) (-maxBias / 2.0 / (double) power));
        } else {
            launch.i32(0).f32(0f).f32(0f);
        }
    }
}
