package dev.stowage.cpu.kernel.codec;

import static dev.stowage.cpu.kernel.Lanes.B;
import static dev.stowage.cpu.kernel.Lanes.BYTES;
import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.FLOATS;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Lanes.I;
import static dev.stowage.cpu.kernel.Lanes.INTS;
import static dev.stowage.cpu.kernel.Lanes.NARROW;
import static dev.stowage.cpu.kernel.Lanes.STEP;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.F2I;
import static jdk.incubator.vector.VectorOperators.I2B;
import static jdk.incubator.vector.VectorOperators.UGE;

import dev.stowage.cpu.kernel.Lanes;
import dev.stowage.cpu.kernel.Memory;
import dev.stowage.tensor.ElementType;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/** Encodes q8_0: a scale and 32 signed bytes. */
final class Q8_0Encoder extends RowEncoder {

    private static final int SIZE = BlockRange.SIZE;
    private static final int BLOCK_BYTES = 34;
    private static final int LEVELS = 2;

    /** The largest float below a half: added before cutting off the fraction it rounds exactly, halves away from zero. */
    private static final int ALMOST_HALF = 0x3EFF_FFFF;

    private static final int SIGN = 0x8000_0000;

    /** Whether two vectors are a block, and there is an instruction that takes lanes out of two of them. */
    private static final boolean BY_TWO_BLOCKS = F.length() == 16;

    /**
     * Numbers of lanes, a vector each: the lower eight of two vectors and the upper eight; those that are four, two and one
     * lane away; the first eight's and the last eight's in all.
     */
    private static final int[] LANE_NUMBERS = laneNumbers();

    /** The compiler makes constants anew in each iteration of a loop, and what it cannot know to be constant only once. */
    private static final float[] IN_EVERY_LANE = {127, 1};

    private static final int[] BITS_IN_EVERY_LANE = {0x7FFF_FFFF, 1, 0x7F7F_FFFF, SIGN, ALMOST_HALF};

    private final ReferenceEncoder odd = new ReferenceEncoder(ElementType.Q8_0);

    private static int[] laneNumbers() {
        int[] numbers = new int[7 * 16];
        for (int i = 0; i < 16; i++) {
            numbers[i] = i + (i & 8);
            numbers[16 + i] = i + (i & 8) + 8;
            numbers[32 + i] = i ^ 4;
            numbers[48 + i] = i ^ 2;
            numbers[64 + i] = i ^ 1;
            numbers[96 + i] = 8;
        }
        return numbers;
    }

    @Override
    public void encode(long from, long to, long elements) {
        long end = from + elements * Float.BYTES;
        long at = from;
        long block = to;
        while (at < end) {
            if (BY_TWO_BLOCKS) {
                long pairs = (end - at) / (2 * SIZE * Float.BYTES);
                long next = pairs == 0 ? at : encodePairs(at, block, at + pairs * 2 * SIZE * Float.BYTES);
                block += (next - at) / (SIZE * Float.BYTES) * BLOCK_BYTES;
                at = next;
            }
            // Where pairs came to an end there are two blocks to look at closely, or at most one is left.
            long stretch = BY_TWO_BLOCKS ? Math.min(end, at + 2 * SIZE * Float.BYTES) : end;
            long next = encodeRegular(at, block, stretch);
            block += (next - at) / (SIZE * Float.BYTES) * BLOCK_BYTES;
            at = next;
            if (at < stretch) {
                odd.encode(at, block, SIZE);
                at += SIZE * Float.BYTES;
                block += BLOCK_BYTES;
            }
        }
    }

