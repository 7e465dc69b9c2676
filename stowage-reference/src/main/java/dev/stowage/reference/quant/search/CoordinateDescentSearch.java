package dev.stowage.reference.quant.search;

import dev.stowage.reference.quant.bits.Rounding;
import java.util.Arrays;

/**
 * Finds, for a few elements, a scale such that {@code level * scale} comes near each of them, with levels on both sides
 * of zero. The search of q3_K.
 *
 * <p>It starts with the levels that a plain division gives and then asks of one element after the other whether
 * another level, with a scale that suits it, would bring all elements together nearer. The scale is the one of
 * weighted least squares, sum(w·x·l) / sum(w·l²), where an element weighs as much as its square.
 */
public final class CoordinateDescentSearch {

    private static final int ROUNDS = 5;

    private final int size;
    private final int zero;

    private float sumXL;
    private float sumL2;

    /**
     * @param size how many elements share a scale
     * @param zero the number of levels below zero; above it there is one less
     */
    public CoordinateDescentSearch(int size, int zero) {
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
        divide(source, from, -zero / extreme, levels, at);
        int round = 0;
        while (round < ROUNDS && exchange(source, from, levels, at)) {
            round++;
        }
        for (int i = at; i < at + size; i++) {
            levels[i] += zero;
        }
        return sumL2 > 0 ? sumXL / sumL2 : 0;
    }

    private void divide(float[] source, int from, float inverse, int[] levels, int at) {
        sumXL = 0;
        sumL2 = 0;
        for (int i = 0; i < size; i++) {
            float x = source[from + i];
            float weight = x * x;
            int level = level(inverse * x);
            levels[at + i] = level;
            sumXL += weight * x * level;
            sumL2 += weight * level * level;
        }
    }

    /** One round over all elements; says whether any level changed. */
    private boolean exchange(float[] source, int from, int[] levels, int at) {
        boolean changed = false;
        for (int i = 0; i < size; i++) {
            float x = source[from + i];
            float weight = x * x;
            int old = levels[at + i];
            float otherXL = sumXL - weight * x * old;
            if (otherXL > 0) {
                float otherL2 = sumL2 - weight * old * old;
                int level = level(x * otherL2 / otherXL);
                if (level != old) {
                    otherXL += weight * x * level;
                    otherL2 += weight * level * level;
                    if (otherL2 > 0 && otherXL * otherXL * sumL2 > sumXL * sumXL * otherL2) {
                        levels[at + i] = level;
                        sumXL = otherXL;
                        sumL2 = otherL2;
                        changed = true;
                    }
                }
            }
        }
        return changed;
    }

    private int level(float exact) {
        return Rounding.nearest(exact, -zero, zero - 1);
    }
}
