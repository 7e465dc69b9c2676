package dev.stowage.llm.chat.jinja;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Dates in the notation of {@code strftime}, which templates use to write the current date. */
final class Dates {

    private Dates() {}

    static Text format(String format, ZonedDateTime time) {
        StringBuilder out = new StringBuilder();
        int i = 0;
        while (i < format.length()) {
            char c = format.charAt(i++);
            if (c != '%' || i == format.length()) {
                out.append(c);
                continue;
            }
            boolean unpadded = format.charAt(i) == '-' && i + 1 < format.length();
            i += unpadded ? 1 : 0;
            char directive = format.charAt(i++);
            String written = directive == '%' ? "%" : time.format(formatter(directive));
            out.append(unpadded ? written.replaceFirst("^0+(?=.)", "") : written);
        }
        return Text.of(out.toString());
    }

    private static DateTimeFormatter formatter(char directive) {
        String pattern = switch (directive) {
            case 'Y' -> "uuuu";
            case 'y' -> "uu";
            case 'm' -> "MM";
            case 'd' -> "dd";
            case 'B' -> "MMMM";
            case 'b', 'h' -> "MMM";
            case 'A' -> "EEEE";
            case 'a' -> "EEE";
            case 'H' -> "HH";
            case 'I' -> "hh";
            case 'M' -> "mm";
            case 'S' -> "ss";
            case 'p' -> "a";
            case 'j' -> "DDD";
            case 'Z' -> "zzz";
            case 'z' -> "xx";
            case 'F' -> "uuuu-MM-dd";
            case 'D' -> "MM/dd/uu";
            case 'T' -> "HH:mm:ss";
            default -> throw new TemplateError("unknown date directive '%" + directive + "'");
        };
        return DateTimeFormatter.ofPattern(pattern, Locale.US);
    }
}
