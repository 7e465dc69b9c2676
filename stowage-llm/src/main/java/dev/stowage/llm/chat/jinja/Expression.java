package dev.stowage.llm.chat.jinja;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The syntax tree of an expression; every node knows its line. */
sealed interface Expression {

    int line();

    record Literal(Value value, int line) implements Expression {}

    record Name(String name, int line) implements Expression {}

    record ListOf(List<Expression> items, boolean tuple, int line) implements Expression {}

    record DictOf(List<Entry> entries, int line) implements Expression {}

    record Entry(Expression key, Expression value) {}

    record Negate(Expression operand, int line) implements Expression {}

    record Plus(Expression operand, int line) implements Expression {}

    record Not(Expression operand, int line) implements Expression {}

    record And(Expression left, Expression right, int line) implements Expression {}

    record Or(Expression left, Expression right, int line) implements Expression {}

    /** An operator of arithmetic. */
    record Arithmetic(String operator, Expression left, Expression right, int line) implements Expression {}

    /** All operands of a row of {@code ~}. */
    record Concat(List<Expression> operands, int line) implements Expression {}

    /** A row of comparisons, as in {@code a < b < c}. */
    record Compare(Expression first, List<Comparison> others, int line) implements Expression {}

    record Comparison(String operator, Expression operand) {}

    record Conditional(Expression condition, Expression then, Optional<Expression> otherwise, int line)
            implements Expression {}

    record Attribute(Expression target, String name, int line) implements Expression {}

    record Index(Expression target, Expression key, int line) implements Expression {}

    record Slice(
            Expression target, Optional<Expression> from, Optional<Expression> to, Optional<Expression> step, int line)
            implements Expression {}

    record Call(Expression target, ArgumentList arguments, int line) implements Expression {}

    record Filter(Expression target, String name, ArgumentList arguments, int line) implements Expression {}

    record Test(Expression target, String name, ArgumentList arguments, int line) implements Expression {}

    /** The arguments of a call; the last two are those of {@code *} and {@code **}. */
    record ArgumentList(
            List<Expression> positional,
            Map<String, Expression> named,
            Optional<Expression> spread,
            Optional<Expression> spreadNamed) {
        static final ArgumentList NONE = new ArgumentList(List.of(), Map.of(), Optional.empty(), Optional.empty());
    }
}
