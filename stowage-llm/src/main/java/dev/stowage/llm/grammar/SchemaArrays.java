package dev.stowage.llm.grammar;

import dev.stowage.internal.json.JsonValue;
import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonBoolean;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Arrays of a JSON schema: elements with schemas of their own first, then any number of the same. */
final class SchemaArrays {

    private static final int MOST_POSITIONS = 1_000;
    private static final Expression SPACE = new Expression.Call(JsonRules.SPACE);

    private final SchemaNode node;
    private final int least;
    private final int most;

    /** The elements that have a schema by their position, and whatever follows. */
    private final List<Expression> first = new ArrayList<>();

    private final Expression rest;

    SchemaArrays(SchemaCompiler compiler, SchemaNode node) {
        this.node = node;
        if (node.find("uniqueItems")
                .filter(value -> !value.equals(new JsonBoolean(false)))
                .isPresent()) {
            throw node.error("uniqueItems", "'uniqueItems' is not supported");
        }
        String positions =
                node.find("items").filter(JsonArray.class::isInstance).isPresent() ? "items" : "prefixItems";
        List<JsonValue> schemas = node.list(positions).orElse(List.of());
        if (schemas.size() > MOST_POSITIONS) {
            throw node.error(positions, "at most " + MOST_POSITIONS + " schemas by position are supported");
        }
        for (int i = 0; i < schemas.size(); i++) {
            first.add(compiler.rule(schemas.get(i), node.at(positions) + "/" + i));
        }
        Optional<JsonValue> others = node.find("items").filter(_ -> positions.equals("prefixItems"));
        this.rest = compiler.rule(others.orElse(new JsonBoolean(true)), node.at("items"));
        this.least = node.count("minItems").orElse(0);
        // What comes after the positions is left out where the schema says nothing about it.
        int limit = first.isEmpty() || others.isPresent() ? Expression.UNLIMITED : Math.max(least, first.size());
        this.most = node.count("maxItems")
                .map(count -> limit < 0 ? count : Math.min(limit, count))
                .orElse(limit);
    }

    Expression expression() {
        if (most != Expression.UNLIMITED && most < least) {
            throw node.error("minItems", "'minItems' is larger than 'maxItems'");
        }
        return Expression.sequence(Expression.text("["), SPACE, elements(), Expression.text("]"));
    }

    private Expression elements() {
        if (most == 0) {
            return Expression.empty();
        }
        if (first.isEmpty()) {
            first.add(rest);
        }
        int positions = most == Expression.UNLIMITED ? first.size() : Math.min(most, first.size());
        int open = most == Expression.UNLIMITED ? Expression.UNLIMITED : most - positions;
        Expression after = open == 0
                ? Expression.empty()
                : new Expression.Repeat(next(rest), Math.max(0, least - positions), open);
        for (int i = positions - 1; i >= 0; i--) {
            Expression element = i == 0 ? Expression.sequence(first.getFirst(), SPACE) : next(first.get(i));
            Expression both = Expression.sequence(element, after);
            after = i >= least ? Expression.optional(both) : both;
        }
        return after;
    }

    private static Expression next(Expression element) {
        return Expression.sequence(Expression.text(","), SPACE, element, SPACE);
    }
}
