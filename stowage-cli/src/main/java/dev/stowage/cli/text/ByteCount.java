package dev.stowage.cli.text;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads how much memory there is: a number and a unit, such as {@code 24GiB}, {@code 1.5G} or {@code 24576MiB}. */
public final class ByteCount {
    private static final Pattern FORM = Pattern.compile("(\\d{1,19}(?:\\.\\d{1,19})?)\\s*([A-Za-z]*)");

    /** Bare letters count in 1024, as everywhere where memory is sold or asked for; only KB to TB count in 1000. */
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

    private ByteCount() {}

    /** The bytes that a text stands for, whole ones; empty if it stands for none, for 0, or for too many to count. */
    public static OptionalLong parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
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
        boolean counts = bytes.signum() > 0 && bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0;
        return counts ? OptionalLong.of(bytes.longValueExact()) : OptionalLong.empty();
    }
}
