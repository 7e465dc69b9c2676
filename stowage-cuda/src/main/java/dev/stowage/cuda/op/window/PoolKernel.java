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
import dev.stowage.tensor.PoolKind;
import dev.stowage.tensor.Tensor;

/** The largest or the mean of the elements under a window that slides along rows, or rows and columns. */
final class PoolKernel implements OpKernel {

    /** Along sequences padding does not count for the mean. */
    private static final int WITHOUT_PADDING = 0;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        boolean isRow = node.op() == Op.POOL_1D;
        return Requirements.of(node)
                .parameters(isRow ? OpParameters.Pool1d.class : OpParameters.Pool2d.class)
                .type(0, Requirements.FLOATS)
                .result(ElementType.F32)
                .require(
                        !(node.parameters() instanceof OpParameters.Pool2d p)
                                || (long) p.size0() * p.size1() <= Integer.MAX_VALUE,
                        "is for windows of fewer than 2^31 elements")
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Launch launch = RowGrid.launch("pool", step.result().shape())
                .i32(step.operand(0).type().code());
        switch (step.parameters()) {
            case OpParameters.Pool1d p ->
                pool(launch, p.kind(), WITHOUT_PADDING, p.size(), 1, p.stride(), 1, p.padding(), 0);
            case OpParameters.Pool2d p ->
                pool(
                        launch,
                        p.kind(),
                        p.size0() * p.size1(),
                        p.size0(),
                        p.size1(),
                        p.stride0(),
                        p.stride1(),
                        p.padding0(),
                        p.padding1());
            default -> throw new IllegalStateException(step.result().describe() + " is not supported");
        }
        out.add(launch.view(step.operand(0)).view(step.result()));
    }

    private static void pool(Launch launch, PoolKind kind, int... numbers) {
        launch.i32(kind == PoolKind.AVG ? 1 : 0);
        for (int number : numbers) {
            launch.i32(number);
        }
    }
}
