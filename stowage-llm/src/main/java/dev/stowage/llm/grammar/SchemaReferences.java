package dev.stowage.llm.grammar;

import dev.stowage.internal.json.JsonValue;
import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonObject;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The schemas that {@code $ref} refers to, within one document. */
final class SchemaReferences {

    private static final int MOST_STEPS = 100;

    private final JsonValue document;

    SchemaReferences(JsonValue document) {
        this.document = document;
    }

    /** The place that the reference of a schema names. */
    String place(SchemaNode node) {
        String reference = node.text("$ref").orElseThrow();
        if (!reference.equals("#") && !reference.startsWith("#/")) {
            throw node.error(
                    "$ref",
                    "only references within the schema are supported, such as #/$defs/name, not '" + reference + "'");
        }
        return URLDecoder.decode(reference.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** The schema that the reference of a schema names. */
    JsonValue target(SchemaNode node) {
        String place;
        try {
            place = place(node);
        } catch (IllegalArgumentException _) {
            throw node.error("$ref", "the reference has a wrong escape");
        }
        JsonValue at = document;
        String rest = place.substring(1);
        for (String step : rest.isEmpty() ? new String[0] : rest.substring(1).split("/", -1)) {
            String name = step.replace("~1", "/").replace("~0", "~");
            at = step(at, name).orElseThrow(() -> node.error("$ref", "there is nothing at '" + place + "'"));
        }
        return at;
    }

    private static Optional<JsonValue> step(JsonValue from, String name) {
        return switch (from) {
            case JsonObject object -> Optional.ofNullable(object.members().get(name));
            case JsonArray(List<JsonValue> elements) ->
                name.matches("0|[1-9][0-9]{0,6}") && Integer.parseInt(name) < elements.size()
                        ? Optional.of(elements.get(Integer.parseInt(name)))
                        : Optional.empty();
            default -> Optional.empty();
        };
    }

    /** The schema itself, or what it refers to if it is nothing but a reference. */
    JsonValue resolve(JsonValue schema, String place) {
        JsonValue at = schema;
        int steps = 0;
        while (at instanceof JsonObject object
                && object.members().containsKey("$ref")
                && SchemaKeywords.assertions(object).size() == 1) {
            SchemaNode node = SchemaNode.of(object, place);
            if (++steps > MOST_STEPS) {
                throw node.error("$ref", "the reference leads to itself, or over more than " + MOST_STEPS + " others");
            }
            at = target(node);
        }
        return at;
    }
}
