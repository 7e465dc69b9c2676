package dev.stowage.llm.grammar;

import dev.stowage.internal.json.JsonValue;
import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonBoolean;
import dev.stowage.internal.json.JsonValue.JsonDouble;
import dev.stowage.internal.json.JsonValue.JsonLong;
import dev.stowage.internal.json.JsonValue.JsonNull;
import dev.stowage.internal.json.JsonValue.JsonObject;
import dev.stowage.internal.json.JsonValue.JsonString;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The keywords of JSON schemas: which are supported, which say nothing about what is valid, and which types they concern. */
final class SchemaKeywords {

    /** By type the keywords that concern it alone. */
    private static final Map<String, Set<String>> BY_TYPE = new LinkedHashMap<>();

    static {
        BY_TYPE.put(
                "object", Set.of("properties", "required", "additionalProperties", "minProperties", "maxProperties"));
        BY_TYPE.put("array", Set.of("items", "prefixItems", "minItems", "maxItems", "uniqueItems"));
        BY_TYPE.put("string", Set.of("minLength", "maxLength", "pattern"));
        BY_TYPE.put("number", Set.of("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"));
    }

    private static final Set<String> GENERAL = Set.of("type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref");

    /** Those that describe and do not restrict. */
    private static final Set<String> ANNOTATIONS = Set.of(
            "title",
            "description",
            "default",
            "examples",
            "example",
            "deprecated",
            "readOnly",
            "writeOnly",
            "format",
            "contentEncoding",
            "contentMediaType",
            "$schema",
            "$id",
            "$comment",
            "$defs",
            "definitions");

    private SchemaKeywords() {}

    /** Refuses keywords that are not supported; those whose names begin with {@code x-} are ignored. */
    static void check(SchemaNode node) {
        for (String keyword : node.keywords().keySet()) {
            boolean supported = GENERAL.contains(keyword)
                    || isAnnotation(keyword)
                    || BY_TYPE.values().stream().anyMatch(each -> each.contains(keyword));
            if (!supported) {
                throw node.error(keyword, "the keyword '" + keyword + "' is not supported");
            }
        }
    }

    private static boolean isAnnotation(String keyword) {
        return ANNOTATIONS.contains(keyword) || keyword.startsWith("x-");
    }

    /** The keywords of a schema that restrict what is valid. */
    static Set<String> assertions(JsonObject schema) {
        Set<String> assertions = new LinkedHashSet<>(schema.members().keySet());
        assertions.removeIf(SchemaKeywords::isAnnotation);
        return assertions;
    }

    /** The types that a schema without {@code type} has keywords for. */
    static List<String> impliedTypes(SchemaNode node) {
        List<String> types = new ArrayList<>();
        BY_TYPE.forEach((type, keywords) -> {
            if (keywords.stream().anyMatch(node::has)) {
                types.add(type);
            }
        });
        return types;
    }

    /** Whether a keyword concerns a type that none of the values has. */
    static boolean appliesToNone(String keyword, List<JsonValue> values) {
        return BY_TYPE.entrySet().stream()
                .filter(each -> each.getValue().contains(keyword))
                .anyMatch(each -> values.stream().noneMatch(value -> hasType(value, Set.of(each.getKey()))));
    }

    /** Whether a value is of one of these types. */
    static boolean hasType(JsonValue value, Set<String> types) {
        return switch (value) {
            case JsonObject _ -> types.contains("object");
            case JsonArray _ -> types.contains("array");
            case JsonString _ -> types.contains("string");
            case JsonBoolean _ -> types.contains("boolean");
            case JsonNull _ -> types.contains("null");
            case JsonLong _ -> types.contains("number") || types.contains("integer");
            case JsonDouble(double number) ->
                types.contains("number") || (types.contains("integer") && number == Math.rint(number));
        };
    }
}
