package dev.stowage.reference.quant.search;

import java.util.Arrays;

/**
 * Finds, for a group of elements, a scale and levels -1, 0 or 1, shifted a little up or down, such that
 * {@code scale * (level ± 1/8)} comes near each of them, and then points of {@link Codebook#IQ1} near these levels.
 * The search of the iq1 types.
 *
 * <p>With only three levels all assignments that matter can be tried: in ascending order the elements fall into three
 * runs, so two boundaries say it all. How the pairs of boundaries are judged, and which points of a group are shifted
 * the same way, is for each type to say; a pattern has a bit for each choice, set for down.
 */
public abstract class TernarySearch {

    private static final Codebook BOOK = Codebook.IQ1;
    private static final float SHIFT = 0.125f;

    private final int size;
    private final int[] order;
    private final int[] places;
    private final int[] numbers;
    private final int patterns;

    private float bestScore;
    private float scale;
    private int lowEnd;
    private int middleEnd;
    private int pattern;

    /**
     * @param size how many elements share a scale
     * @param patterns how many patterns of shifts there are, a power of two
     */
    public TernarySearch(int size, int patterns) {
        this.size = size;
        this.patterns = patterns;
        this.order = new int[size];
        this.places = new int[size];
        this.numbers = new int[size / BOOK.dimension()];
    }

    /** Offers all pairs of boundaries, with all patterns, to {@link #consider}. */
    public abstract void split(float[] source, int from, float[] weights, int[] ascending);

    /** Whether a point of the group is shifted down in a pattern. */
    public abstract boolean down(int pattern, int point);

    /** What a place, from 0 to 2, stands for, before the scale. */
    public static float value(int place, boolean down) {
        return place - 1 + (down ? -SHIFT : SHIFT);
    }

    /** The numbers of the points that were found. */
    public final int[] numbers() {
        return numbers;
    }

    /** The pattern of shifts that was found. */
    public final int pattern() {
        return pattern;
    }

    /** Returns the scale for the elements at {@code from}, or zero, with points and pattern zero, if none is good. */
    public final float search(float[] source, int from, float[] weights) {
        sort(source, from);
        bestScore = -Float.MAX_VALUE;
        lowEnd = -1;
        split(source, from, weights, order);
        if (lowEnd < 0) {
            clear();
            return 0;
        }
        boolean mirrored = scale < 0;
        for (int i = 0; i < size; i++) {
            int place = i < lowEnd ? 0 : i < middleEnd ? 1 : 2;
            places[order[i]] = mirrored ? 2 - place : place;
        }
        if (mirrored) {
            scale = -scale;
            pattern = patterns - 1 - pattern;
        }
        if (!choosePoints(source, from, weights)) {
            adjustScale(source, from, weights);
        }
        return scale;
    }

    /** Makes the result one without points and shifts. */
    public final void clear() {
        Arrays.fill(numbers, 0);
        pattern = 0;
    }

    /** Takes note of a pair of boundaries with the two sums of least squares that it gives. */
    public final void consider(float sumXQ, float sumQ2, int low, int middle, int shifts) {
        if (sumQ2 > 0 && sumXQ * sumXQ > bestScore * sumQ2) {
            scale = sumXQ / sumQ2;
            bestScore = scale * sumXQ;
            lowEnd = low;
            middleEnd = middle;
            pattern = shifts;
        }
    }

    /** Equal elements stay in the order they come in. */
    private void sort(float[] source, int from) {
        for (int i = 0; i < size; i++) {
            int hole = i;
            while (hole > 0 && source[from + i] < source[from + order[hole - 1]]) {
                order[hole] = order[hole - 1];
                hole--;
            }
            order[hole] = i;
        }
    }

    /** Says whether the book has all points just where they are wanted. */
    private boolean choosePoints(float[] source, int from, float[] weights) {
        boolean exact = true;
        for (int point = 0; point < numbers.length; point++) {
            int first = point * BOOK.dimension();
            int code = BOOK.code(places, first);
            exact &= BOOK.contains(code);
            numbers[point] = BOOK.contains(code)
                    ? BOOK.number(code)
                    : nearest(BOOK.near(code), source, from + first, weights, first, down(pattern, point));
        }
        return exact;
    }

    private int nearest(int[] near, float[] source, int from, float[] weights, int at, boolean down) {
        int nearest = near[0];
        float least = Float.MAX_VALUE;
        for (int number : near) {
            float distance = 0;
            for (int i = 0; i < BOOK.dimension(); i++) {
                float difference = scale * value(BOOK.level(number, i), down) - source[from + i];
                distance += weights[at + i] * difference * difference;
            }
            if (distance < least) {
                nearest = number;
                least = distance;
            }
        }
        return nearest;
    }

    private void adjustScale(float[] source, int from, float[] weights) {
        float sumXQ = 0;
        float sumQ2 = 0;
        for (int i = 0; i < size; i++) {
            int point = i / BOOK.dimension();
            float q = value(BOOK.level(numbers[point], i % BOOK.dimension()), down(pattern, point));
            sumXQ += weights[i] * q * source[from + i];
            sumQ2 += weights[i] * q * q;
        }
        if (sumXQ > 0 && sumQ2 > 0) {
            scale = sumXQ / sumQ2;
        }
    }
}
