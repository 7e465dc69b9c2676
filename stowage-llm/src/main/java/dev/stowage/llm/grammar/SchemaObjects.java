package dev.stowage.llm.grammar;

import dev.stowage.internal.json.JsonValue;
import dev.stowage.internal.json.JsonValue.JsonBoolean;
import dev.stowage.internal.json.JsonValue.JsonString;
import dev.stowage.internal.json.JsonWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Objects of a JSON schema: the properties that it names in its order, those that are not required possibly left out, and then
 * others where it asks for them.
 */
final class SchemaObjects {

    private static final Expression SPACE = new Expression.Call(JsonRules.SPACE);
    private static final Expression COMMA = Expression.sequence(Expression.text(","), SPACE);

    /** Names that others have to differ from: each character of one nests the expression of those deeper. */
    private static final int LONGEST_NAME = 300;

    private final SchemaCompiler compiler;
    private final SchemaNode node;
    private final Set<String> required;
    private final List<Expression> members = new ArrayList<>();
    private final List<Boolean> optional = new ArrayList<>();

    /** Any number of further members, each with a comma before it; and one of them. */
    private Expression others = Expression.empty();

    private Expression other = Expression.nothing();

    SchemaObjects(SchemaCompiler compiler, SchemaNode node) {
        this.compiler = compiler;
        this.node = node;
        this.required = new LinkedHashSet<>(node.texts("required"));
    }

    Expression expression() {
        Map<String, JsonValue> properties = node.members("properties");
        boolean says = node.has("additionalProperties");
        if (properties.isEmpty() && required.isEmpty() && !says) {
            checkCounts(0, true);
            return new Expression.Call(JsonRules.OBJECT);
        }
        JsonValue additional = node.find("additionalProperties").orElse(new JsonBoolean(true));
        Expression value = compiler.rule(additional, node.at("additionalProperties"));
        Map<String, Expression> all = new LinkedHashMap<>();
        properties.forEach((name, schema) -> all.put(
                name,
                compiler.rule(
                        schema,
                        node.at("properties") + "/" + name.replace("~", "~0").replace("/", "~1"))));
        for (String name : required) {
            if (!all.containsKey(name)) {
                if (additional.equals(new JsonBoolean(false))) {
                    throw node.error(
                            "required",
                            "'" + name + "' is required, but is not one of the properties, and others"
                                    + " are not allowed");
                }
                all.put(name, value);
            }
        }
        all.forEach((name, schema) -> {
            members.add(member(Expression.text(JsonWriter.compact(new JsonString(name))), schema));
            optional.add(!required.contains(name));
        });
        boolean open = says && !additional.equals(new JsonBoolean(false));
        checkCounts(all.size(), open);
        if (open) {
            all.keySet().stream()
                    .filter(name -> name.length() > LONGEST_NAME)
                    .findAny()
                    .ifPresent(name -> {
                        throw node.error(
                                "additionalProperties",
                                "a property has a name of more than " + LONGEST_NAME
                                        + " characters, which is not supported beside 'additionalProperties'");
                    });
            other = member(SchemaKeys.except(all.keySet()), value);
            others = Expression.many(Expression.sequence(COMMA, other));
        }
        return Expression.sequence(Expression.text("{"), SPACE, first(), Expression.text("}"));
    }

    private void checkCounts(int count, boolean open) {
        if (node.count("minProperties").orElse(0) > required.size()) {
            throw node.error(
                    "minProperties", "'minProperties' is not supported beyond the number of required properties");
        }
        if (node.count("maxProperties").isPresent()
                && (open || node.count("maxProperties").get() < count)) {
            throw node.error(
                    "maxProperties",
                    "'maxProperties' is not supported, except where no more properties are allowed anyway");
        }
    }

    private static Expression member(Expression name, Expression value) {
        return Expression.sequence(name, Expression.text(":"), SPACE, value, SPACE);
    }

    /** The members, of which the first has no comma before it: whichever may be the first, and those after it. */
    private Expression first() {
        List<Expression> begins = new ArrayList<>();
        int last = optional.indexOf(false);
        int candidates = last < 0 ? members.size() : last + 1;
        Expression after = rest(candidates);
        for (int i = candidates - 1; i >= 0; i--) {
            begins.addFirst(Expression.sequence(members.get(i), after));
            after = i > 0 ? ruleForRest(i, after) : after;
        }
        if (last < 0) {
            begins.add(Expression.optional(Expression.sequence(other, others)));
        }
        return new Expression.Choice(begins);
    }

    /** A rule for the members from one on: each may follow several, so that it is written once. */
    private Expression ruleForRest(int from, Expression afterwards) {
        return compiler.helper(
                "members " + from + " of " + node.place(),
                Expression.sequence(following(from), afterwards),
                node.place());
    }

    private Expression rest(int from) {
        List<Expression> parts = new ArrayList<>();
        for (int i = from; i < members.size(); i++) {
            parts.add(following(i));
        }
        parts.add(others);
        return new Expression.Sequence(parts);
    }

    private Expression following(int index) {
        Expression member = Expression.sequence(COMMA, members.get(index));
        return optional.get(index) ? Expression.optional(member) : member;
    }
}
