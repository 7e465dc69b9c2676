package dev.stowage.reference.quant.search;

import dev.stowage.reference.quant.bits.Rounding;
import java.util.Arrays;

/**
 * Finds, for a few elements, a scale and an offset such that {@code level * scale - offset} comes near each of them,
 * with levels from zero up and neither scale nor offset negative. The search of the K types with a minimum.
 *
 * <p>The first guess spreads the levels over the range of the elements. Further ones stretch that grid a little more
 * each time, assign the levels, and let weighted least squares say the scale and offset that suit these levels best;
 * the guess with the least error stays.
 */
public final class AffineSearch {

    private final int size;
    private final int maxLevel;
    private final float firstStretch;
    private final float stretchStep;
    private final int steps;
    private final boolean squared;

    private final int[] trial;

    private float scale;
    private float min;

    /**
     * @param size how many elements share a scale
     * @param maxLevel the highest level
     * @param firstStretch what is added to the highest level in the first guess after the plain one
     * @param stretchStep what is added more in each further one
     * @param steps how many further ones there are
     * @param squared whether the error counts squared, or as it is
     */
    public AffineSearch(int size, int maxLevel, float firstStretch, float stretchStep, int steps, boolean squared) {
        this.size = size;
        this.maxLevel = maxLevel;
        this.firstStretch = firstStretch;
        this.stretchStep = stretchStep;
        this.steps = steps;
        this.squared = squared;
        this.trial = new int[size];
    }

    /** The scale that the last search found. */
    public float scale() {
        return scale;
    }

    /** The offset that the last search found; it is to be subtracted. */
    public float offset() {
        return -min;
    }

    /** Searches for the elements at {@code from}, weighted by {@code weights}; their levels go to {@code at} on. */
    public void search(float[] source, int from, float[] weights, int[] levels, int at) {
        float low = source[from];
        float high = source[from];
        float sumW = weights[0];
        float sumX = sumW * source[from];
        for (int i = 1; i < size; i++) {
            float x = source[from + i];
            low = x < low ? x : low;
            high = x > high ? x : high;
            sumW += weights[i];
            sumX += weights[i] * x;
        }
        low = low > 0 ? 0 : low;
        min = low;
        if (high == low) {
            scale = 0;
            Arrays.fill(levels, at, at + size, 0);
            return;
        }
        float inverse = maxLevel / (high - low);
        scale = 1 / inverse;
        assign(source, from, inverse, low);
        System.arraycopy(trial, 0, levels, at, size);
        float leastError = error(source, from, weights, scale, low);
        for (int step = 0; step <= steps; step++) {
            // The grid always starts at the best minimum so far, but is as wide as the whole range.
            assign(source, from, (firstStretch + stretchStep * step + maxLevel) / (high - min), min);
            leastError = improve(source, from, weights, sumW, sumX, leastError, levels, at);
        }
    }

    private void assign(float[] source, int from, float inverse, float low) {
        for (int i = 0; i < size; i++) {
            trial[i] = Rounding.nearest(inverse * (source[from + i] - low), 0, maxLevel);
        }
    }

    /** Takes over the trial levels, with the scale and offset that suit them, if they are better; returns the error. */
    private float improve(
            float[] source, int from, float[] weights, float sumW, float sumX, float leastError, int[] levels, int at) {
        float sumL = 0;
        float sumL2 = 0;
        float sumXL = 0;
        for (int i = 0; i < size; i++) {
            float weighted = weights[i] * trial[i];
            sumL += weighted;
            sumL2 += weighted * trial[i];
            sumXL += weighted * source[from + i];
        }
        float determinant = sumW * sumL2 - sumL * sumL;
        if (!(determinant > 0)) {
            return leastError;
        }
        float trialScale = (sumW * sumXL - sumX * sumL) / determinant;
        float trialMin = (sumL2 * sumX - sumL * sumXL) / determinant;
        if (trialMin > 0) {
            trialMin = 0;
            trialScale = sumXL / sumL2;
        }
        float error = error(source, from, weights, trialScale, trialMin);
        if (!(error < leastError)) {
            return leastError;
        }
        System.arraycopy(trial, 0, levels, at, size);
        scale = trialScale;
        min = trialMin;
        return error;
    }

    private float error(float[] source, int from, float[] weights, float trialScale, float trialMin) {
        float sum = 0;
        for (int i = 0; i < size; i++) {
            float difference = trialScale * trial[i] + trialMin - source[from + i];
            sum += weights[i] * (squared ? difference * difference : Math.abs(difference));
        }
        return sum;
    }
}
