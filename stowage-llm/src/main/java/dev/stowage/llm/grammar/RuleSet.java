package dev.stowage.llm.grammar;

import dev.stowage.error.MalformedDataException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rules of a grammar by name, as they are collected from a text. */
final class RuleSet {

    /** The most rules of a grammar. */
    static final int MOST_RULES = 10_000;

    /** The rule that texts conform to. */
    static final String ROOT = "root";

    /**
     * A rule.
     *
     * @param body what it stands for
     * @param place where it is defined, for messages
     */
    record Rule(Expression body, String place) {}

    private final Map<String, Rule> rules = new LinkedHashMap<>();

    /** Adds a rule, which must not be there yet. */
    void add(String name, Expression body, String place) {
        if (rules.size() >= MOST_RULES) {
            throw new MalformedDataException(
                    place + ": a grammar may have at most " + MOST_RULES + " rules; simplify it");
        }
        rules.put(name, new Rule(body, place));
    }

    boolean has(String name) {
        return rules.containsKey(name);
    }

    /** The rule of that name, or null. */
    @Nullable
    Rule find(String name) {
        return rules.get(name);
    }

    Map<String, Rule> all() {
        return rules;
    }
}
