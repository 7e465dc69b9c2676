package dev.stowage.cpu.kernel.product;

import static dev.stowage.cpu.kernel.Memory.ADDRESS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.FLOAT;
import static dev.stowage.cpu.kernel.Memory.INT;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static dev.stowage.cpu.kernel.Memory.SHORT;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Columns of floats rounded to eight bits, in blocks of 32 with a scale each (or one for eight blocks), for products with weights of few bits. A
 * column of n elements is
 *
 * <pre>
 *   numbers   n ints      a number twice, in the lower and in the upper half
 *   scales    n/32 floats what the numbers of a block are multiplied with
 *   eighths   n/32 ints   minus 8 times the sum of the numbers of a block, twice
 *   sums      n/32 floats the sum of the numbers of a block times its scale
 *   quarters  n/8 ints    minus 32 times the sum of eight numbers, twice
 * </pre>
 *
 * The products begin with such a multiple of a sum because weights are stored as 0 to 15 or 0 to 63 and mean eight or 32
 * less: what they are short of then comes to nothing.
 */
public final class IntegerColumns {

    private static final int BLOCK = 32;
    private static final float LARGEST = 127;

    /** Added to a small float, this leaves the nearest whole number in its lowest bits. */
    private static final float ROUNDING = 0x1.8p23f;

    private static final int ROUNDING_BITS = 0x4B400000;

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> I = IntVector.SPECIES_PREFERRED;

    private static final Class<? extends Vector<Integer>> INTS = I.vectorType();
    private static final Class<? extends Vector<Float>> FLOATS = F.vectorType();

    private IntegerColumns() {}

    /** The bytes of a column. */
    public static long bytes(long elements) {
        return 4 * elements + 3 * elements / 8 + elements / 2;
    }

    /** Where the scales of a column begin. */
    public static long scales(long column, long elements) {
        return column + 4 * elements;
    }

    static long eighths(long column, long elements) {
        return column + 4 * elements + elements / 8;
    }

    /** Where the sums of its blocks begin. */
    public static long sums(long column, long elements) {
        return column + 4 * elements + elements / 4;
    }

    static long quarters(long column, long elements) {
        return column + 4 * elements + 3 * elements / 8;
    }

    /**
     * Rounds a column of floats; their number is a multiple of 32.
     *
     * @param span how many elements have the same scale: 32 or 256
     * @param withQuarters whether the sums of eight numbers are wanted
     */
    public static void round(long from, int elements, long to, int span, boolean withQuarters) {
        long scales = scales(to, elements);
        long eighths = eighths(to, elements);
        long sums = sums(to, elements);
        float most = 0;
        for (int block = 0; block < elements / BLOCK; block++) {
            long source = from + 4L * BLOCK * block & ADDRESS;
            long target = to + 4L * BLOCK * block & ADDRESS;
            if (block % (span / BLOCK) == 0) {
                most = largest(source, Math.min(span, elements - block * BLOCK));
            }
            float inverse = most == 0 ? 0 : LARGEST / most;
            IntVector total = IntVector.zero(I);
            for (int i = 0; i < BLOCK; i += F.length()) {
                IntVector number = ((IntVector) INTS.cast(FloatVector.fromMemorySegment(F, ALL, source + 4L * i, ORDER)
                                .mul(inverse)
                                .add(ROUNDING)
                                .reinterpretAsInts()))
                        .sub(ROUNDING_BITS);
                total = number.add(total);
                number.lanewise(VectorOperators.LSHL, 16)
                        .or(number.and(0xFFFF))
                        .intoMemorySegment(ALL, target + 4L * i, ORDER);
            }
            int sum = ((IntVector) INTS.cast(total)).reduceLanes(VectorOperators.ADD);
            float scale = most / LARGEST;
            // As in q8_0, whose scales are f16; those of q8_K are floats.
            scale = span == BLOCK ? Float.float16ToFloat(Float.floatToFloat16(scale)) : scale;
            ALL.set(FLOAT, scales + 4L * block, scale);
            ALL.set(INT, eighths + 4L * block, twice(-8 * sum));
            ALL.set(FLOAT, sums + 4L * block, scale * sum);
        }
        if (withQuarters) {
            addQuarters(to, elements);
        }
    }

    private static float largest(long from, int elements) {
        FloatVector largest = FloatVector.zero(F);
        for (int i = 0; i < elements; i += F.length()) {
            largest = FloatVector.fromMemorySegment(F, ALL, from + 4L * i, ORDER)
                    .abs()
                    .max(largest);
        }
        return ((FloatVector) FLOATS.cast(largest)).reduceLanes(VectorOperators.MAX);
    }

    private static void addQuarters(long column, int elements) {
        long quarters = quarters(column, elements);
        for (int part = 0; part < elements / 8; part++) {
            int sum = 0;
            for (int i = 0; i < 8; i++) {
                sum += ALL.get(SHORT, column + 32L * part + 4L * i);
            }
            ALL.set(INT, quarters + 4L * part, twice(-32 * sum));
        }
    }

    private static int twice(int number) {
        return (number << 16) | (number & 0xFFFF);
    }
}
