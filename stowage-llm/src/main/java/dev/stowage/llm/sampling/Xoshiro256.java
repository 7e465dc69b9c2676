package dev.stowage.llm.sampling;

/**
 * Random numbers that depend on the seed and on nothing else, now and in later versions of Java: xoshiro256++, its
 * state filled by SplitMix64.
 */
final class Xoshiro256 {

    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final double UNIT = 0x1.0p-53;

    private long a;
    private long b;
    private long c;
    private long d;

    Xoshiro256(long seed) {
        long state = seed;
        a = mix(state += STEP);
        b = mix(state += STEP);
        c = mix(state += STEP);
        d = mix(state + STEP);
    }

    private static long mix(long z) {
        long y = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        long x = (y ^ (y >>> 27)) * 0x94D049BB133111EBL;
        return x ^ (x >>> 31);
    }

    private long next() {
        long result = Long.rotateLeft(a + d, 23) + a;
        long shifted = b << 17;
        c ^= a;
        d ^= b;
        b ^= c;
        a ^= d;
        c ^= shifted;
        d = Long.rotateLeft(d, 45);
        return result;
    }

    /** A number from 0, and below 1. */
    double nextUnit() {
        return (next() >>> 11) * UNIT;
    }
}
