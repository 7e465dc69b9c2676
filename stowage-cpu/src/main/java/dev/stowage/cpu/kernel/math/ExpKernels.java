package dev.stowage.cpu.kernel.math;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The exponential function of a range of floats, good to within 2.2 units in the last place. Other kernels need it
 * within their own loops, where a call would box the vectors; they repeat these lines with the constants here:
 *
 * <pre>
 *   z = x.fma(LOG2_E, ROUND)                                the low bits of z are now n = round(x / ln 2)
 *   n = z.sub(ROUND)
 *   r = n.fma(MINUS_LN2_LOW, n.fma(MINUS_LN2_HIGH, x))      what is left, at most ln 2 / 2
 *   p = r.fma(C5, C4).fma(r, C3).fma(r, C2).fma(r, 1).fma(r, 1)                                    e^r
 *   e = z.asInts().lanewise(LSHL, EXPONENT_SHIFT).add(p.asInts()).asFloats()                   2^n e^r
 *   e = e.blend(0, x.compare(LT, LOWEST))
 *   e = x.add(infinity).blend(e, x.compare(LE, HIGHEST))    infinity, or NaN where x is
 * </pre>
 *
 * Vectors that are called a method of should come from memory in the same iteration of the loop, or from such ones; of others,
 * such as constants, sums kept over iterations and what {@code asInts} gives, the compiler does not know which class they are
 * of, and may call instead of inlining. A cast to {@code species.vectorType()} says it.
 *
 * <p>The last line can go where {@code x} is neither NaN nor large, such as {@code score - largest score}. Below
 * {@link #LOWEST} the results are so small that only a subnormal float holds them. Kernels that add up results, or divide
 * by them, take zero there, as processors are slow with such floats; {@link #exp(long, long, long)} gives them.
 */
public final class ExpKernels {

    public static final float LOG2_E = 0x1.715476p+0f;

    /** Adding it rounds a float to a whole number, which then stands in the lowest bits. */
    public static final float ROUND = 0x1.8p23f;

    public static final float MINUS_LN2_HIGH = -0x1.62e430p-1f;
    public static final float MINUS_LN2_LOW = 0x1.05c610p-29f;

    public static final float C2 = 0x1.fffdfcp-2f;
    public static final float C3 = 0x1.5557b0p-3f;
    public static final float C4 = 0x1.572a64p-5f;
    public static final float C5 = 0x1.106250p-7f;

    /** The bits of a float below its exponent. */
    public static final int EXPONENT_SHIFT = 23;

    /** The smallest number whose exponential is a normal float. */
    public static final float LOWEST = -0x1.5d589ep6f;

    /** The largest number whose exponential is a finite float. */
    public static final float HIGHEST = 0x1.62e42ep6f;

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    private static final Class<? extends Vector<Integer>> BITS = IntVector.SPECIES_PREFERRED.vectorType();

    private ExpKernels() {}

    /**
     * Writes the exponentials of {@code n} floats that begin at {@code from} to {@code to}, which may be the same
     * place.
     */
    public static void exp(long from, long to, long n) {
        FloatVector log2e = FloatVector.broadcast(F, LOG2_E);
        FloatVector round = FloatVector.broadcast(F, ROUND);
        FloatVector high = FloatVector.broadcast(F, MINUS_LN2_HIGH);
        FloatVector low = FloatVector.broadcast(F, MINUS_LN2_LOW);
        FloatVector c5 = FloatVector.broadcast(F, C5);
        FloatVector c4 = FloatVector.broadcast(F, C4);
        FloatVector c3 = FloatVector.broadcast(F, C3);
        FloatVector c2 = FloatVector.broadcast(F, C2);
        FloatVector one = FloatVector.broadcast(F, 1f);
        long bytes = n << 2;
        long whole = bytes & -((long) F.vectorByteSize());
        for (long at = 0; at < whole; at += F.vectorByteSize()) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            if (x.abs().compare(VectorOperators.LE, -LOWEST).allTrue()) {
                FloatVector z = x.fma(log2e, round);
                FloatVector k = z.sub(round);
                FloatVector r = k.fma(low, k.fma(high, x));
                FloatVector p = r.fma(c5, c4).fma(r, c3).fma(r, c2).fma(r, one).fma(r, one);
                ((IntVector) BITS.cast(z.reinterpretAsInts()))
                        .lanewise(VectorOperators.LSHL, EXPONENT_SHIFT)
                        .add(p.reinterpretAsInts())
                        .intoMemorySegment(ALL, to + at, ORDER);
            } else {
                each(from + at, to + at, F.vectorByteSize());
            }
        }
        each(from + whole, to + whole, bytes - whole);
    }

    private static void each(long from, long to, long bytes) {
        for (long at = 0; at < bytes; at += Float.BYTES) {
            Memory.setFloat(to + at, exp(Memory.getFloat(from + at)));
        }
    }

    /** The exponential of one float. */
    public static float exp(float x) {
        return (float) Math.exp(x);
    }
}
