package dev.stowage.reference.quant.search;

import dev.stowage.reference.quant.bits.Rounding;

/**
 * Finds, for elements that are hardly ever negative, a scale such that {@code level * scale} comes near each of them,
 * with levels from zero up. iq2_xxs starts its search from it.
 *
 * <p>Of a few divisions the one with the least weighted error gives the levels to start with; then one element after
 * the other may change its level if that, with a scale that suits it, brings all elements together nearer.
 */
public final class NonNegativeScaleSearch {

    private static final int STEPS = 4;
    private static final float STEP = 0.1f;
    private static final int ROUNDS = 5;

    private final int size;
    private final int maxLevel;
    private final int[] levels;

    private float sumXL;
    private float sumL2;

    public NonNegativeScaleSearch(int size, int maxLevel) {
        this.size = size;
        this.maxLevel = maxLevel;
        this.levels = new int[size];
    }

    /** Returns the scale for the elements {@code values} with those weights. */
    public float search(float[] values, float[] weights) {
        float max = Math.max(0, Magnitudes.max(values, 0, size));
        if (max < Magnitudes.TINY) {
            return 0;
        }
        assign(values, weights, bestDivision(values, weights, max));
        int round = 0;
        while (round < ROUNDS && exchange(values, weights)) {
            round++;
        }
        return sumL2 > 0 ? sumXL / sumL2 : 0;
    }

    private float bestDivision(float[] values, float[] weights, float max) {
        float best = maxLevel / max;
        // In the plain division, unlike the others, a negative level counts as the byte that it would be written as.
        float leastError = error(values, weights, best, 0xFF);
        for (int step = -STEPS; step <= STEPS; step++) {
            float inverse = (STEP * step + maxLevel) / max;
            float error = step == 0 ? leastError : error(values, weights, inverse, -1);
            if (error < leastError) {
                best = inverse;
                leastError = error;
            }
        }
        return best;
    }

    private float error(float[] values, float[] weights, float inverse, int mask) {
        float scale = 1 / inverse;
        float error = 0;
        for (int i = 0; i < size; i++) {
            float difference = values[i] - scale * (level(inverse * values[i]) & mask);
            error += weights[i] * difference * difference;
        }
        return error;
    }

    private void assign(float[] values, float[] weights, float inverse) {
        sumXL = 0;
        sumL2 = 0;
        for (int i = 0; i < size; i++) {
            int level = level(inverse * values[i]);
            levels[i] = level & 0xFF;
            sumXL += weights[i] * values[i] * level;
            sumL2 += weights[i] * level * level;
        }
    }

    private int level(float exact) {
        return Math.min(maxLevel, Rounding.nearest(exact));
    }

    /** One round over all elements; says whether any level changed. */
    private boolean exchange(float[] values, float[] weights) {
        boolean changed = false;
        for (int i = 0; i < size; i++) {
            float weighted = weights[i] * values[i];
            float otherXL = sumXL - weighted * levels[i];
            float otherL2 = sumL2 - weights[i] * levels[i] * levels[i];
            if (otherXL > 0 && otherL2 > 0) {
                int level = level(values[i] * otherL2 / otherXL);
                if (level != levels[i]) {
                    otherXL += weighted * level;
                    otherL2 += weights[i] * level * level;
                    if (otherXL * otherXL * sumL2 > sumXL * sumXL * otherL2) {
                        levels[i] = level & 0xFF;
                        sumXL = otherXL;
                        sumL2 = otherL2;
                        changed = true;
                    }
                }
            }
        }
        return changed;
    }
}
