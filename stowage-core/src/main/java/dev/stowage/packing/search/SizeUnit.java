package dev.stowage.packing.search;

import dev.stowage.packing.Problem;

/**
 * The granularity of a problem: all offsets worth trying are multiples of {@code bytes}, with sizes rounded up to
 * {@code padding}. In a packing that is pushed down, a buffer starts at 0, at the end of another, or at the next
 * multiple of its alignment, so the greatest common divisor of these suffices.
 *
 * @param bytes the bytes of a unit
 * @param padding the multiple that sizes are rounded up to
 */
record SizeUnit(long bytes, long padding) {

    static SizeUnit of(Problem problem) {
        long alignments = 0;
        long fixed = 0;
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            if (problem.size(buffer) > 0) {
                alignments = divisor(alignments, problem.alignment(buffer));
                fixed = divisor(fixed, Math.max(0, problem.fixedOffsetOrNone(buffer)));
            }
        }
        long padding = Math.max(1, divisor(alignments, fixed));
        long grain = fixed;
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            grain = divisor(grain, roundUp(problem.size(buffer), padding));
        }
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            if (problem.size(buffer) > 0 && grain % problem.alignment(buffer) != 0) {
                return new SizeUnit(divisor(grain, alignments), padding);
            }
        }
        return new SizeUnit(Math.max(1, grain), padding);
    }

    long padded(long size) {
        return roundUp(size, padding);
    }

    /** The smallest multiple of {@code step} that is not below {@code value}. */
    static long roundUp(long value, long step) {
        return step == 1 ? value : Math.ceilDiv(value, step) * step;
    }

    private static long divisor(long a, long b) {
        return b == 0 ? a : divisor(b, a % b);
    }
}
