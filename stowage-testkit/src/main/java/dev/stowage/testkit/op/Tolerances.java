package dev.stowage.testkit.op;

/** The normalised mean squared errors that are allowed, by the least exact type that takes part. */
final class Tolerances {

    /** Nothing but the order of additions may differ. */
    static final double F32 = 1e-7;

    /** Results are rounded to the nearest; cutting off what does not fit would be about twice as far off. */
    static final double F16 = 1e-7;

    /** As for f16, with three bits fewer. */
    static final double BF16 = 5e-6;

    /** Products of f16 or bf16 factors, whose other factor a device may round to the same type. */
    static final double HALF_PRODUCT = 1e-4;

    /** Functions that devices commonly look up in a table of f16 numbers. */
    static final double TABLE = 1e-6;

    /** Products with quantised weights, whose other factor a device may quantise too. */
    static final double QUANTIZED = 5e-4;

    private Tolerances() {}
}
