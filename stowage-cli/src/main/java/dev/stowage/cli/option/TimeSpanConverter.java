package dev.stowage.cli.option;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads how long something may take: a number and a unit, such as {@code 500ms}, {@code 10s} or {@code 1.5m}. */
public final class TimeSpanConverter implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,18}(?:\\.\\d{1,18})?)\\s*(ms|s|m|min|h)");
    private static final Map<String, Long> NANOSECONDS = Map.of(
            "ms", 1_000_000L,
            "s", 1_000_000_000L,
            "m", 60_000_000_000L,
            "min", 60_000_000_000L,
            "h", 3_600_000_000_000L);
    private static final BigDecimal LONGEST = BigDecimal.valueOf(Long.MAX_VALUE);

    @Override
    public Duration convert(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (matcher.matches()) {
            BigDecimal nanoseconds = new BigDecimal(matcher.group(1))
                    .multiply(BigDecimal.valueOf(NANOSECONDS.getOrDefault(matcher.group(2), 1L)))
                    .setScale(0, RoundingMode.DOWN);
            if (nanoseconds.compareTo(LONGEST) <= 0) {
                return Duration.ofNanos(nanoseconds.longValueExact());
            }
        }
        throw new TypeConversionException("'" + text + "' is not a time with a unit, such as 500ms, 10s or 2m");
    }
}
