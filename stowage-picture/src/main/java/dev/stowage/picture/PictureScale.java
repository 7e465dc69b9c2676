package dev.stowage.picture;

/** The distance between the labels of an axis. */
public final class PictureScale {

    private static final long[] LEADING = {1, 2, 5};

    private PictureScale() {}

    /** The smallest of 1, 2, 5, 10, 20, 50 ... that is not less than {@code atLeast}, as far as a long goes. */
    public static long roundStep(long atLeast) {
        for (long power = 1; ; power *= 10) {
            for (long leading : LEADING) {
                if (leading * power >= atLeast || power > Long.MAX_VALUE / 10) {
                    return leading * power;
                }
            }
        }
    }
}
