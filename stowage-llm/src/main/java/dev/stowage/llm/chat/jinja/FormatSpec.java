package dev.stowage.llm.chat.jinja;

import dev.stowage.llm.chat.jinja.Value.Int;
import dev.stowage.llm.chat.jinja.Value.Real;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How one value is written in a format: {@code [[fill]align][sign][0][width][,][.precision][type]}, as Python has it. The types
 * are {@code s}, {@code d}, {@code x}, {@code X}, {@code f} and {@code %}, or none.
 *
 * @param fill what comes before or after the value
 * @param align {@code <}, {@code >}, {@code ^}, {@code =} (after the sign), or empty for what the type prefers
 * @param sign what a number that is not negative begins with: empty, a plus or a space
 * @param width how many characters there are at least
 * @param grouped whether thousands are separated by commas
 * @param precision digits after the point, or characters of a text; -1 where nothing is said
 * @param type the letter of the type, or empty
 */
record FormatSpec(String fill, String align, String sign, int width, boolean grouped, int precision, String type) {

    private static final Pattern SPEC =
            Pattern.compile("(?s)(?:(.)?([<>=^]))?([+ -])?(0)?(\\d{1,8})?(,)?(?:\\.(\\d{1,2}))?([sdxXf%])?");

    private static final int DEFAULT_DIGITS = 6;

    /** A width and the side on which a text is. */
    static FormatSpec padding(String fill, String align, int width) {
        return new FormatSpec(fill, align, "", width, false, -1, "");
    }

    /** Reads what is after the colon of a field. */
    static FormatSpec parse(String text) {
        Matcher matcher = SPEC.matcher(text);
        if (!matcher.matches()) {
            throw new TemplateError("the format '" + text + "' is not supported");
        }
        boolean zeros = matcher.group(4) != null;
        return new FormatSpec(
                or(matcher.group(1), zeros ? "0" : " "),
                or(matcher.group(2), zeros ? "=" : ""),
                or(matcher.group(3), "").replace("-", ""),
                Integer.parseInt(or(matcher.group(5), "0")),
                matcher.group(6) != null,
                Integer.parseInt(or(matcher.group(7), "-1")),
                or(matcher.group(8), ""));
    }

    private static String or(String found, String otherwise) {
        return found == null ? otherwise : found;
    }

    boolean isPlain() {
        return width == 0 && sign.isEmpty() && !grouped && precision < 0 && type.isEmpty();
    }

    Text write(Value value) {
        boolean isText = value instanceof Text || type.equals("s");
        if (isPlain() || (type.isEmpty() && precision < 0 && width == 0 && isText)) {
            return Printer.text(value);
        }
        if (isText) {
            return text(Printer.text(value));
        }
        if (!Operators.isNumber(value)) {
            throw new TemplateError("the format '" + type + "' does not apply to " + value.type());
        }
        return number(Operators.number(value));
    }

    private Text text(Text value) {
        int length = Math.min(precision < 0 ? Integer.MAX_VALUE : precision, value.points());
        Text cut = value.slice(0, value.offset(length));
        return padded(Text.EMPTY, cut, align.isEmpty() || align.equals("=") ? "<" : align);
    }

    private Text number(Value number) {
        String digits = switch (type) {
            case "f", "%" -> fixed(Operators.real(number));
            case "" ->
                number instanceof Real && precision >= 0
                        ? unsupported()
                        : Printer.text(number).chars();
            default -> whole(number);
        };
        boolean negative = digits.startsWith("-");
        String plain = negative ? digits.substring(1) : digits;
        return padded(
                Text.of(negative ? "-" : sign),
                Text.of((grouped ? separated(plain) : plain) + (type.equals("%") ? "%" : "")),
                align.isEmpty() ? ">" : align);
    }

    private String unsupported() {
        throw new TemplateError("a float is written with a precision only by the type f");
    }

    private String fixed(double real) {
        if (!Double.isFinite(real)) {
            return Printer.number(real);
        }
        BigDecimal exact = new BigDecimal(real).movePointRight(type.equals("%") ? 2 : 0);
        String digits = exact.setScale(precision < 0 ? DEFAULT_DIGITS : precision, RoundingMode.HALF_EVEN)
                .toPlainString();
        return real < 0 && !digits.startsWith("-") ? "-" + digits : digits;
    }

    private String whole(Value number) {
        if (!(number instanceof Int(long value))) {
            throw new TemplateError("the format '" + type + "' does not apply to " + number.type());
        }
        int radix = type.equals("d") ? 10 : 16;
        String digits = Long.toString(value, radix);
        return type.equals("X") ? digits.toUpperCase(Locale.ROOT) : digits;
    }

    private static String separated(String digits) {
        int point = digits.indexOf('.');
        StringBuilder out = new StringBuilder(digits);
        for (int at = (point < 0 ? digits.length() : point) - 3; at > 0; at -= 3) {
            out.insert(at, ',');
        }
        return out.toString();
    }

    private Text padded(Text before, Text value, String side) {
        long missing = (long) width - before.points() - value.points();
        if (missing <= 0) {
            return before.concat(value);
        }
        long left = switch (side) {
            case "<" -> 0;
            case "^" -> missing / 2;
            default -> missing;
        };
        Text start =
                side.equals("=") ? before.concat(filling(left)) : filling(left).concat(before);
        return start.concat(value).concat(filling(missing - left));
    }

    private Text filling(long count) {
        return (Text) Calculator.apply("*", Text.of(fill), new Int(count));
    }
}
