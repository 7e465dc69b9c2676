package dev.stowage.reference.quant.search;

/**
 * The sixteen levels of iq4_nl and iq4_xs: close together around zero, where most weights are, and wide apart far from
 * it. There is no zero among them.
 */
public final class NonLinearLevels {

    private static final int[] LEVELS = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
    private static final int LAST = LEVELS.length - 1;

    private NonLinearLevels() {}

    /** The level that an index from 0 to 15 stands for. */
    public static int level(int index) {
        return LEVELS[index];
    }

    /** The index of the level nearest to a number; halfway between two it is the upper one. */
    public static int nearest(float value) {
        if (value <= LEVELS[0]) {
            return 0;
        }
        int upper = 1;
        while (upper < LAST && !(value < LEVELS[upper])) {
            upper++;
        }
        return value - LEVELS[upper - 1] < LEVELS[upper] - value ? upper - 1 : upper;
    }
}
