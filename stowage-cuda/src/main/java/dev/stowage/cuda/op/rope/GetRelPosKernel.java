package dev.stowage.cuda.op.rope;

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
import java.util.Locale;

/** GET_REL_POS: a row for each pair of positions. */
final class GetRelPosKernel implements OpKernel {

    private static final int THREADS = 64;
    private static final int MOST_POSITIONS = 65535;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .type(0, ElementType.F16, ElementType.F32)
                .result(ElementType.F16)
                .require(node.dim(1) <= MOST_POSITIONS, "is for at most " + MOST_POSITIONS + " positions")
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Shape shape = step.result().shape();
        out.add(Launch.of("get_rel_pos_" + step.operand(0).type().name().toLowerCase(Locale.ROOT))
                .grid(Math.ceilDiv(shape.d0(), THREADS), shape.d1(), shape.d2())
                .block(THREADS)
                .view(step.operand(0))
                .view(step.result())
                .dependent());
    }
}
