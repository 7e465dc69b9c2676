package dev.stowage.cli.text;

import java.util.Locale;

/** Bytes for people, in units of 1024. */
public final class BinarySize {
    private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private BinarySize() {}

    /** Exact below 1024, otherwise with two decimals: {@code 14.96 GiB}. */
    public static String of(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        double amount = bytes / 1024.0;
        int unit = 0;
        // What would be printed as 1024.00 is one of the next unit.
        while (amount >= 1023.995 && unit < UNITS.length - 1) {
            amount /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, "%.2f %s", amount, UNITS[unit]);
    }
}
