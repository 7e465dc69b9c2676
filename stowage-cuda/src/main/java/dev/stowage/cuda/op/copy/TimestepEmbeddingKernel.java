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

/** Sines and cosines of time steps. */
final class TimestepEmbeddingKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .parameters(OpParameters.TimestepEmbedding.class)
                .result(ElementType.F32)
                .type(0, ElementType.F32)
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        if (step.parameters() instanceof OpParameters.TimestepEmbedding(int dimensions, int maxPeriod)) {
            out.add(RowGrid.launch("timestep_embedding_f32", step.result().shape())
                    .i32(dimensions)
                    .i32(maxPeriod)
                    .view(step.operand(0))
                    .view(step.result()));
        }
    }
}
