package dev.stowage.cli.text;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Formats and parses numbers of bytes with a unit, such as {@code 14.96 GiB}. */
public final class ByteSize {
    private static final String[] BINARY_UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private static final Pattern SYNTAX = Pattern.compile("(\\d{1,19}(?:\\.\\d{1,19})?)\\s*([A-Za-z]*)");

    /** Single letters are binary units, as is common for memory; only KB to TB are powers of 1000. */
    private static final Map<String, Long> UNITS = Map.ofEntries(
            Map.entry("b", 1L),
            Map.entry("k", 1L << 10),
            Map.entry("kib", 1L << 10),
            Map.entry("kb", 1_000L),
            Map.entry("m", 1L << 20),
            Map.entry("mib", 1L << 20),
            Map.entry("mb", 1_000_000L),
            Map.entry("g", 1L << 30),
            Map.entry("gib", 1L << 30),
            Map.entry("gb", 1_000_000_000L),
            Map.entry("t", 1L << 40),
            Map.entry("tib", 1L << 40),
            Map.entry("tb", 1_000_000_000_000L));

    private ByteSize() {}

    /** Formats with binary units: exact below 1024, otherwise with two decimals. */
    public static String format(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        double amount = bytes / 1024.0;
        int unit = 0;
        // A value that would be printed as 1024.00 is one of the next unit.
        while (amount >= 1023.995 && unit < BINARY_UNITS.length - 1) {
            amount /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, "%.2f %s", amount, BINARY_UNITS[unit]);
    }

    /**
     * Parses a number and a unit, such as {@code 24GiB}, {@code 1.5G} or {@code 24576MiB}, rounded down to whole bytes;
     * empty if the text has another form, is 0, or exceeds a {@code long}.
     */
    public static OptionalLong parse(String text) {
        Matcher matcher = SYNTAX.matcher(text.strip());
        if (!matcher.matches()) {
            return OptionalLong.empty();
        }
        Long unit = UNITS.get(matcher.group(2).toLowerCase(Locale.ROOT));
        if (unit == null) {
            return OptionalLong.empty();
        }
        BigDecimal bytes = new BigDecimal(matcher.group(1))
                .multiply(BigDecimal.valueOf(unit))
                .setScale(0, RoundingMode.DOWN);
        boolean valid = bytes.signum() > 0 && bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0;
        return valid ? OptionalLong.of(bytes.longValueExact()) : OptionalLong.empty();
    }
}
