package dev.stowage.reference.quant.search;

/**
 * Finds, for 32 elements, the scale with which the levels of {@link NonLinearLevels} come near them. A division gives each
 * element its level; the scale is then the one of weighted least squares, sum(w·x·l) / sum(w·l²), where an element
 * weighs as much as its square. Of several divisions the one that leaves the least error wins.
 */
public final class NonLinearSearch {

    public static final int SIZE = 32;

    private float sumXL;
    private float sumL2;

    /** The scale that the last {@link #divide} gives. */
    public float scale() {
        return sumL2 > 0 ? sumXL / sumL2 : 0;
    }

    /** Gives every element at {@code from} the level nearest to it times {@code inverse}. */
    public void divide(float[] source, int from, float inverse) {
        sumXL = 0;
        sumL2 = 0;
        for (int i = from; i < from + SIZE; i++) {
            float x = source[i];
            float weight = x * x;
            int level = NonLinearLevels.level(NonLinearLevels.nearest(inverse * x));
            sumXL += weight * level * x;
            sumL2 += weight * level * level;
        }
    }

    /**
     * Returns the best scale for the elements at {@code from}, {@code extreme} being the one farthest from zero: tried
     * are the divisions that bring it to the lowest level and up to {@code steps} beside that, and to its opposite.
     */
    public float search(float[] source, int from, float extreme, int steps) {
        divide(source, from, 1 / (-extreme / NonLinearLevels.level(0)));
        float scale = scale();
        float best = scale * sumXL;
        for (int step = -steps; step <= steps; step++) {
            divide(source, from, (step + NonLinearLevels.level(0)) / extreme);
            if (sumL2 > 0 && sumXL * sumXL > best * sumL2) {
                scale = scale();
                best = scale * sumXL;
            }
        }
        return scale;
    }
}
