package dev.stowage.bench.ops;

import java.util.Locale;

/** The unit of the speed of a case: what its work is counted in. */
enum SpeedUnit {
    /** Billions of multiplications and additions a second. */
    GFLOPS("GFLOPS", 1e9),
    /** Billions of bytes a second: of weights for products, of all that is read and written for other ops. */
    GIGABYTES("GB/s", 1e9),
    /** Tokens a second. */
    TOKENS("tok/s", 1),
    /** Nanoseconds for each op, of which fewer are better. */
    NANOSECONDS("ns/op", 1e-9);

    private final String unit;
    private final double scale;

    SpeedUnit(String unit, double scale) {
        this.unit = unit;
        this.scale = scale;
    }

    String unit() {
        return unit;
    }

    /** The number to show for so much work in that time. */
    double of(double work, double seconds) {
        return this == NANOSECONDS ? seconds / work / scale : work / seconds / scale;
    }

    /** The same with its unit, to three digits or all before the point. */
    String text(double work, double seconds) {
        double number = of(work, seconds);
        int decimals = number >= 100 ? 0 : number >= 10 ? 1 : 2;
        return String.format(Locale.ROOT, "%." + decimals + "f %s", number, unit);
    }
}
