package dev.stowage.cuda.op.unit;

/**
 * Where results are rounded exactly as ggml's processor kernels round them. The likelihoods of small models with quantised
 * weights depend on the last bits of each activation; the long rows and large matrices of others average such differences
 * out, and are multiplied in the way that is fastest.
 */
public final class Exactness {

    private static final long SHORT_ROW = 2048;
    private static final long SMALL_MATRIX = 1 << 20;

    private Exactness() {}

    /** Whether a row is so short that rounding errors in it do not average out. */
    public static boolean isShort(long elements) {
        return elements < SHORT_ROW;
    }

    /** Whether a matrix is so small that the L2 cache keeps it, so that exact products with it are as fast as others. */
    public static boolean isSmall(long rowElements, long rows) {
        return rowElements * rows <= SMALL_MATRIX;
    }
}
