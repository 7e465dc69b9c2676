package dev.stowage.cpu.op.elementwise;

import dev.stowage.cpu.kernel.math.BinaryLoop;
import dev.stowage.cpu.kernel.math.GatedUnitKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.team.ElementCost;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.OpParameters.SwigluOai;

/**
 * Gated linear units: functions of gate and up, which are two operands or the halves of one. Takes what {@link BinaryOp}
 * does.
 */
final class GluOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        BinaryOp unit = unit(node.step().parameters());
        StridedElements first = StridedElements.of(node.operand(0));
        if (node.has(1)) {
            return unit.prepare(node, first, StridedElements.of(node.operand(1)));
        }
        boolean swapped = node.step().parameters() instanceof OpParameters.Glu glu && glu.swapped();
        return unit.prepare(node, first.half(swapped), first.half(!swapped));
    }

    private static BinaryOp unit(OpParameters parameters) {
        if (parameters instanceof SwigluOai(float alpha, float limit)) {
            return new BinaryOp(
                    (g, u, to, n) -> GatedUnitKernels.swigluOai(g, u, to, n, alpha, limit),
                    null,
                    ElementCost.EXPONENTIAL);
        }
        return named(((OpParameters.Glu) parameters).function());
    }

    private static BinaryOp named(GluFunction function) {
        return switch (function) {
            case REGLU -> of(GatedUnitKernels::reglu, ElementCost.ARITHMETIC);
            case GEGLU -> of(GatedUnitKernels::geglu, ElementCost.EXPONENTIAL);
            case SWIGLU -> of(GatedUnitKernels::swiglu, ElementCost.EXPONENTIAL);
            case GEGLU_ERF -> of(GatedUnitKernels::gegluErf, ElementCost.EXPONENTIAL);
            case GEGLU_QUICK -> of(GatedUnitKernels::gegluQuick, ElementCost.EXPONENTIAL);
            case SWIGLU_OAI -> throw new IllegalArgumentException(function + " has coefficients of its own");
        };
    }

    private static BinaryOp of(BinaryLoop loop, double nanosPerElement) {
        return new BinaryOp(loop, null, nanosPerElement);
    }
}
