package dev.stowage.models;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.Tensor;

/**
 * What the gate of a feed-forward network goes through before it is multiplied with the other half; or all of it, where there
 * is no gate.
 */
public enum Activation {
    /** The sigmoid times the number itself, as in the Llama family. */
    SILU,
    /** The number times the share of a normal distribution below it, as in Gemma and BERT. */
    GELU,
    /** SILU with a steeper sigmoid and limits, as in gpt-oss. */
    CLAMPED_SILU;

    private static final float STEEPNESS = 1.702f;
    private static final float LIMIT = 7f;

    /** The gate through this function, times the other half. */
    Tensor gated(GraphBuilder ops, Tensor gate, Tensor up) {
        return switch (this) {
            case SILU -> ops.swiglu(gate, up);
            case GELU -> ops.geglu(gate, up);
            case CLAMPED_SILU -> ops.swigluOai(gate, up, STEEPNESS, LIMIT);
        };
    }

    /** As {@link #gated(GraphBuilder, Tensor, Tensor)}, of rows whose first half is the gate. */
    Tensor gated(GraphBuilder ops, Tensor gateAndUp) {
        return switch (this) {
            case SILU -> ops.swiglu(gateAndUp);
            case GELU -> ops.geglu(gateAndUp);
            case CLAMPED_SILU ->
                throw new UnsupportedOperationException("the clamped function reads gate and the rest apart");
        };
    }

    /** This function of numbers that have no gate. */
    Tensor ungated(GraphBuilder ops, Tensor up) {
        return switch (this) {
            case SILU -> ops.silu(up);
            case GELU -> ops.gelu(up);
            case CLAMPED_SILU -> throw new UnsupportedOperationException("the clamped function is that of a gate");
        };
    }

    /** The name of the result, as in llama.cpp. */
    String label() {
        return switch (this) {
            case SILU -> "swiglu";
            case GELU -> "geglu";
            case CLAMPED_SILU -> "swiglu_oai";
        };
    }
}
