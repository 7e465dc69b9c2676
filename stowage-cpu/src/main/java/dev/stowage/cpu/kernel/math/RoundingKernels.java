package dev.stowage.cpu.kernel.math;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LT;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Floats rounded to whole numbers, which the Vector API has no operation for; loops for {@link UnaryLoop}. Zero keeps
 * the sign of its operand; numbers without a fraction, NaN and infinity stay as they are.
 */
public final class RoundingKernels {

    /** From here on all floats are whole numbers; adding it to a smaller one rounds that to a whole number. */
    private static final float WHOLE = 0x1p23f;

    private static final int SIGN = 0x8000_0000;

    private RoundingKernels() {}

    /** The largest whole number not above {@code x}. */
    public static void floor(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            IntVector sign = x.reinterpretAsInts().and(SIGN);
            FloatVector nearest =
                    x.abs().add(WHOLE).sub(WHOLE).reinterpretAsInts().or(sign).reinterpretAsFloats();
            FloatVector whole = nearest.blend(nearest.sub(1f), nearest.compare(GT, x));
            FloatVector signed = whole.abs().reinterpretAsInts().or(sign).reinterpretAsFloats();
            x.blend(signed, x.abs().compare(LT, WHOLE)).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** The smallest whole number not below {@code x}. */
    public static void ceil(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            IntVector sign = x.reinterpretAsInts().and(SIGN);
            FloatVector nearest =
                    x.abs().add(WHOLE).sub(WHOLE).reinterpretAsInts().or(sign).reinterpretAsFloats();
            FloatVector whole = nearest.blend(nearest.add(1f), nearest.compare(LT, x));
            FloatVector signed = whole.abs().reinterpretAsInts().or(sign).reinterpretAsFloats();
            x.blend(signed, x.abs().compare(LT, WHOLE)).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code x} without its fraction. */
    public static void trunc(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            IntVector sign = x.reinterpretAsInts().and(SIGN);
            FloatVector size = x.abs();
            FloatVector nearest = size.add(WHOLE).sub(WHOLE);
            FloatVector whole = nearest.blend(nearest.sub(1f), nearest.compare(GT, size));
            FloatVector signed = whole.reinterpretAsInts().or(sign).reinterpretAsFloats();
            x.blend(signed, size.compare(LT, WHOLE)).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** The nearest whole number, halves away from zero. */
    public static void round(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            IntVector sign = x.reinterpretAsInts().and(SIGN);
            FloatVector size = x.abs();
            FloatVector nearest = size.add(WHOLE).sub(WHOLE);
            FloatVector whole = nearest.blend(nearest.sub(1f), nearest.compare(GT, size));
            whole = whole.blend(whole.add(1f), size.sub(whole).compare(GE, 0.5f));
            FloatVector signed = whole.reinterpretAsInts().or(sign).reinterpretAsFloats();
            x.blend(signed, size.compare(LT, WHOLE)).intoMemorySegment(ALL, to + at, ORDER);
        }
    }
}
