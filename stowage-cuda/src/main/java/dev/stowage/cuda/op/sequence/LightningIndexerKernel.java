package dev.stowage.cuda.op.sequence;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Locale;

/** LIGHTNING_INDEXER: a warp for each key and token. */
final class LightningIndexerKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .operands()
                .type(0, ElementType.F32)
                .type(1, ElementType.F32, ElementType.F16, ElementType.BF16, ElementType.Q8_0)
                .type(2, ElementType.F32)
                .type(3, ElementType.F16)
                .require(
                        node.source(0).dim(0) <= LineGrid.LONGEST,
                        "is for keys of at most " + LineGrid.LONGEST + " elements")
                .require(LineGrid.hasBlocksFor(node.shape().elements()), "has too many scores")
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        String type = step.operand(1).type().name().toLowerCase(Locale.ROOT);
        out.add(LineGrid.blocks(
                        Launch.of("lightning_indexer_" + type),
                        step.result().shape().elements())
                .view(step.operand(0))
                .view(step.operand(1))
                .view(step.operand(2))
                .view(step.operand(3))
                .view(step.result())
                .dependent());
    }
}
