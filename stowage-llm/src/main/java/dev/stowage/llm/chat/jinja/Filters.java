package dev.stowage.llm.chat.jinja;

import dev.stowage.llm.chat.jinja.Value.Dict;
import dev.stowage.llm.chat.jinja.Value.Int;
import dev.stowage.llm.chat.jinja.Value.Real;
import dev.stowage.llm.chat.jinja.Value.Undefined;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;

/** The filters of single values; those of lists are in {@link SequenceFilters}. */
final class Filters {

    private Filters() {}

    static Value apply(String name, Value value, Arguments arguments) {
        return switch (name) {
            case "tojson" -> JsonPrinter.print(value, arguments);
            case "default", "d" -> otherwise(value, arguments);
            case "length", "count" -> Value.of(length(value));
            case "string", "safe" -> Printer.text(value);
            case "int" -> whole(value, arguments);
            case "float" -> real(value, arguments);
            case "abs" -> absolute(value);
            case "round" -> round(value, arguments);
            case "items" -> items(value);
            case "format" -> Formats.percent(Printer.text(value), formatted(arguments));
            case "trim", "upper", "lower", "title", "capitalize", "replace", "indent", "escape", "e" ->
                text(name, Printer.text(value), arguments);
            default -> SequenceFilters.apply(name, value, arguments);
        };
    }

    private static Value text(String name, Text text, Arguments arguments) {
        return switch (name) {
            case "trim" -> text.strip(arguments.text(0, "chars", Text.EMPTY).chars(), true, true);
            case "upper" -> text.upper();
            case "lower" -> text.lower();
            case "title" -> text.capitalized(true, "-([{<");
            case "capitalize" -> text.capitalized(false, "");
            case "replace" ->
                text.replace(
                        Printer.text(arguments.get(0, "old")),
                        Printer.text(arguments.get(1, "new")),
                        arguments.whole(2, "count", -1));
            case "indent" -> indent(text, arguments);
            default -> escape(text);
        };
    }

    private static Value formatted(Arguments arguments) {
        return arguments.named().isEmpty()
                ? new Value.Sequence(arguments.positional(), true)
                : Value.of(arguments.named());
    }

    private static Value otherwise(Value value, Arguments arguments) {
        boolean replaces =
                value instanceof Undefined || (arguments.bool(1, "boolean", false) && !Operators.truth(value));
        return replaces ? arguments.find(0, "default_value").orElse(Text.EMPTY) : value;
    }

    static long length(Value value) {
        return switch (value) {
            case Text text -> text.points();
            case Dict dict -> dict.entries().size();
            default -> Operators.items(value).size();
        };
    }

    private static Value whole(Value value, Arguments arguments) {
        Value otherwise = arguments.find(0, "default").orElse(new Int(0));
        return switch (Operators.number(value)) {
            case Int whole -> whole;
            case Real(double real) -> Double.isFinite(real) ? new Int((long) real) : otherwise;
            case Text text -> parsed(text, (int) arguments.whole(1, "base", 10), otherwise);
            default -> otherwise;
        };
    }

    private static Value parsed(Text text, int base, Value otherwise) {
        String digits = text.chars().strip();
        try {
            return new Int(Long.parseLong(digits.replace("_", ""), base));
        } catch (NumberFormatException e) {
            Value real = base == 10 ? parsedReal(text, otherwise) : otherwise;
            return real instanceof Real(double found) && Double.isFinite(found) ? new Int((long) found) : otherwise;
        }
    }

    private static Value real(Value value, Arguments arguments) {
        Value otherwise = arguments.find(0, "default").orElse(new Real(0));
        return switch (Operators.number(value)) {
            case Int(long whole) -> new Real(whole);
            case Real real -> real;
            case Text text -> parsedReal(text, otherwise);
            default -> otherwise;
        };
    }

    private static Value parsedReal(Text text, Value otherwise) {
        try {
            return new Real(Double.parseDouble(text.chars().strip()));
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    private static Value absolute(Value value) {
        if (Operators.number(value) instanceof Int(long whole)) {
            return new Int(Math.abs(whole));
        }
        return new Real(Math.abs(Operators.real(value)));
    }

    private static Value round(Value value, Arguments arguments) {
        double real = Operators.real(value);
        boolean common = arguments.text(1, "method", Text.of("common")).chars().equals("common");
        if (common && Operators.number(value) instanceof Int whole && arguments.whole(0, "precision", 0) >= 0) {
            return whole;
        }
        int digits = Math.clamp(arguments.whole(0, "precision", 0), -300, 300);
        RoundingMode mode =
                switch (arguments.text(1, "method", Text.of("common")).chars()) {
                    case "ceil" -> RoundingMode.CEILING;
                    case "floor" -> RoundingMode.FLOOR;
                    default -> RoundingMode.HALF_EVEN;
                };
        return new Real(new BigDecimal(real).setScale(digits, mode).doubleValue());
    }

    private static Value items(Value value) {
        return switch (value) {
            case Dict dict -> Members.items(dict);
            case Undefined undefined -> Value.of(List.of());
            default -> throw new TemplateError("the filter 'items' needs a dict, not " + value.type());
        };
    }

    private static Text indent(Text text, Arguments arguments) {
        Value width = arguments.find(0, "width").orElse(new Int(4));
        Text by = width instanceof Text custom ? custom : (Text) Calculator.apply("*", Text.of(" "), width);
        boolean blank = arguments.bool(2, "blank", false);
        Text.Builder out = new Text.Builder();
        boolean first = true;
        for (Text line : TextMethods.lines(text.concat(Text.of("\n")), false)) {
            if (!first) {
                out.append("\n");
            }
            boolean indents = first
                    ? arguments.bool(1, "first", false)
                    : blank || !line.chars().isEmpty();
            out.append(indents ? by : Text.EMPTY).append(line);
            first = false;
        }
        return out.build();
    }

    private static Text escape(Text text) {
        Text escaped = text;
        String[] pairs = {"&", "&amp;", "<", "&lt;", ">", "&gt;", "\"", "&#34;", "'", "&#39;"};
        for (int i = 0; i < pairs.length; i += 2) {
            escaped = escaped.replace(Text.of(pairs[i]), Text.of(pairs[i + 1]), -1);
        }
        return escaped;
    }
}
