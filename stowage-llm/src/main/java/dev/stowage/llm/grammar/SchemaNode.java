package dev.stowage.llm.grammar;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonValue;
import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonDouble;
import dev.stowage.internal.json.JsonValue.JsonLong;
import dev.stowage.internal.json.JsonValue.JsonObject;
import dev.stowage.internal.json.JsonValue.JsonString;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A schema that is an object, and where it is: its keywords, checked as they are read.
 *
 * @param keywords what it says
 * @param place where it is, as a JSON pointer
 */
record SchemaNode(Map<String, JsonValue> keywords, String place) {

    /** The largest count of characters or elements. */
    private static final int LARGEST_COUNT = 50_000;

    static SchemaNode of(JsonObject object, String place) {
        return new SchemaNode(object.members(), place);
    }

    boolean has(String keyword) {
        return keywords.containsKey(keyword);
    }

    Optional<JsonValue> find(String keyword) {
        return Optional.ofNullable(keywords.get(keyword));
    }

    /** Where the value of a keyword is. */
    String at(String keyword) {
        return place + "/" + keyword.replace("~", "~0").replace("/", "~1");
    }

    MalformedDataException error(String keyword, String message) {
        return new MalformedDataException("the JSON schema, at " + at(keyword) + ": " + message);
    }

    /** A count that must not be negative. */
    Optional<Integer> count(String keyword) {
        return find(keyword).map(value -> {
            if (decimalOf(value).isEmpty()) {
                throw error(keyword, "'" + keyword + "' has to be a whole number from 0 on");
            }
            BigDecimal number = decimalOf(value).get();
            if (number.signum() < 0 || number.stripTrailingZeros().scale() > 0) {
                throw error(keyword, "'" + keyword + "' has to be a whole number from 0 on, not " + number);
            }
            if (number.compareTo(BigDecimal.valueOf(LARGEST_COUNT)) > 0) {
                throw error(keyword, "'" + keyword + "' can be at most " + LARGEST_COUNT + " here, not " + number);
            }
            return number.intValueExact();
        });
    }

    Optional<BigDecimal> number(String keyword) {
        return find(keyword)
                .map(value ->
                        decimalOf(value).orElseThrow(() -> error(keyword, "'" + keyword + "' has to be a number")));
    }

    private static Optional<BigDecimal> decimalOf(JsonValue value) {
        return switch (value) {
            case JsonLong(long whole) -> Optional.of(BigDecimal.valueOf(whole));
            case JsonDouble(double number) -> Optional.of(BigDecimal.valueOf(number));
            default -> Optional.empty();
        };
    }

    Optional<String> text(String keyword) {
        return find(keyword).map(value -> {
            if (value instanceof JsonString(String text)) {
                return text;
            }
            throw error(keyword, "'" + keyword + "' has to be a string");
        });
    }

    Optional<List<JsonValue>> list(String keyword) {
        return find(keyword).map(value -> {
            if (value instanceof JsonArray(List<JsonValue> elements)) {
                return elements;
            }
            throw error(keyword, "'" + keyword + "' has to be an array");
        });
    }

    /** The schemas in an array, of which there has to be one. */
    List<JsonValue> schemas(String keyword) {
        List<JsonValue> all = list(keyword).orElse(List.of());
        if (all.isEmpty()) {
            throw error(keyword, "'" + keyword + "' has to have at least one schema");
        }
        return all;
    }

    List<String> texts(String keyword) {
        List<String> texts = new ArrayList<>();
        for (JsonValue each : list(keyword).orElse(List.of())) {
            if (!(each instanceof JsonString(String text))) {
                throw error(keyword, "'" + keyword + "' has to be an array of strings");
            }
            texts.add(text);
        }
        return texts;
    }

    Map<String, JsonValue> members(String keyword) {
        return find(keyword)
                .map(value -> {
                    if (value instanceof JsonObject object) {
                        return (Map<String, JsonValue>) object.members();
                    }
                    throw error(keyword, "'" + keyword + "' has to be an object");
                })
                .orElse(Map.of());
    }
}
