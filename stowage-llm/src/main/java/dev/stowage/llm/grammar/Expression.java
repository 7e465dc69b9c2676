package dev.stowage.llm.grammar;

import java.util.Arrays;
import java.util.List;

/** What a rule of a grammar stands for: texts put together from literals, characters, repetitions and other rules. */
sealed interface Expression {

    /** No limit to a repetition. */
    int UNLIMITED = -1;

    /** Exactly this text. */
    record Text(String text) implements Expression {}

    /** One character of a set. */
    record Chars(CodePoints set) implements Expression {}

    /** One after the other. */
    record Sequence(List<Expression> parts) implements Expression {
        public Sequence {
            parts = List.copyOf(parts);
        }
    }

    /** One of them. */
    record Choice(List<Expression> alternatives) implements Expression {
        public Choice {
            alternatives = List.copyOf(alternatives);
        }
    }

    /** The body that many times; {@code most} may be {@link #UNLIMITED}. */
    record Repeat(Expression body, int least, int most) implements Expression {}

    /** A rule by its name. */
    record Call(String rule) implements Expression {}

    /** The empty text. */
    static Expression empty() {
        return new Text("");
    }

    /** No text at all, not even the empty one. */
    static Expression nothing() {
        return new Choice(List.of());
    }

    static Expression text(String text) {
        return new Text(text);
    }

    static Expression sequence(Expression... parts) {
        return new Sequence(Arrays.asList(parts));
    }

    static Expression choice(Expression... alternatives) {
        return new Choice(Arrays.asList(alternatives));
    }

    static Expression optional(Expression body) {
        return new Repeat(body, 0, 1);
    }

    static Expression many(Expression body) {
        return new Repeat(body, 0, UNLIMITED);
    }

    /** Digits and the like. */
    static Expression range(char first, char last) {
        return new Chars(CodePoints.of(first, last));
    }

    /** Whether it refers to no rule. */
    default boolean isLeaf() {
        return switch (this) {
            case Text _, Chars _ -> true;
            case Call _ -> false;
            case Sequence(List<Expression> parts) -> parts.stream().allMatch(Expression::isLeaf);
            case Choice(List<Expression> alternatives) -> alternatives.stream().allMatch(Expression::isLeaf);
            case Repeat repeat -> repeat.body().isLeaf();
        };
    }

    /** About how many states it takes, as far as {@code most}. */
    default long weight(long most) {
        return switch (this) {
            case Text(String text) -> text.length();
            case Chars _, Call _ -> 1;
            case Sequence(List<Expression> parts) -> sum(parts, most);
            case Choice(List<Expression> alternatives) -> sum(alternatives, most);
            case Repeat(Expression body, int least, int limit) ->
                Math.min(most, Math.max(1, Math.max(least, limit)) * (1 + body.weight(most)));
        };
    }

    private static long sum(List<Expression> parts, long most) {
        long sum = 1;
        for (Expression part : parts) {
            sum = Math.min(most, sum + part.weight(most));
        }
        return sum;
    }
}
