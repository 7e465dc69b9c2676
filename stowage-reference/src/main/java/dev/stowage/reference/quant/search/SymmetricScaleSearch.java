package dev.stowage.reference.quant.search;

import dev.stowage.reference.quant.bits.Rounding;
import java.util.Arrays;

/**
 * Finds, for a few elements, a scale such that {@code level * scale} comes near each of them, with levels on both sides
 * of zero. The search of q6_K.
 *
 * <p>It tries dividing the element farthest from zero by a little less and a little more than the lowest level, takes
 * for each division the scale of weighted least squares, sum(w·x·l) / sum(w·l²), where an element weighs as much as
 * its square, and stays with the one that leaves the least error.
 */
public final class SymmetricScaleSearch {

    private static final int STEPS = 9;
    private static final float STEP = 0.1f;

    private final int size;
    private final int zero;

    private float sumXL;
    private float sumL2;

    /**
     * @param size how many elements share a scale
     * @param zero the number of levels below zero; above it there is one less
     */
    public SymmetricScaleSearch(int size, int zero) {
        this.size = size;
        this.zero = zero;
    }

    /** Returns the scale for the elements at {@code from}; their levels, {@code zero} added, go to {@code at} on. */
    public float search(float[] source, int from, int[] levels, int at) {
        float extreme = Magnitudes.extreme(source, from, size);
        if (Math.abs(extreme) < Magnitudes.TINY) {
            Arrays.fill(levels, at, at + size, 0);
            return 0;
        }
        float chosen = -zero / extreme;
        sum(source, from, chosen);
        float scale = sumL2 != 0 ? sumXL / sumL2 : 0;
        float best = scale * sumXL;
        for (int step = -STEPS; step <= STEPS; step++) {
            if (step == 0) {
                continue;
            }
            float inverse = -(zero + STEP * step) / extreme;
            sum(source, from, inverse);
            if (sumL2 > 0 && sumXL * sumXL > best * sumL2) {
                chosen = inverse;
                scale = sumXL / sumL2;
                best = scale * sumXL;
            }
        }
        for (int i = 0; i < size; i++) {
            levels[at + i] = level(chosen * source[from + i]) + zero;
        }
        return scale;
    }

    private void sum(float[] source, int from, float inverse) {
        sumXL = 0;
        sumL2 = 0;
        for (int i = 0; i < size; i++) {
            float x = source[from + i];
            float weight = x * x;
            int level = level(inverse * x);
            sumXL += weight * x * level;
            sumL2 += weight * level * level;
        }
    }

    private int level(float exact) {
        return Rounding.nearest(exact, -zero, zero - 1);
    }
}
