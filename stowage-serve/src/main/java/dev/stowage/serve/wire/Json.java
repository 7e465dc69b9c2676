package dev.stowage.serve.wire;

import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * JSON in and out, as plain values: maps, lists, strings, {@code Long} and {@code Double}, booleans and {@link #NULL}. The
 * parser refuses what could be used to exhaust memory or stack: deep nesting, endless numbers, and names that come twice.
 */
public final class Json {

    /** The value null of JSON. */
    public static final Object NULL = Null.NULL;

    private static final int DEEPEST = 100;
    private static final int LONGEST_NUMBER = 100;
    private static final int LONGEST_NAME = 10_000;

    /** Where the parser begins to speak of its own options. */
    private static final String ADVICE = ": enable ";

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEEPEST)
                    .maxNumberLength(LONGEST_NUMBER)
                    .maxNameLength(LONGEST_NAME)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private enum Null {
        NULL
    }

    private Json() {}

    /**
     * The object that a request has as its body.
     *
     * @throws ApiError if it is not one
     */
    public static JsonObject parse(byte[] body) {
        if (body.length == 0) {
            throw ApiError.invalid("the body is empty: it must be a JSON object");
        }
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), body)) {
            parser.nextToken();
            Object value = value(parser);
            if (parser.nextToken() != null) {
                throw ApiError.invalid("after the JSON value of the body comes something else");
            }
            if (value instanceof Map<?, ?>) {
                return new JsonObject(value, "");
            }
            throw ApiError.invalid("the body must be a JSON object, not " + JsonObject.describe(value));
        } catch (StreamConstraintsException _) {
            throw ApiError.invalid("the body is nested deeper than " + DEEPEST
                    + " levels, or has a number of more than " + LONGEST_NUMBER + " digits, or a name of more than "
                    + LONGEST_NAME + " characters");
        } catch (JacksonException e) {
            throw ApiError.invalid("the body is not JSON: " + where(e));
        }
    }

    private static String where(JacksonException e) {
        String message = String.valueOf(e.getOriginalMessage());
        int advice = message.indexOf(ADVICE);
        return (advice < 0 ? message : message.substring(0, advice))
                + (e.getLocation() == null
                        ? ""
                        : " (line " + e.getLocation().getLineNr() + ", column "
                                + e.getLocation().getColumnNr() + ")");
    }

    private static Object value(JsonParser parser) {
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw ApiError.invalid("the body has no JSON value");
        }
        return switch (token) {
            case START_OBJECT -> map(parser);
            case START_ARRAY -> list(parser);
            case VALUE_STRING -> parser.getString();
            case VALUE_NUMBER_INT -> whole(parser);
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> NULL;
        };
    }

    private static Object whole(JsonParser parser) {
        BigInteger exact = parser.getBigIntegerValue();
        return exact.bitLength() < Long.SIZE ? (Object) exact.longValue() : (Object) exact;
    }

    private static Map<String, Object> map(JsonParser parser) {
        Map<String, Object> map = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            map.put(name, value(parser));
        }
        return map;
    }

    private static List<Object> list(JsonParser parser) {
        List<Object> list = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            list.add(value(parser));
        }
        return list;
    }

    /** An object, of names and values in turn. */
    public static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }

    /**
     * A value that a request has as the text that it was.
     *
     * @throws ApiError if it has a number that is too large, of which nobody knows any more which it was
     */
    static String source(Object value, String field) {
        if (hasInfinity(value)) {
            throw ApiError.invalid(
                    field,
                    "'" + field + "' has a number that is too large: at most " + Double.MAX_VALUE + " is possible");
        }
        return text(value);
    }

    private static boolean hasInfinity(Object value) {
        return switch (value) {
            case Map<?, ?> map -> map.values().stream().anyMatch(Json::hasInfinity);
            case List<?> list -> list.stream().anyMatch(Json::hasInfinity);
            case Double number -> number.isInfinite();
            default -> false;
        };
    }

    /** A value as text. */
    public static String text(Object value) {
        StringWriter out = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), out)) {
            write(generator, value);
        }
        return out.toString();
    }

    /** A value in UTF-8; half of a surrogate pair becomes a question mark. */
    public static byte[] bytes(Object value) {
        return text(value).getBytes(StandardCharsets.UTF_8);
    }

    private static void write(JsonGenerator out, Object value) {
        switch (value) {
            case Map<?, ?> map -> {
                out.writeStartObject();
                map.forEach((name, each) -> {
                    out.writeName((String) name);
                    write(out, each);
                });
                out.writeEndObject();
            }
            case List<?> list -> {
                out.writeStartArray();
                list.forEach(each -> write(out, each));
                out.writeEndArray();
            }
            case float[] numbers -> {
                out.writeStartArray();
                for (float number : numbers) {
                    out.writeNumber(number);
                }
                out.writeEndArray();
            }
            case String text -> out.writeString(text);
            case Boolean flag -> out.writeBoolean(flag);
            case Integer number -> out.writeNumber(number);
            case Long number -> out.writeNumber(number);
            case BigInteger number -> out.writeNumber(number);
            // JSON has no infinity.
            case Double number -> out.writeNumber(Double.isFinite(number) ? number : 0);
            case Float number -> out.writeNumber(Float.isFinite(number) ? number : 0);
            case Null _ -> out.writeNull();
            default -> throw new IllegalArgumentException("no JSON for " + value.getClass());
        }
    }
}
