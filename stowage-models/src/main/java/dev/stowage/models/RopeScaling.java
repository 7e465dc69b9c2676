package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.tensor.RopeFrequencies;

/**
 * How a rope is stretched to reach positions beyond those a model was first trained for: all angles made smaller by one
 * scale, or the slow ones more than the fast ones (YaRN).
 *
 * @param scale what the angles are multiplied with: 1 for none, 0.25 for a context four times as long
 * @param extensionFactor how much of the angle without the scale is mixed in for fast pairs: 1 for YaRN, else 0
 * @param originalContext the context before it was stretched, 0 where that is the trained one
 * @param attentionFactor what turned queries and keys are multiplied with
 * @param betaFast marks the pairs that count as fast
 * @param betaSlow marks the pairs that count as slow
 */
public record RopeScaling(
        float scale,
        float extensionFactor,
        int originalContext,
        float attentionFactor,
        float betaFast,
        float betaSlow) {

    /** What marks fast pairs where nothing else is said. */
    public static final float DEFAULT_BETA_FAST = 32f;

    /** What marks slow pairs where nothing else is said. */
    public static final float DEFAULT_BETA_SLOW = 1f;

    /** By how much YaRN sharpens attention for every factor of e that the context grows. */
    private static final float YARN_SHARPENING = 0.1f;

    private static final RopeScaling NONE = linear(1f);

    /**
     * @throws InvalidGraphException if the scale is not a number above 0, or the original context is negative
     */
    public RopeScaling {
        if (!(scale > 0) || Float.isInfinite(scale) || originalContext < 0) {
            throw new InvalidGraphException("rope needs a scale above 0 and an original context of at least 0, not "
                    + scale + " and " + originalContext);
        }
    }

    /** Positions as they are. */
    public static RopeScaling none() {
        return NONE;
    }

    /** All angles multiplied with one scale. */
    public static RopeScaling linear(float scale) {
        return new RopeScaling(scale, 0f, 0, 1f, DEFAULT_BETA_FAST, DEFAULT_BETA_SLOW);
    }

    RopeFrequencies frequencies(float base, int trainedContext) {
        int original = originalContext == 0 ? trainedContext : originalContext;
        return new RopeFrequencies(
                original, base, scale, extensionFactor, attentionFactor * correction(), betaFast, betaSlow);
    }

    /**
     * The op sharpens attention by the logarithm of the scale whenever there is an extension factor; only a context that
     * grows is meant to be sharpened, so for one that shrinks it is taken back.
     */
    private float correction() {
        if (extensionFactor == 0f) {
            return 1f;
        }
        float logarithm = (float) Math.log(1f / scale);
        float wanted = scale >= 1f ? 1f : YARN_SHARPENING * logarithm + 1f;
        return wanted / (1f + YARN_SHARPENING * logarithm);
    }
}
