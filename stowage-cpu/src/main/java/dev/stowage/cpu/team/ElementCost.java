package dev.stowage.cpu.team;

/** Roughly what loops over floats take for an element, in nanoseconds. */
public final class ElementCost {

    /** A few operations: reading and writing is what takes the time. */
    public static final double ARITHMETIC = 0.1;

    /** An exponential, a logarithm or an angle. */
    public static final double EXPONENTIAL = 0.3;

    private ElementCost() {}
}
