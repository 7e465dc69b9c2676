package dev.stowage.cuda.op.elementwise;

import dev.stowage.cuda.program.Launch;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.OpParameters;

/**
 * The function of a gated linear unit as kernels take it.
 *
 * @param function its number in {@code glu.cuh}
 */
record GluArguments(int function, float alpha, float limit) {

    /** Whether these are parameters of a GLU. */
    static boolean areKnown(OpParameters parameters) {
        return parameters instanceof OpParameters.SwigluOai
                || (parameters instanceof OpParameters.Glu glu && glu.function() != GluFunction.SWIGLU_OAI);
    }

    /** The arguments for the parameters of a GLU. */
    static GluArguments of(OpParameters parameters) {
        return switch (parameters) {
            case OpParameters.SwigluOai(float alpha, float limit) ->
                new GluArguments(code(GluFunction.SWIGLU_OAI), alpha, limit);
            case OpParameters.Glu glu -> new GluArguments(code(glu.function()), 0, 0);
            default -> throw new IllegalArgumentException(parameters + " does not belong to a gated unit");
        };
    }

    /** Adds function, alpha and limit to a launch. */
    Launch addTo(Launch launch) {
        return launch.i32(function).f32(alpha).f32(limit);
    }

    private static int code(GluFunction function) {
        return switch (function) {
            case REGLU -> 0;
            case GEGLU -> 1;
            case SWIGLU -> 2;
            case SWIGLU_OAI -> 3;
            case GEGLU_ERF -> 4;
            case GEGLU_QUICK -> 5;
        };
    }
}
