package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.memory.unit.UnitLayout;
import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.matrix.Gemm;
import dev.stowage.cuda.op.matrix.GemmTarget;
import dev.stowage.cuda.op.matrix.HalfMatrix;
import dev.stowage.cuda.op.matrix.HalfWeights;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Optional;

/**
 * MUL_MAT with weights in units: by products of units for few tokens; for many by those of halves, which tensor cores
 * multiply faster.
 */
final class UnitMulMat implements OpKernel {

    /** The most tokens that are multiplied from units. */
    private static final long FEW_TOKENS = 2L * UnitProduct.MAX_TOKENS;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        Tensor weights = node.source(0);
        Tensor tokens = node.source(1);
        return Requirements.of(node)
                .require(!weights.isView(), "reads whole weights in units, and " + weights.describe() + " is a view")
                .require(
                        UnitLayout.suits(weights.layout()) && weights.dim(2) == 1,
                        "reads one matrix in units, not " + weights.layout())
                .type(1, ElementType.F32)
                .result(ElementType.F32)
                .require(
                        Columns.areUniform(tokens.layout()),
                        "with weights in units takes rows at equal distances, not " + tokens.layout())
                .require(node.layout().isContiguous(), "with weights in units has a result without gaps")
                .rows()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Columns columns = Columns.of(step.operand(1).layout());
        if (columns.count() > FEW_TOKENS) {
            launchLarge(step, out);
        } else {
            long atOnce = UnitProduct.tokensAtOnce(step.operand(0));
            for (long first = 0; first < columns.count(); first += atOnce) {
                launchFew(step, columns, first, Math.min(atOnce, columns.count() - first), out);
            }
        }
    }

    private static void launchFew(Step step, Columns columns, long first, long count, LaunchSink out) {
        long vectors = DeviceAddress.of(step.operand(1)) + first * columns.stride() * Float.BYTES;
        long rows = step.operand(0).dim(1);
        UnitProduct.of(
                        step.operand(0),
                        Activations.floats(Pointers.of(vectors), columns.stride()),
                        Math.toIntExact(count))
                .matrix(
                        DeviceAddress.of(step.operand(0)),
                        rows,
                        Pointers.of(DeviceAddress.of(step.result()) + first * rows * Float.BYTES),
                        Pointers.NONE)
                .launch(out);
    }

    private static void launchLarge(Step step, LaunchSink out) {
        HalfMatrix tokens = Gemm.tokens(out, step.operand(1), step.operand(0).type());
        GemmTarget target =
                GemmTarget.of(DeviceAddress.of(step.result()), step.result().dim(0));
        Gemm.launch(out, new UnitHalves(step.operand(0)), tokens, target);
    }

    /** The weights of a product of many tokens; none of a product that is computed straight from units. */
    static Optional<HalfWeights> halfWeights(Step step) {
        boolean isMany = Columns.of(step.operand(1).layout()).count() > FEW_TOKENS;
        return isMany ? Optional.of(new UnitHalves(step.operand(0))) : Optional.empty();
    }
}
