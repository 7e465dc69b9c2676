package dev.stowage.serve.wire;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An object of a request, read field by field. Each value is checked where it is read: what has another type, or is out of
 * range, is refused with a message that has its name. A field that is null counts as absent, as clients send both.
 */
public final class JsonObject {

    private static final int LONGEST_QUOTE = 40;

    private final Map<?, ?> fields;
    private final String path;

    JsonObject(Object fields, String path) {
        this.fields = (Map<?, ?>) fields;
        this.path = path;
    }

    /** A value of an array as an object. */
    static JsonObject of(Object value, String path) {
        if (value instanceof Map<?, ?>) {
            return new JsonObject(value, path);
        }
        throw wrong(path, "an object", value);
    }

    /** The full name of a field, such as {@code messages[0].role}. */
    public String path(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    /** The names of its fields. */
    public Set<String> names() {
        return fields.keySet().stream().map(String.class::cast).collect(Collectors.toSet());
    }

    /** All of it. */
    Map<?, ?> all() {
        return fields;
    }

    /** A value of any type. */
    public Optional<Object> value(String name) {
        Object value = fields.get(name);
        return value == null || value.equals(Json.NULL) ? Optional.empty() : Optional.of(value);
    }

    public Optional<String> text(String name) {
        return value(name).map(value -> {
            if (value instanceof String text) {
                return text;
            }
            throw wrong(path(name), "a string", value);
        });
    }

    public Optional<Boolean> flag(String name) {
        return value(name).map(value -> {
            if (value instanceof Boolean flag) {
                return flag;
            }
            throw wrong(path(name), "true or false", value);
        });
    }

    /** A whole number; 3.0 is one too. */
    public Optional<Long> whole(String name, long least, long most) {
        return value(name).map(value -> whole(value, path(name), least, most));
    }

    /** A whole number that is an {@code int}. */
    public Optional<Integer> count(String name, int least, int most) {
        return whole(name, least, most).map(Math::toIntExact);
    }

    static long whole(Object value, String path, long least, long most) {
        boolean isWhole = value instanceof Long
                || (value instanceof Double real && real == Math.rint(real) && Math.abs(real) < 1e15);
        if (isWhole) {
            long number = ((Number) value).longValue();
            if (number >= least && number <= most) {
                return number;
            }
        }
        throw wrong(path, "a whole number from " + least + " to " + most, value);
    }

    /** A number, whole or not. */
    public Optional<Double> number(String name, double least, double most) {
        return value(name).map(value -> number(value, path(name), least, most));
    }

    static double number(Object value, String path, double least, double most) {
        if (value instanceof Number number) {
            double real = number.doubleValue();
            if (real >= least && real <= most) {
                return real;
            }
        }
        throw wrong(path, "a number from " + plain(least) + " to " + plain(most), value);
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? String.valueOf((long) number) : String.valueOf(number);
    }

    public Optional<JsonObject> object(String name) {
        return value(name).map(value -> of(value, path(name)));
    }

    public Optional<List<?>> list(String name) {
        return value(name).map(value -> {
            if (value instanceof List<?> list) {
                return list;
            }
            throw wrong(path(name), "an array", value);
        });
    }

    /** One of some words. */
    public Optional<String> word(String name, List<String> known) {
        return text(name).map(word -> {
            if (known.contains(word)) {
                return word;
            }
            throw wrong(path(name), "one of " + String.join(", ", known), word);
        });
    }

    static ApiError wrong(String path, String wanted, Object value) {
        return ApiError.invalid(path, "'" + path + "' must be " + wanted + ", not " + describe(value));
    }

    /** A value in a message: short. */
    static String describe(Object value) {
        return switch (value) {
            case Map<?, ?> _ -> "an object";
            case List<?> _ -> "an array";
            case String text -> '"' + quote(text) + '"';
            case Number number -> String.valueOf(number);
            case Boolean flag -> String.valueOf(flag);
            default -> value.toString().toLowerCase(Locale.ROOT);
        };
    }

    /** A text in a message: its beginning, without control characters. */
    static String quote(String text) {
        StringBuilder shown = new StringBuilder();
        text.codePoints()
                .limit(LONGEST_QUOTE)
                .map(point -> Character.isISOControl(point) ? '\uFFFD' : point)
                .forEach(shown::appendCodePoint);
        return shown + (text.codePointCount(0, text.length()) > LONGEST_QUOTE ? "…" : "");
    }
}
