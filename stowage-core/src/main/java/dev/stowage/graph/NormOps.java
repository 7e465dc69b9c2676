package dev.stowage.graph;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;

/**
 * Normalisations. The result has the type and shape of the operand; {@code epsilon} keeps the divisor from being zero.
 */
sealed interface NormOps extends OpFamily permits GraphBuilder {

    /** {@code (x - mean) / sqrt(variance + epsilon)} of each row. */
    default Tensor norm(Tensor a, float epsilon) {
        return normalised(Op.NORM, a, epsilon, false);
    }

    /** {@link #norm} in the bytes of {@code a}. */
    default Tensor normInplace(Tensor a, float epsilon) {
        return normalised(Op.NORM, a, epsilon, true);
    }

    /** {@code x / sqrt(mean(x²) + epsilon)} of each row. */
    default Tensor rmsNorm(Tensor a, float epsilon) {
        return normalised(Op.RMS_NORM, a, epsilon, false);
    }

    /** {@link #rmsNorm} in the bytes of {@code a}. */
    default Tensor rmsNormInplace(Tensor a, float epsilon) {
        return normalised(Op.RMS_NORM, a, epsilon, true);
    }

    /** {@code x / max(sqrt(sum(x²)), epsilon)} of each row. */
    default Tensor l2Norm(Tensor a, float epsilon) {
        return normalised(Op.L2_NORM, a, epsilon, false);
    }

    /** {@link #l2Norm} in the bytes of {@code a}. */
    default Tensor l2NormInplace(Tensor a, float epsilon) {
        return normalised(Op.L2_NORM, a, epsilon, true);
    }

    /** {@code (x - mean) / sqrt(variance + epsilon)} of each group of channels (dimension 2). */
    default Tensor groupNorm(Tensor a, int groups, float epsilon) {
        return groupNormalised(a, groups, epsilon, false);
    }

    /** {@link #groupNorm} in the bytes of {@code a}. */
    default Tensor groupNormInplace(Tensor a, int groups, float epsilon) {
        return groupNormalised(a, groups, epsilon, true);
    }

    private Tensor normalised(Op op, Tensor a, float epsilon, boolean inPlace) {
        return OpCall.of(this, op, new OpParameters.Norm(epsilon), a)
                .require(epsilon >= 0, "epsilon must not be negative")
                .result(a, inPlace);
    }

    private Tensor groupNormalised(Tensor a, int groups, float epsilon, boolean inPlace) {
        return OpCall.of(this, Op.GROUP_NORM, new OpParameters.GroupNorm(groups, epsilon), a)
                .require(groups > 0, "there must be at least one group")
                .require(epsilon >= 0, "epsilon must not be negative")
                .result(a, inPlace);
    }
}
