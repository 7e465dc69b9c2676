package dev.stowage.reference.kernel.elementwise;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.DoubleArithmeticKernel;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;

/** Gated linear units: an activation of the gate times the other half, or a second operand. */
public final class GluKernels {

    private GluKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.GLU, new DoubleArithmeticKernel(GluKernels::glu));
    }

    private static void glu(Step step) {
        DoubleBinaryOperator unit = unit(step);
        boolean halves = !step.hasOperand(1);
        boolean swapped = step.parameters() instanceof OpParameters.Glu glu && glu.swapped();
        Elements gates = Elements.of(step.operand(0));
        Elements ups = Elements.of(step.operand(halves ? 0 : 1));
        Elements result = Elements.of(step.result());
        int length = Math.toIntExact(result.shape().d0());
        int gateAt = halves && swapped ? length : 0;
        int upAt = halves && !swapped ? length : 0;
        Elements.forEachRow(result.shape(), (i1, i2, i3) -> {
            double[] row = new double[length];
            for (int i0 = 0; i0 < length; i0++) {
                row[i0] = unit.applyAsDouble(gates.get(gateAt + i0, i1, i2, i3), ups.get(upAt + i0, i1, i2, i3));
            }
            result.setRow(i1, i2, i3, row);
        });
    }

    private static DoubleBinaryOperator unit(Step step) {
        return switch (step.parameters()) {
            case OpParameters.Glu glu when glu.function() != GluFunction.SWIGLU_OAI -> named(glu.function());
            case OpParameters.SwigluOai(float alpha, float limit) -> (gate, up) -> swigluOai(gate, up, alpha, limit);
            default -> throw Parameters.unsuited(step);
        };
    }

    /** Where the activation is cut off to zero so is the product, even if the other factor is NaN or infinite. */
    private static DoubleBinaryOperator named(GluFunction function) {
        return switch (function) {
            case REGLU -> (gate, up) -> gate > 0 ? gate * up : 0;
            case GEGLU -> (gate, up) -> Activations.geluVanishes(gate) ? 0 : Activations.gelu(gate) * up;
            case SWIGLU -> (gate, up) -> Activations.silu(gate) * up;
            case GEGLU_ERF -> (gate, up) -> Activations.geluErf(gate) * up;
            case GEGLU_QUICK -> (gate, up) -> Activations.geluQuick(gate) * up;
            case SWIGLU_OAI -> throw new IllegalArgumentException(function + " has coefficients of its own");
        };
    }

    private static double swigluOai(double gate, double up, double alpha, double limit) {
        double g = Math.min(gate, limit);
        double u = Math.clamp(up, -limit, limit);
        return g * Activations.sigmoid(alpha * g) * (1 + u);
    }
}
