package dev.stowage.tensor;

/**
 * The angles of {@link Op#ROPE}. Pair {@code i} of {@code n} is rotated by {@code position * scale * base^(-i / n)}; an
 * extension factor other than 0 mixes in the angle without the scale, less and less between the pairs that {@code
 * betaFast} and {@code betaSlow} mark for the original context (YaRN). The result is multiplied with the attention
 * factor.
 */
public record RopeFrequencies(
        int originalContext,
        float base,
        float scale,
        float extensionFactor,
        float attentionFactor,
        float betaFast,
        float betaSlow) {

    /** Base 10000, as it was first published: no scaling, no extension. */
    public static final RopeFrequencies PLAIN = of(10000f, 1f);

    /** That base and scale of the angles, without extension. */
    public static RopeFrequencies of(float base, float scale) {
        return new RopeFrequencies(0, base, scale, 0f, 1f, 0f, 0f);
    }
}
