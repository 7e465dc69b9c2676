package dev.stowage.llm.grammar;

import dev.stowage.internal.json.JsonValue;
import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonBoolean;
import dev.stowage.internal.json.JsonValue.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/** Makes one schema of two that both hold, where their keywords do not depend on each other. */
final class SchemaMerge {

    private SchemaMerge() {}

    static JsonObject withKeyword(JsonObject schema, String keyword, List<JsonValue> value) {
        SequencedMap<String, JsonValue> members = new LinkedHashMap<>(schema.members());
        members.put(keyword, new JsonArray(value));
        return new JsonObject(members);
    }

    /** The other keywords of a schema. */
    static JsonObject without(SchemaNode node, String keyword) {
        SequencedMap<String, JsonValue> members = new LinkedHashMap<>(node.keywords());
        members.remove(keyword);
        return new JsonObject(members);
    }

    /** The schema that says what both say; errors name the keyword of the node that they come together by. */
    static JsonValue merge(JsonValue one, JsonValue other, SchemaNode node, String keyword) {
        if (one instanceof JsonBoolean(boolean anything)) {
            return anything ? other : one;
        }
        if (other instanceof JsonBoolean(boolean anything)) {
            return anything ? one : other;
        }
        if (!(one instanceof JsonObject first) || !(other instanceof JsonObject second)) {
            throw node.error(keyword, "a schema has to be an object, true or false");
        }
        refuseDependent(first, second, node, keyword);
        refuseDependent(second, first, node, keyword);
        SequencedMap<String, JsonValue> both = new LinkedHashMap<>(first.members());
        second.members().forEach((name, value) -> {
            JsonValue known = both.get(name);
            both.put(name, known == null || known.equals(value) ? value : together(name, known, value, node, keyword));
        });
        return new JsonObject(both);
    }

    /** What one keyword says may depend on another beside it, which must not come from elsewhere. */
    private static void refuseDependent(JsonObject one, JsonObject other, SchemaNode node, String keyword) {
        Map<String, Set<String>> dependsOn =
                Map.of("additionalProperties", Set.of("properties"), "items", Set.of("prefixItems"));
        dependsOn.forEach((dependent, on) -> on.forEach(each -> {
            boolean same = one.members().containsKey(each)
                    && one.members().get(each).equals(other.members().get(each));
            if (one.members().containsKey(dependent) && other.members().containsKey(each) && !same) {
                throw node.error(
                        keyword,
                        "'" + dependent + "' does not know of '" + each + "' of the other schema, so that"
                                + " both together are not supported: write them as one schema");
            }
        }));
    }

    private static JsonValue together(String name, JsonValue one, JsonValue other, SchemaNode node, String keyword) {
        if (SchemaKeywords.assertions(new JsonObject(new LinkedHashMap<>(Map.of(name, one))))
                .isEmpty()) {
            return other;
        }
        if (name.equals("required") && one instanceof JsonArray some && other instanceof JsonArray more) {
            Set<JsonValue> all = new LinkedHashSet<>(some.elements());
            all.addAll(more.elements());
            return new JsonArray(new ArrayList<>(all));
        }
        if (name.equals("properties") && one instanceof JsonObject some && other instanceof JsonObject more) {
            SequencedMap<String, JsonValue> all = new LinkedHashMap<>(some.members());
            more.members().forEach((property, schema) -> {
                JsonValue known = all.get(property);
                all.put(property, known == null || known.equals(schema) ? schema : bothHold(known, schema));
            });
            return new JsonObject(all);
        }
        throw node.error(
                keyword,
                "two schemas that both hold have a different '" + name + "', which is not supported:"
                        + " write them as one schema");
    }

    private static JsonValue bothHold(JsonValue one, JsonValue other) {
        return withKeyword(JsonObjects.EMPTY, "allOf", List.of(one, other));
    }
}
