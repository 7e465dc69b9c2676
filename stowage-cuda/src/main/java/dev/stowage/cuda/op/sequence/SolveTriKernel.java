package dev.stowage.cuda.op.sequence;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/** SOLVE_TRI: a thread for each column. */
final class SolveTriKernel implements OpKernel {

    private static final int THREADS = 64;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .type(0, ElementType.F32)
                .type(1, ElementType.F32)
                .require(
                        node.source(0).layout().isContiguous()
                                && node.source(1).layout().isContiguous()
                                && node.layout().isContiguous(),
                        "is for operands without gaps only")
                .require(columns(node.shape()) < (long) THREADS * Integer.MAX_VALUE, "has too many columns")
                .answer();
    }

    private static long columns(Shape shape) {
        return shape.d0() * shape.d2() * shape.d3();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Shape shape = step.result().shape();
        out.add(Launch.of("solve_tri_f32")
                .grid(Math.ceilDiv(columns(shape), THREADS))
                .block(THREADS)
                .pointer(step.operand(0))
                .pointer(step.operand(1))
                .pointer(step.result())
                .i64(shape.d1())
                .i64(shape.d0())
                .i64(shape.d2() * shape.d3())
                .dependent());
    }
}
