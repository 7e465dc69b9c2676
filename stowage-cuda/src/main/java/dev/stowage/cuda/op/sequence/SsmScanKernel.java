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

/** SSM_SCAN: a warp for each row of a state. */
final class SsmScanKernel implements OpKernel {

    private static final int IDS = 6;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        Requirements requirements =
                Requirements.of(node).parameters(OpParameters.Snapshots.class).operands();
        for (int slot = 0; slot < IDS; slot++) {
            requirements.type(slot, ElementType.F32);
        }
        long heads = node.source(1).dim(1);
        long groups = node.source(4).dim(1);
        return requirements
                .require(
                        groups > 0 && heads % groups == 0,
                        "has " + heads + " heads of x, which must be a whole number of times the " + groups
                                + " groups of b and c")
                .require(
                        node.source(0).dim(0) <= LineGrid.LONGEST,
                        "is for at most " + LineGrid.LONGEST + " elements of a state")
                .require(LineGrid.hasBlocksFor(lines(node.source(1).shape())), "has too many rows of states")
                .answer();
    }

    private static long lines(Shape x) {
        return x.d0() * x.d1() * x.d3();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        out.add(LineGrid.launch(
                        "ssm_scan",
                        step.operand(0).dim(0),
                        lines(step.operand(1).shape()))
                .view(step.operand(0))
                .view(step.operand(1))
                .view(step.operand(2))
                .view(step.operand(3))
                .view(step.operand(4))
                .view(step.operand(5))
                .pointer(step.operand(IDS))
                .pointer(step.result())
                .i32(((OpParameters.Snapshots) step.parameters()).count())
                .dependent());
    }
}
