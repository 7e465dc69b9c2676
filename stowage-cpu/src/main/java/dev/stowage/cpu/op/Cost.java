package dev.stowage.cpu.op;

/** Roughly what loops over floats take for an element, in nanoseconds. */
final class Cost {

    /** A few operations: reading and writing is what takes the time. */
    static final double ARITHMETIC = 0.1;

    /** An exponential, a logarithm or an angle. */
    static final double EXPONENTIAL = 0.3;

    private Cost() {}
}