    /**
     * Encodes two blocks at a time, so that finding their largest magnitudes and dividing is done once for both.
     *
     * @return where the first two begin of which one is zero or not for here, or the end
     */
    private static long encodePairs(long from, long to, long end) {
        IntVector magnitude = IntVector.broadcast(I, BITS_IN_EVERY_LANE[0]);
        IntVector one = IntVector.broadcast(I, BITS_IN_EVERY_LANE[1]);
        IntVector range = IntVector.broadcast(I, BITS_IN_EVERY_LANE[2]);
        IntVector sign = IntVector.broadcast(I, BITS_IN_EVERY_LANE[3]);
        IntVector almostHalf = IntVector.broadcast(I, BITS_IN_EVERY_LANE[4]);
        FloatVector levels = FloatVector.broadcast(F, IN_EVERY_LANE[0]);
        FloatVector unit = (FloatVector) FLOATS.cast(FloatVector.broadcast(F, IN_EVERY_LANE[1]));
        IntVector lower = (IntVector) INTS.cast(IntVector.fromArray(I, LANE_NUMBERS, 0));
        IntVector upper = (IntVector) INTS.cast(IntVector.fromArray(I, LANE_NUMBERS, 16));
        IntVector byFour = (IntVector) INTS.cast(IntVector.fromArray(I, LANE_NUMBERS, 32));
        IntVector byTwo = (IntVector) INTS.cast(IntVector.fromArray(I, LANE_NUMBERS, 48));
        IntVector byOne = (IntVector) INTS.cast(IntVector.fromArray(I, LANE_NUMBERS, 64));
        IntVector first = (IntVector) INTS.cast(IntVector.fromArray(I, LANE_NUMBERS, 80));
        IntVector last = (IntVector) INTS.cast(IntVector.fromArray(I, LANE_NUMBERS, 96));
        long block = to;
        for (long next = from; next != end; next += 2 * SIZE * Float.BYTES) {
            long at = next & Memory.ADDRESS;
            long target = block & Memory.ADDRESS;
            IntVector a = ((IntVector) INTS.cast(IntVector.fromMemorySegment(I, ALL, at + 64, ORDER)))
                    .and(magnitude)
                    .max(((IntVector) INTS.cast(IntVector.fromMemorySegment(I, ALL, at, ORDER))).and(magnitude));
            IntVector b = ((IntVector) INTS.cast(IntVector.fromMemorySegment(I, ALL, at + 192, ORDER)))
                    .and(magnitude)
                    .max(((IntVector) INTS.cast(IntVector.fromMemorySegment(I, ALL, at + 128, ORDER))).and(magnitude));
            IntVector most = ((IntVector) INTS.cast(lower.selectFrom(a, b))).max(upper.selectFrom(a, b));
            most = most.max(byFour.selectFrom(most));
            most = most.max(byTwo.selectFrom(most));
            most = most.max(byOne.selectFrom(most));
            FloatVector d = ((FloatVector) FLOATS.cast(most.reinterpretAsFloats())).div(levels);
            IntVector inverse = (IntVector) INTS.cast(unit.div(d).reinterpretAsInts());
            // Nothing but a number above zero will do: not the inverse of zero, nor of infinity or NaN.
            if (inverse.sub(one).compare(UGE, range).anyTrue()) {
                return next;
            }
            Memory.setHalf(target, d.lane(0));
            Memory.setHalf(target + BLOCK_BYTES, d.lane(8));
            FloatVector inverse0 =
                    (FloatVector) FLOATS.cast(((IntVector) INTS.cast(first.selectFrom(inverse))).reinterpretAsFloats());
            FloatVector inverse1 =
                    (FloatVector) FLOATS.cast(((IntVector) INTS.cast(last.selectFrom(inverse))).reinterpretAsFloats());
            FloatVector x0 = FloatVector.fromMemorySegment(F, ALL, at, ORDER).mul(inverse0);
            FloatVector x1 =
                    FloatVector.fromMemorySegment(F, ALL, at + 64, ORDER).mul(inverse0);
            FloatVector x2 =
                    FloatVector.fromMemorySegment(F, ALL, at + 128, ORDER).mul(inverse1);
            FloatVector x3 =
                    FloatVector.fromMemorySegment(F, ALL, at + 192, ORDER).mul(inverse1);
            IntVector half0 =
                    ((IntVector) INTS.cast(x0.reinterpretAsInts())).and(sign).or(almostHalf);
            IntVector half1 =
                    ((IntVector) INTS.cast(x1.reinterpretAsInts())).and(sign).or(almostHalf);
            IntVector half2 =
                    ((IntVector) INTS.cast(x2.reinterpretAsInts())).and(sign).or(almostHalf);
            IntVector half3 =
                    ((IntVector) INTS.cast(x3.reinterpretAsInts())).and(sign).or(almostHalf);
            IntVector q0 =
                    (IntVector) INTS.cast(x0.add(half0.reinterpretAsFloats()).convert(F2I, 0));
            IntVector q1 =
                    (IntVector) INTS.cast(x1.add(half1.reinterpretAsFloats()).convert(F2I, 0));
            IntVector q2 =
                    (IntVector) INTS.cast(x2.add(half2.reinterpretAsFloats()).convert(F2I, 0));
            IntVector q3 =
                    (IntVector) INTS.cast(x3.add(half3.reinterpretAsFloats()).convert(F2I, 0));
            ((ByteVector) BYTES.cast(q0.convertShape(I2B, B, 0))).intoMemorySegment(ALL, target + LEVELS, ORDER);
            ((ByteVector) BYTES.cast(q1.convertShape(I2B, B, 0))).intoMemorySegment(ALL, target + LEVELS + 16, ORDER);
            ((ByteVector) BYTES.cast(q2.convertShape(I2B, B, 0)))
                    .intoMemorySegment(ALL, target + BLOCK_BYTES + LEVELS, ORDER);
            ((ByteVector) BYTES.cast(q3.convertShape(I2B, B, 0)))
                    .intoMemorySegment(ALL, target + BLOCK_BYTES + LEVELS + 16, ORDER);
            block += 2 * BLOCK_BYTES;
        }
        return end;
    }

