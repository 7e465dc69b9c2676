package dev.stowage.cpu.kernel.attention;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Rotary positions: the cosines and sines of a token's angles, and rows of floats rotated by them. Angles grow with the
 * position, so they are brought into the first quadrant in doubles; floats would lose them after some thousand tokens.
 */
public final class RopeKernels {

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Double> D = DoubleVector.SPECIES_PREFERRED;
    private static final Class<? extends Vector<Float>> FLOATS = F.vectorType();
    private static final Class<? extends Vector<Double>> DOUBLES = D.vectorType();
    private static final Class<? extends Vector<Long>> LONGS = LongVector.SPECIES_PREFERRED.vectorType();
    private static final int STEP = F.vectorByteSize();

    /** The upper half of a vector of floats, which the second of two vectors of doubles goes to. */
    private static final VectorMask<Float> UPPER = F.indexInRange(0, D.length()).not();

    /** Each element changed over with the other one of its pair. */
    private static final VectorShuffle<Float> OTHERS = F.shuffleFromOp(i -> i ^ 1);

    /** Adding it rounds a double to a whole number, which then stands in the lowest bits. */
    private static final double ROUND = 0x1.8p52;

    /**
     * The largest angle for vectors. A double holds the quadrants of far larger ones, but the last bits of these, and with
     * them the order of the products they come from, show in their cosines.
     */
    public static final double FAR = 0x1p27;

    private static final double QUADRANTS = 2 / Math.PI;
    private static final double QUADRANT_HIGH = Math.PI / 2;

    /** What is missing of half of pi in a double. */
    private static final double QUADRANT_LOW = 6.123233995736766e-17;

    private static final double S3 = -1.0 / 6;
    private static final double S5 = 1.0 / 120;
    private static final double S7 = -1.0 / 5040;
    private static final double S9 = 1.0 / 362880;
    private static final double C2 = -1.0 / 2;
    private static final double C4 = 1.0 / 24;
    private static final double C6 = -1.0 / 720;
    private static final double C8 = 1.0 / 40320;
    private static final double C10 = -1.0 / 3628800;

    private RopeKernels() {}

    /**
     * Writes the cosines and sines of angles as floats. Angle {@code i} is {@code position * frequencies[i]}, at most
     * {@link #FAR} either way.
     *
     * @param magnitude what the cosines are multiplied with
     * @param signs what each sine is multiplied with
     * @param values room for the cosines and sines as doubles
     */
    public static void cosinesAndSines(
            double[] frequencies,
            double position,
            double magnitude,
            double[] signs,
            double[] values,
            long cosines,
            long sines) {
        cosinesAndSines(frequencies, position, magnitude, signs, values);
        narrow(values, 0, frequencies.length, cosines);
        narrow(values, frequencies.length, frequencies.length, sines);
    }

    /**
     * Writes the cosines and sines of angles of any size as floats, one by one; for those whose quadrants a double does not
     * hold. The other parameters are as above.
     */
    public static void farCosinesAndSines(
            double[] angles, double magnitude, double[] signs, double[] values, long cosines, long sines) {
        cosinesAndSinesFrom(0, angles, 1, magnitude, signs, values);
        narrow(values, 0, angles.length, cosines);
        narrow(values, angles.length, angles.length, sines);
    }

    private static void cosinesAndSines(
            double[] frequencies, double position, double magnitude, double[] signs, double[] values) {
        DoubleVector one = DoubleVector.broadcast(D, 1);
        DoubleVector round = DoubleVector.broadcast(D, ROUND);
        int n = frequencies.length;
        int i = 0;
        for (; i <= n - D.length(); i += D.length()) {
            DoubleVector angle = DoubleVector.fromArray(D, frequencies, i).mul(position);
            DoubleVector z = angle.mul(QUADRANTS).add(round);
            DoubleVector k = z.sub(round);
            DoubleVector r = k.fma(DoubleVector.broadcast(D, -QUADRANT_HIGH), angle);
            r = k.fma(DoubleVector.broadcast(D, -QUADRANT_LOW), r);
            DoubleVector q = r.mul(r);
            DoubleVector sin = q.mul(S9).add(S7).fma(q, DoubleVector.broadcast(D, S5));
            sin = sin.fma(q, DoubleVector.broadcast(D, S3)).mul(q).fma(r, r);
            DoubleVector cos = q.mul(C10).add(C8).fma(q, DoubleVector.broadcast(D, C6));
            cos = cos.fma(q, DoubleVector.broadcast(D, C4))
                    .fma(q, DoubleVector.broadcast(D, C2))
                    .fma(q, one);
            LongVector quadrant = (LongVector) LONGS.cast(z.reinterpretAsLongs());
            VectorMask<Double> odd =
                    quadrant.and(1).compare(VectorOperators.NE, 0).cast(D);
            LongVector sineSign = quadrant.lanewise(VectorOperators.LSHL, 62).and(Long.MIN_VALUE);
            LongVector cosineSign =
                    quadrant.add(1).lanewise(VectorOperators.LSHL, 62).and(Long.MIN_VALUE);
            DoubleVector y = (DoubleVector) DOUBLES.cast(
                    sineSign.lanewise(VectorOperators.XOR, sin.blend(cos, odd).reinterpretAsLongs())
                            .reinterpretAsDoubles());
            DoubleVector.fromArray(D, signs, i).mul(y).intoArray(values, n + i);
            DoubleVector x = (DoubleVector) DOUBLES.cast(cosineSign
                    .lanewise(VectorOperators.XOR, cos.blend(sin, odd).reinterpretAsLongs())
                    .reinterpretAsDoubles());
            x.mul(magnitude).intoArray(values, i);
        }
        cosinesAndSinesFrom(i, frequencies, position, magnitude, signs, values);
    }

