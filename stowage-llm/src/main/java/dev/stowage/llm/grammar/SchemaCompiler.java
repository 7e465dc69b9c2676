package dev.stowage.llm.grammar;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.internal.json.JsonValue;
import dev.stowage.internal.json.JsonValue.JsonBoolean;
import dev.stowage.internal.json.JsonValue.JsonObject;
import dev.stowage.internal.json.JsonValue.JsonString;
import dev.stowage.internal.json.JsonWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Makes rules of a JSON schema, one for each schema in it. What they allow conforms to the schema, and may be less than all of
 * that: the properties of an object come in the order of the schema.
 */
final class SchemaCompiler {

    private static final int LONGEST = 1 << 20;

    /** Places of schemas that hold together are put together from those of both. */
    private static final int LONGEST_PLACE = 10_000;

    private static final List<String> TYPES =
            List.of("object", "array", "string", "number", "integer", "boolean", "null");

    /** A schema that a rule is to be made of. */
    private record Pending(String rule, JsonValue schema, String place) {}

    private final RuleSet rules;
    private final String prefix;
    private final SchemaReferences references;
    private final SchemaOverlap overlap;
    private final Set<String> known = new HashSet<>();
    private final Deque<Pending> pending = new ArrayDeque<>();

    private SchemaCompiler(RuleSet rules, String prefix, JsonValue document) {
        this.rules = rules;
        this.prefix = prefix;
        this.references = new SchemaReferences(document);
        this.overlap = new SchemaOverlap(references);
    }

    /**
     * The rules of one schema.
     *
     * @throws MalformedDataException if the text is not JSON, or something in it is not supported
     */
    static RuleSet compile(String text) {
        RuleSet rules = JsonRules.all();
        rules.add(RuleSet.ROOT, add(text, "", rules), "at #");
        return rules;
    }

    /**
     * Adds the rules of a schema to those of JSON and of other schemas; returns what conforms to it.
     *
     * @param prefix what the names of its rules begin with
     */
    static Expression add(String text, String prefix, RuleSet rules) {
        if (text.length() > LONGEST) {
            throw new MalformedDataException(
                    "the JSON schema has " + text.length() + " characters; at most " + LONGEST + " are read");
        }
        JsonValue document;
        try {
            document = JsonReader.parse(text);
        } catch (MalformedDataException e) {
            throw new MalformedDataException("the JSON schema: " + e.getMessage(), e);
        }
        SchemaCompiler compiler = new SchemaCompiler(rules, prefix, document);
        Expression root = compiler.rule(document, "#");
        while (!compiler.pending.isEmpty()) {
            Pending next = compiler.pending.remove();
            compiler.rules.add(next.rule(), compiler.expression(next.schema(), next.place()), "at " + next.place());
        }
        return root;
    }

    /** Values that conform to the schema at a place: a rule of its own. */
    Expression rule(JsonValue schema, String place) {
        if (schema instanceof JsonBoolean(boolean anything)) {
            return anything ? new Expression.Call(JsonRules.VALUE) : Expression.nothing();
        }
        String name = prefix + "schema " + place;
        if (known.add(name)) {
            pending.add(new Pending(name, schema, place));
        }
        return new Expression.Call(name);
    }

    /** Adds a rule that a schema needs beside its own. */
    Expression helper(String name, Expression body, String place) {
        rules.add(prefix + name, body, "at " + place);
        return new Expression.Call(prefix + name);
    }

    private Expression expression(JsonValue schema, String place) {
        if (!(schema instanceof JsonObject object)) {
            throw new MalformedDataException(
                    "the JSON schema, at " + place + ": a schema has to be an object, true or false");
        }
        SchemaNode node = SchemaNode.of(object, place);
        SchemaKeywords.check(node);
        Set<String> assertions = SchemaKeywords.assertions(object);
        if (node.has("$ref")) {
            if (assertions.size() > 1) {
                return merged(node, "$ref", references.target(node));
            }
            return rule(references.target(node), references.place(node));
        }
        if (node.has("allOf")) {
            List<JsonValue> all = node.schemas("allOf");
            JsonValue rest = all.size() == 1
                    ? all.getFirst()
                    : SchemaMerge.withKeyword(JsonObjects.EMPTY, "allOf", all.subList(1, all.size()));
            JsonValue first =
                    all.size() == 1 ? rest : SchemaMerge.merge(resolved(all.getFirst(), node), rest, node, "allOf");
            return merged(node, "allOf", first);
        }
        for (String keyword : List.of("anyOf", "oneOf")) {
            if (node.has(keyword)) {
                return alternatives(node, keyword, assertions.size() > 1);
            }
        }
        if (node.has("const")) {
            return values(node, "const", List.of(node.keywords().get("const")));
        }
        if (node.has("enum")) {
            return values(node, "enum", node.schemas("enum"));
        }
        return typed(node);
    }

