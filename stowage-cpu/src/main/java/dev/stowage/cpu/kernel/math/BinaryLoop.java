package dev.stowage.cpu.kernel.math;

/** A function of two floats, applied to dense runs of them; see {@link UnaryLoop}. */
@FunctionalInterface
public interface BinaryLoop {

    /**
     * Computes {@code count} floats at {@code to} from those at {@code a} and {@code b}, either of which may be the
     * same place. Where the second operand is one number for all, {@code b} is the place of that.
     *
     * @param count a multiple of {@link UnaryLoop#STEP}
     */
    void apply(long a, long b, long to, long count);
}
