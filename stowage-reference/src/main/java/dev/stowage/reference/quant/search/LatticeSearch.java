package dev.stowage.reference.quant.search;

import dev.stowage.reference.quant.bits.Rounding;
import java.util.Arrays;

/**
 * Finds, for a group of elements without their signs, a scale and points of a {@link Codebook} such that the points
 * times the scale come near the elements. A coordinate of level {@code l} counts as {@code 2·l + 1} here.
 *
 * <p>For each of a few scales every few elements get the place of the grid nearest to them or, where the book has no
 * point there, the best of those around; the scale of weighted least squares, sum(w·x·q) / sum(w·q²), says how good
 * that is. With the best scale found, points that were off the grid are looked for once more.
 */
public final class LatticeSearch {

    /** Which points are looked for once more. */
    public enum Again {
        /** All of them. */
        ALL,
        /** All of them, if any was off the grid. */
        ALL_IF_ANY_OFF,
        /** Those that were off the grid. */
        OFF
    }

    private final Codebook book;
    private final int steps;
    private final float step;
    private final Again again;

    private final float[] values;
    private final float[] weights;
    private final float[] roots;
    private final int[] trial;
    private final boolean[] trialOff;
    private final int[] numbers;
    private final boolean[] off;

    private float sumXQ;
    private float sumQ2;

    /**
     * @param size how many elements share a scale
     * @param steps how many scales are tried on either side of the first
     * @param step how far apart they are, in units of a level
     */
    public LatticeSearch(Codebook book, int size, int steps, float step, Again again) {
        this.book = book;
        this.steps = steps;
        this.step = step;
        this.again = again;
        int points = size / book.dimension();
        this.values = new float[size];
        this.weights = new float[size];
        this.roots = new float[size];
        this.trial = new int[points];
        this.trialOff = new boolean[points];
        this.numbers = new int[points];
        this.off = new boolean[points];
    }

    /** The elements to search for, to be filled in before; a few may be negative. */
    public float[] values() {
        return values;
    }

    /** What the elements weigh, to be filled in before. */
    public float[] weights() {
        return weights;
    }

    /** The numbers of the points that were found. */
    public int[] numbers() {
        return numbers;
    }

    /**
     * Returns the scale that was found; it is negative where that is better.
     *
     * @param ceiling the element, or thereabouts, that is to get the highest level
     * @param firstScale the scale in case that none of those tried is any good
     */
    public float search(float ceiling, float firstScale) {
        for (int i = 0; i < weights.length; i++) {
            roots[i] = (float) Math.sqrt(weights[i]);
        }
        Arrays.fill(numbers, 0);
        Arrays.fill(off, again == Again.ALL_IF_ANY_OFF);
        float scale = firstScale;
        float best = 0;
        for (int s = -steps; s <= steps; s++) {
            float inverse = (2 * book.levels() - 1 + s * step) / ceiling;
            for (int point = 0; point < trial.length; point++) {
                int code = place(point, inverse);
                trialOff[point] = !book.contains(code);
                trial[point] = number(code, point, 1 / inverse);
            }
            sum(trial);
            if (sumQ2 > 0 && sumXQ * sumXQ > best * sumQ2) {
                scale = sumXQ / sumQ2;
                best = scale * sumXQ;
                System.arraycopy(trial, 0, numbers, 0, trial.length);
                System.arraycopy(trialOff, 0, off, 0, trial.length);
            }
        }
        return scale > 0 ? searchAgain(scale) : scale;
    }

    private float searchAgain(float scale) {
        boolean anyOff = false;
        for (boolean one : off) {
            anyOff |= one;
        }
        if (!anyOff && again != Again.ALL) {
            return scale;
        }
        for (int point = 0; point < numbers.length; point++) {
            if (off[point] || again != Again.OFF) {
                numbers[point] = number(place(point, 1 / scale), point, scale);
            }
        }
        sum(numbers);
        return sumQ2 > 0 ? sumXQ / sumQ2 : scale;
    }

    /** The code of the place nearest to the elements of a point. */
    private int place(int point, float inverse) {
        int code = 0;
        for (int i = (point + 1) * book.dimension() - 1; i >= point * book.dimension(); i--) {
            int level = Rounding.nearest(0.5f * (inverse * values[i] - 1), 0, book.levels() - 1);
            code = code * book.levels() + level;
        }
        return code;
    }

    /** The number of the point at that place, or else of the one near it that comes nearest to the elements. */
    private int number(int code, int point, float scale) {
        if (book.contains(code)) {
            return book.number(code);
        }
        int[] near = book.near(code);
        int nearest = near[0];
        float least = Float.MAX_VALUE;
        for (int number : near) {
            float distance = distance(number, point * book.dimension(), scale);
            if (distance < least) {
                nearest = number;
                least = distance;
            }
        }
        return nearest;
    }

    private float distance(int number, int first, float scale) {
        float sum = 0;
        for (int i = 0; i < book.dimension(); i++) {
            float difference = scale * (2 * book.level(number, i) + 1) - values[first + i];
            sum += roots[first + i] * difference * difference;
        }
        return sum;
    }

    private void sum(int[] points) {
        sumXQ = 0;
        sumQ2 = 0;
        for (int i = 0; i < values.length; i++) {
            int q = 2 * book.level(points[i / book.dimension()], i % book.dimension()) + 1;
            sumXQ += weights[i] * values[i] * q;
            sumQ2 += weights[i] * q * q;
        }
    }
}
