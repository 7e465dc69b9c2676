package dev.stowage.cuda.op.copy;

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
import dev.stowage.tensor.TriangleKind;

/** One triangle of each matrix, the rest being zero. */
final class TriKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .parameters(OpParameters.Tri.class)
                .result(ElementType.F32)
                .type(0, ElementType.F32)
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        if (step.parameters() instanceof OpParameters.Tri tri) {
            out.add(RowGrid.launch("tri_f32", step.result().shape())
                    .i32(code(tri.kind()))
                    .view(step.operand(0))
                    .view(step.result()));
        }
    }

    /** The number of the triangle in {@code copy_generate.cu}. */
    private static int code(TriangleKind kind) {
        return switch (kind) {
            case UPPER_DIAG -> 0;
            case UPPER -> 1;
            case LOWER_DIAG -> 2;
            case LOWER -> 3;
        };
    }
}
