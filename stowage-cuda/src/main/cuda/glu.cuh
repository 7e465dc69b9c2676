// Gated linear units: an activation of the gate times the other operand.
#pragma once
#include "common.cuh"

enum GluFunction { GLU_REGLU, GLU_GEGLU, GLU_SWIGLU, GLU_SWIGLU_OAI, GLU_GEGLU_ERF, GLU_GEGLU_QUICK };

// Where the activation is cut off to zero so is the product, even if the other factor is NaN or infinite.
DEVICE float glu(int function, float gate, float up, float alpha, float limit) {
    switch (function) {
    case GLU_REGLU: return gate > 0 ? gate * up : 0;
    case GLU_GEGLU: {
        if (gate <= -10) return 0;
        float cubic = 0.79788456080286535588f * gate * (1 + 0.044715f * gate * gate);
        return (gate >= 10 ? gate : 0.5f * gate * (1 + tanhf(cubic))) * up;
    }
    case GLU_SWIGLU: return gate / (1 + expf(-gate)) * up;
    case GLU_SWIGLU_OAI: {
        float g = gate > limit ? limit : gate;
        float u = up > limit ? limit : up < -limit ? -limit : up;
        return g * (1 / (1 + expf(-alpha * g))) * (1 + u);
    }
    case GLU_GEGLU_ERF: return 0.5f * gate * erfcf(-gate * 0.70710678118654752440f) * up;
    default: return gate * (1 / (1 + expf(-1.702f * gate))) * up;
    }
}
