package dev.stowage.llm.chat.jinja;

import dev.stowage.llm.chat.jinja.Value.Dict;
import dev.stowage.llm.chat.jinja.Value.Int;
import dev.stowage.llm.chat.jinja.Value.Real;
import dev.stowage.llm.chat.jinja.Value.Sequence;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Texts with places for values, in both notations of Python: {@code '{}'.format(x)} and {@code '%s' % x}. */
final class Formats {

    private static final Pattern FIELD =
            Pattern.compile("(?s)\\{\\{|}}|\\{([^{}!:]*)(?:!([^{}:]*))?(?::([^{}]*))?}|[{}]");
    private static final Pattern PLACE =
            Pattern.compile("(?s)%(?:\\(([^)]*)\\))?([-+ 0#]*)(\\d{0,8})(?:\\.(\\d{1,2}))?(.|$)");

    private Formats() {}

    /** As the method {@code format} of strings: fields are empty, a position or a name. */
    static Text format(Text format, Arguments arguments) {
        Text.Builder out = new Text.Builder();
        Matcher field = FIELD.matcher(format.chars());
        int from = 0;
        int next = 0;
        while (field.find()) {
            out.append(format.slice(from, field.start()));
            from = field.end();
            switch (field.group()) {
                case "{{", "}}" -> out.append(format.slice(field.start(), field.start() + 1));
                case "{", "}" -> throw new TemplateError("a single '" + field.group() + "' in a format");
                default -> {
                    String name = field.group(1);
                    Value value = argument(name.isEmpty() ? String.valueOf(next++) : name, arguments);
                    out.append(written(value, field.group(2), field.group(3)));
                }
            }
        }
        return out.append(format.slice(from, format.chars().length())).build();
    }

    private static Value argument(String name, Arguments arguments) {
        boolean position = name.length() < 10 && name.chars().allMatch(c -> c >= '0' && c <= '9');
        Optional<Value> found = position
                ? arguments.positional().stream().skip(Integer.parseInt(name)).findFirst()
                : Optional.ofNullable(arguments.named().get(name));
        return found.orElseThrow(() -> new TemplateError("no value for the field '" + name + "' of a format"));
    }

    private static Text written(Value value, String conversion, String spec) {
        Value converted = conversion == null
                ? value
                : switch (conversion) {
                    case "s" -> Printer.text(value);
                    case "r" -> Printer.quoted(value);
                    default -> throw new TemplateError("the conversion '!" + conversion + "' is not supported");
                };
        return FormatSpec.parse(spec == null ? "" : spec).write(converted);
    }

    /** As the operator {@code %} of strings: a tuple has several values, a dict those that are named. */
    static Text percent(Text format, Value values) {
        List<Value> all = values instanceof Sequence(List<Value> items, boolean tuple, long weight) && tuple
                ? items
                : List.of(values);
        Text.Builder out = new Text.Builder();
        Matcher place = PLACE.matcher(format.chars());
        int from = 0;
        int next = 0;
        while (place.find()) {
            out.append(format.slice(from, place.start()));
            from = place.end();
            if (place.group(5).equals("%")) {
                out.append("%");
                continue;
            }
            String name = place.group(1);
            if (name == null && next == all.size()) {
                throw new TemplateError("not enough values for the format");
            }
            out.append(written(name == null ? all.get(next++) : named(values, name), place));
        }
        if (next < all.size() && !(values instanceof Dict)) {
            throw new TemplateError("more values than the format has places");
        }
        return out.append(format.slice(from, format.chars().length())).build();
    }

    private static Value named(Value values, String name) {
        Value found = values instanceof Dict dict ? dict.entries().get(Text.of(name)) : null;
        if (found == null) {
            throw new TemplateError("no value for the place '" + name + "' of a format");
        }
        return found;
    }

    private static Text written(Value value, Matcher place) {
        String flags = place.group(2);
        String type = place.group(5);
        boolean number = "dixXf".contains(type);
        boolean left = flags.contains("-");
        String precision = place.group(4);
        FormatSpec spec = new FormatSpec(
                number && !left && flags.contains("0") ? "0" : " ",
                left ? "<" : number && flags.contains("0") ? "=" : ">",
                !number ? "" : flags.contains("+") ? "+" : flags.contains(" ") ? " " : "",
                place.group(3).isEmpty() ? 0 : Integer.parseInt(place.group(3)),
                false,
                precision == null ? -1 : Integer.parseInt(precision),
                type.equals("i") ? "d" : type.equals("r") ? "s" : type);
        return switch (type) {
            case "s" -> spec.write(Printer.text(value));
            case "r" -> spec.write(Printer.quoted(value));
            case "d", "i" -> spec.write(value instanceof Real(double real) ? new Int((long) real) : value);
            case "f", "x", "X" -> spec.write(value);
            default -> throw new TemplateError("the place '" + place.group() + "' of a format is not supported");
        };
    }
}
