package dev.stowage.cli.text;

import java.util.Locale;

/** Formats counts, with thousands grouped by commas. */
public final class CountText {
    private CountText() {}

    /** The number alone: {@code 1,024}. */
    public static String of(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** The number with a noun that takes an s in the plural: {@code 1 node}, {@code 1,024 nodes}. */
    public static String of(long count, String noun) {
        return of(count) + " " + noun + (count == 1 ? "" : "s");
    }
}
