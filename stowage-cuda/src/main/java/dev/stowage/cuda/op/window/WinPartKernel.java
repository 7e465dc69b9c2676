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

/** Images cut into square windows (WIN_PART), and put together again (WIN_UNPART). */
final class WinPartKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        boolean parts = node.op() == Op.WIN_PART;
        return Requirements.of(node)
                .parameters(parts ? OpParameters.WinPart.class : OpParameters.WinUnpart.class)
                .type(0, ElementType.F32)
                .result(ElementType.F32)
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Launch launch = switch (step.parameters()) {
            case OpParameters.WinPart p ->
                RowGrid.launch("win_part_4", step.result().shape())
                        .i32(p.edge())
                        .i64(p.columns());
            case OpParameters.WinUnpart p ->
                RowGrid.launch("win_unpart_4", step.result().shape())
                        .i32(p.edge())
                        .i64(Math.ceilDiv(step.result().dim(1), p.edge()));
            default -> throw new IllegalStateException(step.result().describe() + " is not supported");
        };
        out.add(launch.view(step.operand(0)).view(step.result()));
    }
}