    private JsonValue resolved(JsonValue schema, SchemaNode node) {
        return references.resolve(schema, node.place());
    }

    /** A schema whose keyword says that another schema holds too. */
    private Expression merged(SchemaNode node, String keyword, JsonValue other) {
        if (node.place().length() > LONGEST_PLACE) {
            throw node.error(keyword, "schemas that all hold are nested too deeply, or in themselves");
        }
        JsonValue rest = SchemaMerge.without(node, keyword);
        JsonValue both = SchemaMerge.merge(rest, resolved(other, node), node, keyword);
        return rule(both, node.at(keyword) + " and beside it");
    }

    private Expression alternatives(SchemaNode node, String keyword, boolean beside) {
        List<JsonValue> all = node.schemas(keyword);
        if (keyword.equals("oneOf")) {
            overlap.refuse(node, all);
        }
        List<Expression> expressions = new ArrayList<>();
        JsonValue rest = SchemaMerge.without(node, keyword);
        for (int i = 0; i < all.size(); i++) {
            String place = node.at(keyword) + "/" + i;
            expressions.add(
                    beside
                            ? rule(
                                    SchemaMerge.merge(rest, resolved(all.get(i), node), node, keyword),
                                    place + " and beside it")
                            : rule(all.get(i), place));
        }
        return new Expression.Choice(expressions);
    }

    private static Expression values(SchemaNode node, String keyword, List<JsonValue> values) {
        Set<String> types = new LinkedHashSet<>(types(node).orElse(TYPES));
        for (String each : SchemaKeywords.assertions(new JsonObject(JsonObjects.copy(node.keywords())))) {
            if (!each.equals("type") && !each.equals(keyword) && !SchemaKeywords.appliesToNone(each, values)) {
                throw node.error(
                        each,
                        "'" + each + "' beside '" + keyword + "' is not supported: leave out the values that"
                                + " it excludes");
            }
        }
        List<Expression> expressions = new ArrayList<>();
        for (JsonValue value : values) {
            if (SchemaKeywords.hasType(value, types)) {
                expressions.add(Expression.text(JsonWriter.compact(value)));
            }
        }
        if (expressions.isEmpty()) {
            throw node.error(keyword, "no value of '" + keyword + "' has the type that 'type' asks for");
        }
        return new Expression.Choice(expressions);
    }

    private static Optional<List<String>> types(SchemaNode node) {
        return node.find("type").map(value -> {
            List<String> names = value instanceof JsonString(String one) ? List.of(one) : node.texts("type");
            for (String name : names) {
                if (!TYPES.contains(name)) {
                    throw node.error("type", "there is no type '" + name + "'; there are " + String.join(", ", TYPES));
                }
            }
            if (names.isEmpty()) {
                throw node.error("type", "'type' has to name at least one type");
            }
            return names;
        });
    }

    private Expression typed(SchemaNode node) {
        List<String> types = types(node).orElseGet(() -> SchemaKeywords.impliedTypes(node));
        if (types.isEmpty()) {
            return new Expression.Call(JsonRules.VALUE);
        }
        List<Expression> expressions = new ArrayList<>();
        for (String type : types) {
            // Every integer is a number.
            if (!type.equals("integer") || !types.contains("number")) {
                expressions.add(ofType(type, node));
            }
        }
        return new Expression.Choice(expressions);
    }

    private Expression ofType(String type, SchemaNode node) {
        return switch (type) {
            case "null" -> Expression.text("null");
            case "boolean" -> Expression.choice(Expression.text("true"), Expression.text("false"));
            case "string" -> SchemaStrings.of(node);
            case "integer" -> SchemaNumbers.integer(node);
            case "number" -> SchemaNumbers.number(node);
            case "array" -> new SchemaArrays(this, node).expression();
            default -> new SchemaObjects(this, node).expression();
        };
    }
}
