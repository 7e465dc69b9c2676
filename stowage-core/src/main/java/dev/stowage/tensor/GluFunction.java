package dev.stowage.tensor;

/**
 * The gated units of {@link Op#GLU}: each multiplies a value {@code up} with an activation of another value
 * {@code gate}. The names are ggml's.
 */
public enum GluFunction {
    /** {@code relu(gate) * up}. */
    REGLU,
    /** {@code gelu(gate) * up}. */
    GEGLU,
    /** {@code silu(gate) * up}. */
    SWIGLU,
    /** {@code g * sigmoid(alpha * g) * (1 + u)} with both sides limited; see {@link OpParameters.SwigluOai}. */
    SWIGLU_OAI,
    /** {@code gelu(gate) * up} by the error function. */
    GEGLU_ERF,
    /** {@code gate * sigmoid(1.702 * gate) * up}. */
    GEGLU_QUICK
}