    /** Encodes up to the first block that is not for here, and returns where that begins; a method that compiles well. */
    private static long encodeRegular(long from, long to, long end) {
        long block = to;
        for (long at = from; at != end; at += SIZE * Float.BYTES) {
            float d = BlockRange.largest(at) / 127;
            float inverse = d != 0 ? 1 / d : 0;
            if (!Float.isFinite(d) || !Float.isFinite(inverse)) {
                return at;
            }
            Memory.setHalf(block, d);
            encodeLevels(at, block + LEVELS, inverse);
            encodeLevels(at + STEP * 4L, block + LEVELS + STEP, inverse);
            if (STEP < SIZE / 2) {
                encodeLevels(at + 2L * STEP * 4, block + LEVELS + 2L * STEP, inverse);
                encodeLevels(at + 3L * STEP * 4, block + LEVELS + 3L * STEP, inverse);
            }
            block += BLOCK_BYTES;
        }
        return end;
    }

    /** Writes the levels of {@link Lanes#STEP} elements. */
    private static void encodeLevels(long source, long target, float inverse) {
        long from = source & Memory.ADDRESS;
        long to = target & Memory.ADDRESS;
        FloatVector x = FloatVector.fromMemorySegment(F, ALL, from, ORDER).mul(inverse);
        IntVector half =
                ((IntVector) INTS.cast(x.reinterpretAsInts())).and(SIGN).or(ALMOST_HALF);
        IntVector q = (IntVector) INTS.cast(x.add(half.reinterpretAsFloats()).convert(F2I, 0));
        ByteVector bytes = (ByteVector) BYTES.cast(q.convertShape(I2B, B, 0));
        if (NARROW) {
            x = FloatVector.fromMemorySegment(F, ALL, from + F_BYTES, ORDER).mul(inverse);
            half = ((IntVector) INTS.cast(x.reinterpretAsInts())).and(SIGN).or(ALMOST_HALF);
            q = (IntVector) INTS.cast(x.add(half.reinterpretAsFloats()).convert(F2I, 0));
            bytes = bytes.or(q.convertShape(I2B, B, -1));
        }
        bytes.intoMemorySegment(ALL, to, ORDER);
    }
}
