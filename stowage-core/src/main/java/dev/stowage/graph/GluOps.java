package dev.stowage.graph;

import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Gated linear units: {@code activation(gate) * up}. Gate and up are two operands of the same shape, which the result
 * has too, or the two halves of each row of one operand, and the rows of the result are then half as long.
 */
sealed interface GluOps extends OpFamily permits GraphBuilder {

    /** {@code function} with the gate in the first half of each row. */
    default Tensor glu(Tensor gateAndUp, GluFunction function) {
        return gated(gateAndUp, null, function, false);
    }

    /** {@code function} with the gate in the second half of each row. */
    default Tensor gluSwapped(Tensor upAndGate, GluFunction function) {
        return gated(upAndGate, null, function, true);
    }

    /** {@code function} of two operands of the same type and shape. */
    default Tensor gluSplit(Tensor gate, Tensor up, GluFunction function) {
        return gated(gate, up, function, false);
    }

    /** {@code relu(gate) * up}, gate and up being the halves of each row. */
    default Tensor reglu(Tensor gateAndUp) {
        return gated(gateAndUp, null, GluFunction.REGLU, false);
    }

    /** {@code relu(gate) * up} of two operands of the same type and shape. */
    default Tensor reglu(Tensor gate, Tensor up) {
        return gated(gate, up, GluFunction.REGLU, false);
    }

    /** {@code gelu(gate) * up}, gate and up being the halves of each row. */
    default Tensor geglu(Tensor gateAndUp) {
        return gated(gateAndUp, null, GluFunction.GEGLU, false);
    }

    /** {@code gelu(gate) * up} of two operands of the same type and shape. */
    default Tensor geglu(Tensor gate, Tensor up) {
        return gated(gate, up, GluFunction.GEGLU, false);
    }

    /** {@code silu(gate) * up}, gate and up being the halves of each row. */
    default Tensor swiglu(Tensor gateAndUp) {
        return gated(gateAndUp, null, GluFunction.SWIGLU, false);
    }

    /** {@code silu(gate) * up} of two operands of the same type and shape. */
    default Tensor swiglu(Tensor gate, Tensor up) {
        return gated(gate, up, GluFunction.SWIGLU, false);
    }

    /** {@code geluErf(gate) * up}, gate and up being the halves of each row. */
    default Tensor gegluErf(Tensor gateAndUp) {
        return gated(gateAndUp, null, GluFunction.GEGLU_ERF, false);
    }

    /** {@code geluErf(gate) * up} of two operands of the same type and shape. */
    default Tensor gegluErf(Tensor gate, Tensor up) {
        return gated(gate, up, GluFunction.GEGLU_ERF, false);
    }

    /** {@code geluQuick(gate) * up}, gate and up being the halves of each row. */
    default Tensor gegluQuick(Tensor gateAndUp) {
        return gated(gateAndUp, null, GluFunction.GEGLU_QUICK, false);
    }

    /** {@code geluQuick(gate) * up} of two operands of the same type and shape. */
    default Tensor gegluQuick(Tensor gate, Tensor up) {
        return gated(gate, up, GluFunction.GEGLU_QUICK, false);
    }

    /**
     * {@code g * sigmoid(alpha * g) * (1 + u)} with {@code g = min(gate, limit)} and {@code u} being {@code up} kept
     * between {@code -limit} and {@code limit}.
     */
    default Tensor swigluOai(Tensor gate, Tensor up, float alpha, float limit) {
        return gated(gate, up, new OpParameters.SwigluOai(alpha, limit));
    }

    private Tensor gated(Tensor a, @Nullable Tensor b, GluFunction function, boolean swapped) {
        OpParameters.Glu parameters = new OpParameters.Glu(function, swapped);
        OpCall.of(this, Op.GLU, parameters, a, b)
                .require(function != GluFunction.SWIGLU_OAI, "this function has coefficients: call swigluOai");
        return gated(a, b, parameters);
    }

    private Tensor gated(Tensor a, @Nullable Tensor b, OpParameters parameters) {
        OpCall call = OpCall.of(this, Op.GLU, parameters, a, b)
                .require(a.layout().isContiguousAbove(1), "the operand must be without gaps but between its rows");
        if (b == null) {
            return call.require(a.dim(0) % 2 == 0, "the rows must have two halves")
                    .result(a.type(), a.dim(0) / 2, a.dim(1), a.dim(2), a.dim(3));
        }
        return call.require(b.layout().isContiguousAbove(1), "the second must be without gaps but between its rows")
                .require(a.shape().equals(b.shape()), "both must have the same shape")
                .require(a.type() == b.type(), "both must have the same type")
                .resultLike(a);
    }
}
