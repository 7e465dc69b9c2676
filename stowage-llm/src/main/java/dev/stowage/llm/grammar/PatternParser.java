package dev.stowage.llm.grammar;

import dev.stowage.error.MalformedDataException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Reads the {@code pattern} of a JSON schema, a regular expression as in JavaScript: characters, classes, groups, alternatives,
 * repetitions, and the anchors at both ends. The result is about strings as JSON writes them.
 */
final class PatternParser {

    private static final int LONGEST = 10_000;
    private static final int DEEPEST = 100;
    private static final int MOST_REPETITIONS = 100_000;

    private final PatternCharacters text;
    private final Function<String, MalformedDataException> error;

    private PatternParser(String pattern, Function<String, MalformedDataException> error) {
        this.error = error;
        this.text = new PatternCharacters(pattern, error);
    }

    /**
     * @param error makes what is thrown where something is not supported
     */
    static Expression parse(String pattern, Function<String, MalformedDataException> error) {
        if (pattern.length() > LONGEST) {
            throw error.apply("the pattern has " + pattern.length() + " characters; at most " + LONGEST + " are read");
        }
        PatternParser parser = new PatternParser(pattern, error);
        List<Expression> alternatives = new ArrayList<>();
        do {
            alternatives.add(parser.anchored());
        } while (parser.text.skipIf("|"));
        if (!parser.text.isAtEnd()) {
            throw parser.text.error("unexpected '" + Character.toString(parser.text.peek()) + "'");
        }
        return new Expression.Choice(alternatives);
    }

    /** An alternative of the whole pattern, which may be found anywhere in the string unless it has anchors. */
    private Expression anchored() {
        Expression anything = Expression.many(JsonCharacters.of(CodePoints.ALL));
        List<Expression> parts = new ArrayList<>();
        if (!text.skipIf("^")) {
            parts.add(anything);
        }
        parts.add(sequence(0));
        if (!text.skipIf("$")) {
            parts.add(anything);
        }
        return new Expression.Sequence(parts);
    }

    private Expression alternatives(int depth) {
        List<Expression> all = new ArrayList<>();
        do {
            all.add(sequence(depth));
        } while (text.skipIf("|"));
        return all.size() == 1 ? all.getFirst() : new Expression.Choice(all);
    }

    private Expression sequence(int depth) {
        List<Expression> parts = new ArrayList<>();
        while (!text.isAtEnd() && "|)$".indexOf(text.peek()) < 0) {
            parts.add(repeated(operand(depth)));
        }
        return new Expression.Sequence(parts);
    }

    private Expression operand(int depth) {
        if (text.peek() == '(') {
            return group(depth);
        }
        if (text.peek() == '[') {
            return JsonCharacters.of(text.set());
        }
        if (text.peek() == '.') {
            text.read();
            return JsonCharacters.of(PatternCharacters.LINE_ENDS.complement());
        }
        if ("^*+?{".indexOf(text.peek()) >= 0) {
            throw text.error("'" + Character.toString(text.peek()) + "' is not supported here");
        }
        return JsonCharacters.of(text.characterOrClass());
    }

    private Expression group(int depth) {
        if (depth >= DEEPEST) {
            throw text.error("groups are nested more than " + DEEPEST + " deep");
        }
        text.read();
        if (text.skipIf("?") && !text.skipIf(":")) {
            throw text.error("groups that begin with (? are not supported, but for (?:");
        }
        Expression inner = alternatives(depth + 1);
        if (text.peek() == '$') {
            throw text.error("'$' within a group is not supported");
        }
        if (!text.skipIf(")")) {
            throw text.error("a group has no closing ')'");
        }
        return inner;
    }

    private Expression repeated(Expression body) {
        Expression result = body;
        if (text.skipIf("*")) {
            result = Expression.many(body);
        } else if (text.skipIf("+")) {
            result = new Expression.Repeat(body, 1, Expression.UNLIMITED);
        } else if (text.skipIf("?")) {
            result = Expression.optional(body);
        } else if (text.skipIf("{")) {
            result = counted(body);
        } else {
            return body;
        }
        // Which of several ways to match is tried first makes no difference to what matches.
        text.skipIf("?");
        return result;
    }

    private Expression counted(Expression body) {
        int least = number();
        int most = least;
        if (text.skipIf(",")) {
            most = text.peek() == '}' ? Expression.UNLIMITED : number();
        }
        if (!text.skipIf("}")) {
            throw text.error("a repetition has no closing '}'");
        }
        if (most != Expression.UNLIMITED && most < least) {
            throw text.error("a repetition of at least " + least + " and at most " + most);
        }
        return new Expression.Repeat(body, least, most);
    }

    private int number() {
        int value = 0;
        int digits = 0;
        for (; text.peek() >= '0' && text.peek() <= '9'; digits++) {
            value = Math.min(MOST_REPETITIONS + 1, 10 * value + text.read() - '0');
        }
        if (digits == 0 || value > MOST_REPETITIONS) {
            throw error.apply("a repetition has to have a number up to " + MOST_REPETITIONS);
        }
        return value;
    }
}
