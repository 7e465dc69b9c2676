package dev.stowage.llm.grammar;

import dev.stowage.internal.json.JsonValue;
import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonDouble;
import dev.stowage.internal.json.JsonValue.JsonLong;
import dev.stowage.internal.json.JsonValue.JsonObject;
import dev.stowage.internal.json.JsonValue.JsonString;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether no value conforms to two schemas: {@code oneOf} can be written as any of its schemas only then. What cannot be seen
 * easily counts as an overlap.
 */
final class SchemaOverlap {

    private static final Set<String> ALL_TYPES = Set.of("object", "array", "string", "number", "boolean", "null");

    /** Each is compared with every other. */
    private static final int MOST_SCHEMAS = 256;

    private final SchemaReferences references;

    SchemaOverlap(SchemaReferences references) {
        this.references = references;
    }

    /** Refuses schemas of which two may hold at once. */
    void refuse(SchemaNode node, List<JsonValue> schemas) {
        if (schemas.size() > MOST_SCHEMAS) {
            throw node.error("oneOf", "'oneOf' may have at most " + MOST_SCHEMAS + " schemas: use 'anyOf' or 'enum'");
        }
        for (int i = 0; i < schemas.size(); i++) {
            for (int j = 0; j < i; j++) {
                JsonValue one = references.resolve(schemas.get(j), node.place());
                JsonValue other = references.resolve(schemas.get(i), node.place());
                if (!areDisjoint(one, other)) {
                    throw node.error(
                            "oneOf",
                            "schemas " + j + " and " + i + " of 'oneOf' might hold for the same value:"
                                    + " give them different types, or a required property with a different 'const', or use 'anyOf'");
                }
            }
        }
    }

    private boolean areDisjoint(JsonValue one, JsonValue other) {
        Optional<Set<JsonValue>> values = values(one);
        Optional<Set<JsonValue>> otherValues = values(other);
        if (values.isPresent() && otherValues.isPresent()) {
            return haveNothingInCommon(values.get(), otherValues.get());
        }
        Set<String> types = types(one);
        types.retainAll(types(other));
        if (types.isEmpty()) {
            return true;
        }
        return types.equals(Set.of("object")) && haveDifferentTag(one, other);
    }

    private static boolean haveNothingInCommon(Set<JsonValue> some, Set<JsonValue> others) {
        return some.stream().noneMatch(others::contains);
    }

    /** Whether both require a property, with different values. */
    private boolean haveDifferentTag(JsonValue one, JsonValue other) {
        if (!(one instanceof JsonObject first) || !(other instanceof JsonObject second)) {
            return false;
        }
        Set<String> both = required(first);
        both.retainAll(required(second));
        return both.stream().anyMatch(name -> {
            Optional<Set<JsonValue>> values = property(first, name).flatMap(SchemaOverlap::values);
            Optional<Set<JsonValue>> others = property(second, name).flatMap(SchemaOverlap::values);
            return values.isPresent() && others.isPresent() && haveNothingInCommon(values.get(), others.get());
        });
    }

    private static Set<String> required(JsonObject schema) {
        Set<String> names = new HashSet<>();
        if (schema.members().get("required") instanceof JsonArray(List<JsonValue> elements)) {
            elements.forEach(each -> {
                if (each instanceof JsonString(String name)) {
                    names.add(name);
                }
            });
        }
        return names;
    }

    private Optional<JsonValue> property(JsonObject schema, String name) {
        return schema.members().get("properties") instanceof JsonObject properties
                ? Optional.ofNullable(properties.members().get(name)).map(each -> references.resolve(each, "#"))
                : Optional.empty();
    }

    /** The values that a schema lists, if it does. */
    private static Optional<Set<JsonValue>> values(JsonValue schema) {
        List<JsonValue> all = listed(schema);
        return all.isEmpty()
                ? Optional.empty()
                : Optional.of(all.stream().map(SchemaOverlap::comparable).collect(Collectors.toSet()));
    }

    private static List<JsonValue> listed(JsonValue schema) {
        if (!(schema instanceof JsonObject object)) {
            return List.of();
        }
        JsonValue only = object.members().get("const");
        if (only != null) {
            return List.of(only);
        }
        return object.members().get("enum") instanceof JsonArray(List<JsonValue> elements) ? elements : List.of();
    }

    /** Numbers are equal whichever way they are written. */
    private static JsonValue comparable(JsonValue value) {
        return switch (value) {
            case JsonLong(long whole) ->
                new JsonString("number " + BigDecimal.valueOf(whole).stripTrailingZeros());
            case JsonDouble(double number) ->
                new JsonString("number " + BigDecimal.valueOf(number).stripTrailingZeros());
            case JsonString(String text) -> new JsonString("text " + text);
            default -> value;
        };
    }

    private static Set<String> types(JsonValue schema) {
        List<JsonValue> all = listed(schema);
        if (!all.isEmpty()) {
            return ALL_TYPES.stream()
                    .filter(type -> all.stream().anyMatch(value -> SchemaKeywords.hasType(value, Set.of(type))))
                    .collect(Collectors.toCollection(HashSet::new));
        }
        JsonValue type = schema instanceof JsonObject object ? object.members().get("type") : null;
        return type == null ? new HashSet<>(ALL_TYPES) : named(type);
    }

    private static Set<String> named(JsonValue type) {
        List<JsonValue> names = type instanceof JsonArray(List<JsonValue> several) ? several : List.of(type);
        return names.stream()
                .map(each -> each.equals(new JsonString("integer")) ? new JsonString("number") : each)
                .map(each -> each instanceof JsonString(String name) ? name : "")
                .collect(Collectors.toCollection(HashSet::new));
    }
}