    private static void cosinesAndSinesFrom(
            int first, double[] frequencies, double position, double magnitude, double[] signs, double[] values) {
        int n = frequencies.length;
        for (int i = first; i < n; i++) {
            double angle = frequencies[i] * position;
            values[i] = Math.cos(angle) * magnitude;
            values[n + i] = Math.sin(angle) * signs[i];
        }
    }

    /**
     * Writes doubles as floats, two vectors of them as one. Vectors of floats of half the width would do as well here, but
     * harm all other kernels: the compiler would no longer see one class of vectors only where floats are stored.
     */
    private static void narrow(double[] values, int from, int n, long to) {
        int i = 0;
        for (; i <= n - F.length(); i += F.length()) {
            DoubleVector lower = DoubleVector.fromArray(D, values, from + i);
            DoubleVector upper = DoubleVector.fromArray(D, values, from + i + D.length());
            ((FloatVector) FLOATS.cast(lower.convertShape(VectorOperators.D2F, F, 0)))
                    .blend((FloatVector) upper.convertShape(VectorOperators.D2F, F, -1), UPPER)
                    .intoMemorySegment(ALL, to + (long) i * Float.BYTES, ORDER);
        }
        for (; i < n; i++) {
            Memory.setFloat(to + (long) i * Float.BYTES, (float) values[from + i]);
        }
    }

    /**
     * Rotates pairs of neighbours in rows of {@code n} floats, which may stay where they are: {@code x * cosine + other *
     * sine}, with a cosine and a sine for each element.
     */
    public static void rotateNeighbours(
            long from, long fromStride, long to, long toStride, long rows, long n, long cosines, long sines) {
        long bytes = n << 2;
        for (long row = 0; row < rows; row++) {
            long source = from + row * fromStride;
            long target = to + row * toStride;
            long at = 0;
            for (; at <= bytes - STEP; at += STEP) {
                FloatVector x = FloatVector.fromMemorySegment(F, ALL, source + at, ORDER);
                FloatVector other = x.rearrange(OTHERS);
                other.mul(FloatVector.fromMemorySegment(F, ALL, sines + at, ORDER))
                        .add(x.mul(FloatVector.fromMemorySegment(F, ALL, cosines + at, ORDER)))
                        .intoMemorySegment(ALL, target + at, ORDER);
            }
            for (; at < bytes; at += 2 * Float.BYTES) {
                float x = Memory.getFloat(source + at);
                float y = Memory.getFloat(source + at + Float.BYTES);
                float sine = Memory.getFloat(sines + at + Float.BYTES);
                float cosine = Memory.getFloat(cosines + at);
                Memory.setFloat(target + at, x * cosine - y * sine);
                Memory.setFloat(target + at + Float.BYTES, x * sine + y * cosine);
            }
        }
    }

    /** Rotates element {@code i} of rows together with element {@code n + i}, by the i-th of {@code n} cosines and sines. */
    public static void rotateHalves(
            long from, long fromStride, long to, long toStride, long rows, long n, long cosines, long sines) {
        long bytes = n << 2;
        for (long row = 0; row < rows; row++) {
            long source = from + row * fromStride;
            long target = to + row * toStride;
            long at = 0;
            for (; at <= bytes - STEP; at += STEP) {
                FloatVector x = FloatVector.fromMemorySegment(F, ALL, source + at, ORDER);
                FloatVector y = FloatVector.fromMemorySegment(F, ALL, source + bytes + at, ORDER);
                FloatVector cosine = FloatVector.fromMemorySegment(F, ALL, cosines + at, ORDER);
                FloatVector sine = FloatVector.fromMemorySegment(F, ALL, sines + at, ORDER);
                x.mul(cosine).sub(y.mul(sine)).intoMemorySegment(ALL, target + at, ORDER);
                x.mul(sine).add(y.mul(cosine)).intoMemorySegment(ALL, target + bytes + at, ORDER);
            }
            for (; at < bytes; at += Float.BYTES) {
                float x = Memory.getFloat(source + at);
                float y = Memory.getFloat(source + bytes + at);
                float cosine = Memory.getFloat(cosines + at);
                float sine = Memory.getFloat(sines + at);
                Memory.setFloat(target + at, x * cosine - y * sine);
                Memory.setFloat(target + bytes + at, x * sine + y * cosine);
            }
        }
    }
}
