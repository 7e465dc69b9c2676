package dev.stowage.cuda.op.sequence;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/** GATED_DELTA_NET: a warp for each row of a state. */
final class GatedDeltaNetKernel implements OpKernel {

    private static final int OPERANDS = 6;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        Requirements requirements =
                Requirements.of(node).parameters(OpParameters.Snapshots.class).operands();
        for (int slot = 0; slot < OPERANDS; slot++) {
            requirements.type(slot, ElementType.F32);
        }
        Shape v = node.source(2).shape();
        for (int slot : new int[] {0, 1}) {
            Shape asked = node.source(slot).shape();
            requirements.require(
                    asked.d0() == v.d0() && asked.d2() == v.d2() && asked.d3() > 0 && v.d3() % asked.d3() == 0,
                    "needs q and k of the size and the tokens of v, which is " + v
                            + ", with as many sequences or a part of them: one is " + asked);
        }
        for (int slot : new int[] {3, 4}) {
            Shape gate = node.source(slot).shape();
            requirements.require(
                    gate.with(0, v.d0()).equals(v),
                    "needs a row of gate and beta for each head of each token of v, which is " + v + ": one is "
                            + gate);
        }
        return requirements
                .require(v.d0() <= LineGrid.LONGEST, "is for heads of at most " + LineGrid.LONGEST + " elements")
                .require(LineGrid.hasBlocksFor(lines(v)), "has too many rows of states")
                .answer();
    }

    private static long lines(Shape v) {
        return v.d0() * v.d1() * v.d3();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Shape v = step.operand(2).shape();
        out.add(LineGrid.launch("gated_delta_net", v.d0(), lines(v))
                .view(step.operand(0))
                .view(step.operand(1))
                .view(step.operand(2))
                .view(step.operand(3))
                .pointer(step.operand(4))
                .pointer(step.operand(5))
                .pointer(step.result())
                .i32(((OpParameters.Snapshots) step.parameters()).count())
                .dependent());
    }
}
