package dev.stowage.cpu.op;

import dev.stowage.cpu.kernel.BinaryLoop;
import dev.stowage.cpu.kernel.GluKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.OpParameters.SwigluOai;

/**
 * Gated linear units: functions of gate and up, which are two operands or the halves of one. Takes what {@link ZipOp}
 * does.
 */
final class GluOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        ZipOp unit = unit(node.step().parameters());
        Grid first = Grid.of(node.operand(0));
        if (node.has(1)) {
            return unit.prepare(node, first, Grid.of(node.operand(1)));
        }
        boolean swapped = node.step().parameters() instanceof OpParameters.Glu glu && glu.swapped();
        return unit.prepare(node, first.half(swapped), first.half(!swapped));
    }

    private static ZipOp unit(OpParameters parameters) {
        if (parameters instanceof SwigluOai(float alpha, float limit)) {
            return new ZipOp((g, u, to, n) -> GluKernels.swigluOai(g, u, to, n, alpha, limit), null, Cost.EXPONENTIAL);
        }
        return named(((OpParameters.Glu) parameters).function());
    }

    private static ZipOp named(GluFunction function) {
        return switch (function) {
            case REGLU -> of(GluKernels::reglu, Cost.ARITHMETIC);
            case GEGLU -> of(GluKernels::geglu, Cost.EXPONENTIAL);
            case SWIGLU -> of(GluKernels::swiglu, Cost.EXPONENTIAL);
            case GEGLU_ERF -> of(GluKernels::gegluErf, Cost.EXPONENTIAL);
            case GEGLU_QUICK -> of(GluKernels::gegluQuick, Cost.EXPONENTIAL);
            case SWIGLU_OAI -> throw new IllegalArgumentException(function + " has coefficients of its own");
        };
    }

    private static ZipOp of(BinaryLoop loop, double nanosPerElement) {
        return new ZipOp(loop, null, nanosPerElement);
    }
}
