package dev.stowage.llm.grammar;

import dev.stowage.error.MalformedDataException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads grammars in GBNF, llama.cpp's notation: {@code name ::= alternatives}, with literals, classes of characters, groups,
 * {@code * + ? {m,n}}, other rules and comments.
 */
final class GbnfParser {

    private static final int LONGEST = 1 << 20;
    private static final int DEEPEST = 200;
    private static final int MOST_REPETITIONS = 1_000_000;

    private final GbnfText text;
    private final GbnfCharacters characters;
    private final RuleSet rules = new RuleSet();

    /** By rule that is referred to, where that is first. */
    private final Map<String, Integer> referred = new LinkedHashMap<>();

    private GbnfParser(String grammar) {
        this.text = new GbnfText(grammar);
        this.characters = new GbnfCharacters(text);
    }

    /**
     * @throws MalformedDataException if it is not GBNF; the message names line and column
     */
    static RuleSet parse(String grammar) {
        if (grammar.length() > LONGEST) {
            throw new MalformedDataException(
                    "the grammar has " + grammar.length() + " characters; at most " + LONGEST + " are read");
        }
        GbnfParser parser = new GbnfParser(grammar);
        parser.all();
        return parser.rules;
    }

    private void all() {
        text.skipSpace(true);
        while (!text.isAtEnd()) {
            rule();
            text.skipSpace(true);
        }
        referred.forEach((name, place) -> {
            if (!rules.has(name)) {
                throw text.errorAt(place, "there is no rule '" + name + "'");
            }
        });
        if (!rules.has(RuleSet.ROOT)) {
            throw text.error("the grammar has no rule '" + RuleSet.ROOT + "', which texts are to conform to");
        }
    }

    private void rule() {
        int start = text.position();
        String name = text.name();
        if (name.isEmpty()) {
            throw text.error("expected the name of a rule, found " + text.found());
        }
        text.skipSpace(false);
        text.expect("::=", "after the name of the rule '" + name + "'");
        text.skipSpace(true);
        Expression body = alternatives(0);
        text.skipSpace(false);
        if (!text.isAtEnd() && text.peek() != '\n' && text.peek() != '\r') {
            throw text.error("expected the end of the rule '" + name + "', found " + text.found());
        }
        if (rules.has(name)) {
            throw text.errorAt(start, "the rule '" + name + "' is there twice");
        }
        rules.add(name, body, "rule '" + name + "' in " + text.place(start));
    }

    private Expression alternatives(int depth) {
        List<Expression> all = new ArrayList<>();
        do {
            text.skipSpace(true);
            all.add(sequence(depth));
        } while (depth > 0 ? text.skipIf("|") : text.skipToBar());
        return all.size() == 1 ? all.getFirst() : new Expression.Choice(all);
    }

    private Expression sequence(int depth) {
        List<Expression> parts = new ArrayList<>();
        while (true) {
            text.skipSpace(depth > 0);
            int start = text.position();
            if (!isOperand(text.peek()) || startsRule(start, depth)) {
                return parts.size() == 1 ? parts.getFirst() : new Expression.Sequence(parts);
            }
            Expression operand = operand(depth);
            text.skipSpace(depth > 0);
            for (int repetitions = depth; isRepetition(text.peek()); repetitions++) {
                requireShallow(repetitions);
                operand = repetition(operand);
                text.skipSpace(depth > 0);
            }
            parts.add(operand);
        }
    }

    private static boolean isOperand(int c) {
        return c != GbnfText.END && c != '|' && c != ')' && c != '\n' && c != '\r';
    }

    /** Whether a name that comes next is that of the next rule: alternatives may be empty up to the end of a line. */
    private boolean startsRule(int start, int depth) {
        if (depth > 0) {
            return false;
        }
        boolean starts = text.startsRule();
        text.moveTo(start);
        return starts;
    }

    private static boolean isRepetition(int c) {
        return c == '*' || c == '+' || c == '?' || c == '{';
    }

    private Expression operand(int depth) {
        int start = text.position();
        return switch (text.peek()) {
            case '"' -> characters.literal();
            case '[' -> new Expression.Chars(characters.set());
            case '.' -> {
                text.read();
                yield new Expression.Chars(CodePoints.ALL);
            }
            case '(' -> group(depth);
            case '<', '!' ->
                throw text.error("tokens by number or name are not supported; write their text as a literal");
            default -> {
                String name = text.name();
                if (name.isEmpty()) {
                    throw text.error("expected a literal, a class, a group or a rule, found " + text.found());
                }
                referred.putIfAbsent(name, start);
                yield new Expression.Call(name);
            }
        };
    }

    private void requireShallow(int depth) {
        if (depth >= DEEPEST) {
            throw text.error("groups and repetitions are nested more than " + DEEPEST + " deep");
        }
    }

    private Expression group(int depth) {
        requireShallow(depth);
        int start = text.position();
        text.read();
        Expression inner = alternatives(depth + 1);
        text.skipSpace(true);
        if (!text.skipIf(")")) {
            throw text.errorAt(
                    start,
                    "the group has no closing ')': found " + text.found() + " at " + text.place(text.position()));
        }
        return inner;
    }

    private Expression repetition(Expression body) {
        return switch (text.read()) {
            case '*' -> Expression.many(body);
            case '+' -> new Expression.Repeat(body, 1, Expression.UNLIMITED);
            case '?' -> Expression.optional(body);
            default -> counted(body);
        };
    }

    private Expression counted(Expression body) {
        int start = text.position() - 1;
        text.skipSpace(false);
        int least = number();
        text.skipSpace(false);
        int most = least;
        if (text.skipIf(",")) {
            text.skipSpace(false);
            most = text.peek() == '}' ? Expression.UNLIMITED : number();
            text.skipSpace(false);
        }
        text.expect("}", "at the end of a repetition");
        if (most != Expression.UNLIMITED && most < least) {
            throw text.errorAt(start, "a repetition of at least " + least + " and at most " + most);
        }
        return new Expression.Repeat(body, least, most);
    }

    private int number() {
        int start = text.position();
        long value = 0;
        while (text.peek() >= '0' && text.peek() <= '9') {
            value = Math.min(MOST_REPETITIONS + 1L, 10 * value + text.read() - '0');
        }
        if (text.position() == start) {
            throw text.error("expected a number of repetitions, found " + text.found());
        }
        if (value > MOST_REPETITIONS) {
            throw text.errorAt(start, "more than " + MOST_REPETITIONS + " repetitions");
        }
        return (int) value;
    }
}
