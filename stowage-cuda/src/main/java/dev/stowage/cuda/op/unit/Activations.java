package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.program.Launch;

/**
 * The vectors that a product multiplies matrices with.
 *
 * @param x the first vector: floats, or quantised
 * @param isQuantized whether it is quantised
 * @param tokenStride from one token's vector to the next: floats, or bytes where quantised
 * @param expertStride from the vector of one used expert of a token to the next; 0 where all have the same
 * @param norm the weight of an RMS norm that floats are multiplied with, or {@link Pointers#NONE}
 * @param squares the sums of squares of quantised vectors, or {@link Pointers#NONE}
 * @param hasRms whether results are divided by the root of the mean square, plus epsilon
 */
public record Activations(
        Launch.Argument x,
        boolean isQuantized,
        long tokenStride,
        long expertStride,
        Launch.Argument norm,
        Launch.Argument squares,
        boolean hasRms,
        float epsilon) {

    /** Floats as they are; vectors are {@code stride} floats apart. */
    public static Activations floats(Launch.Argument x, long stride) {
        return new Activations(x, false, stride, 0, Pointers.NONE, Pointers.NONE, false, 0);
    }

    /** The RMS norm of floats, times a weight where there is one; vectors are {@code stride} floats apart. */
    public static Activations normed(Launch.Argument x, long stride, Launch.Argument weight, float epsilon) {
        return new Activations(x, false, stride, 0, weight, Pointers.NONE, true, epsilon);
    }

    /** What another launch published, as it is. */
    public static Activations of(QuantizedActivations published) {
        return quantized(published, Pointers.NONE, false, 0);
    }

    /** The RMS norm of what another launch published with the weight of that norm. */
    public static Activations normed(QuantizedActivations published, float epsilon) {
        return quantized(published, Pointers.of(published.squares()), true, epsilon);
    }

    private static Activations quantized(
            QuantizedActivations published, Launch.Argument squares, boolean hasRms, float epsilon) {
        long bytes = QuantizedActivations.vectorBytes(published.k());
        return new Activations(
                Pointers.of(published.values()), true, bytes, 0, Pointers.NONE, squares, hasRms, epsilon);
    }

    /** What another launch published for each used expert of each token, as it is. */
    public static Activations ofExperts(QuantizedActivations published, int used) {
        long bytes = QuantizedActivations.vectorBytes(published.k());
        return new Activations(
                Pointers.of(published.values()), true, bytes * used, bytes, Pointers.NONE, Pointers.NONE, false, 0);
    }

    /** Each used expert of a token has a vector of its own, so many floats or bytes after the one before. */
    public Activations perExpert(long stride) {
        return new Activations(x, isQuantized, tokenStride, stride, norm, squares, hasRms, epsilon);
    }

    /** The vectors from that token on. */
    Activations from(long token) {
        long bytes = token * tokenStride * (isQuantized ? 1 : Float.BYTES);
        return new Activations(
                Pointers.plus(x, bytes), isQuantized, tokenStride, expertStride, norm, squares, hasRms, epsilon);
    }
}
