package dev.stowage.llm.chat.jinja;

import dev.stowage.llm.chat.jinja.Expression.ArgumentList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Parses expressions by recursive descent. From the loosest to the tightest: {@code if else}, {@code or}, {@code and},
 * {@code not}, comparisons, {@code + -}, {@code ~}, {@code * / // %}, {@code **}, signs, and then what
 * {@link OperandParser} reads.
 */
final class ExpressionParser {

    private static final Set<String> COMPARISONS = Set.of("==", "!=", "<", "<=", ">", ">=");

    private final TokenCursor tokens;
    private final OperandParser operands;

    ExpressionParser(TokenCursor tokens) {
        this.tokens = tokens;
        this.operands = new OperandParser(tokens, this);
    }

    Expression parse() {
        return parse(true);
    }

    /** Several expressions with commas between them are a tuple. */
    Expression parseTuple(boolean conditional) {
        int line = tokens.line();
        Expression first = parse(conditional);
        if (!tokens.isOperator(",")) {
            return first;
        }
        List<Expression> items = new ArrayList<>(List.of(first));
        while (tokens.acceptOperator(",") && startsExpression()) {
            items.add(parse(conditional));
        }
        return new Expression.ListOf(items, true, line);
    }

    private boolean startsExpression() {
        return !tokens.is(Token.Kind.CLOSE)
                && !tokens.isOperator(")")
                && !tokens.isOperator("=")
                && !tokens.isName("in");
    }

    private Expression parse(boolean conditional) {
        tokens.enter();
        try {
            return conditional ? parseConditional() : parseOr();
        } finally {
            tokens.leave();
        }
    }

    private Expression parseConditional() {
        int line = tokens.line();
        Expression then = parseOr();
        while (tokens.acceptName("if")) {
            Expression condition = parseOr();
            Optional<Expression> otherwise = tokens.acceptName("else") ? Optional.of(parse()) : Optional.empty();
            then = new Expression.Conditional(condition, then, otherwise, line);
        }
        return then;
    }

    private Expression parseOr() {
        int line = tokens.line();
        Expression left = parseAnd();
        while (tokens.acceptName("or")) {
            left = new Expression.Or(left, parseAnd(), line);
        }
        return left;
    }

    private Expression parseAnd() {
        int line = tokens.line();
        Expression left = parseNot();
        while (tokens.acceptName("and")) {
            left = new Expression.And(left, parseNot(), line);
        }
        return left;
    }

    private Expression parseNot() {
        int line = tokens.line();
        if (!tokens.acceptName("not")) {
            return parseComparison();
        }
        tokens.enter();
        try {
            return new Expression.Not(parseNot(), line);
        } finally {
            tokens.leave();
        }
    }

    private Expression parseComparison() {
        int line = tokens.line();
        Expression first = parseSum();
        List<Expression.Comparison> others = new ArrayList<>();
        while (true) {
            Token token = tokens.peek();
            if (token.kind() == Token.Kind.OPERATOR && COMPARISONS.contains(token.text())) {
                tokens.next();
                others.add(new Expression.Comparison(token.text(), parseSum()));
            } else if (tokens.acceptName("in")) {
                others.add(new Expression.Comparison("in", parseSum()));
            } else if (tokens.isName("not") && tokens.peek(1).is(Token.Kind.NAME, "in")) {
                tokens.next();
                tokens.next();
                others.add(new Expression.Comparison("not in", parseSum()));
            } else {
                return others.isEmpty() ? first : new Expression.Compare(first, others, line);
            }
        }
    }

    private Expression parseSum() {
        Expression left = parseConcat();
        while (tokens.isOperator("+") || tokens.isOperator("-")) {
            Token operator = tokens.next();
            left = new Expression.Arithmetic(operator.text(), left, parseConcat(), operator.line());
        }
        return left;
    }

    private Expression parseConcat() {
        int line = tokens.line();
        Expression first = parseProduct();
        if (!tokens.isOperator("~")) {
            return first;
        }
        List<Expression> all = new ArrayList<>(List.of(first));
        while (tokens.acceptOperator("~")) {
            all.add(parseProduct());
        }
        return new Expression.Concat(all, line);
    }

    private Expression parseProduct() {
        Expression left = parsePower();
        while (tokens.isOperator("*") || tokens.isOperator("/") || tokens.isOperator("//") || tokens.isOperator("%")) {
            Token operator = tokens.next();
            left = new Expression.Arithmetic(operator.text(), left, parsePower(), operator.line());
        }
        return left;
    }

    private Expression parsePower() {
        Expression left = operands.parse(true);
        while (tokens.isOperator("**")) {
            Token operator = tokens.next();
            left = new Expression.Arithmetic(operator.text(), left, operands.parse(true), operator.line());
        }
        return left;
    }

    /** The arguments of a call, from its opening parenthesis. */
    ArgumentList parseArguments() {
        tokens.expectOperator("(");
        List<Expression> positional = new ArrayList<>();
        Map<String, Expression> named = new LinkedHashMap<>();
        Optional<Expression> spread = Optional.empty();
        Optional<Expression> spreadNamed = Optional.empty();
        while (!tokens.isOperator(")")) {
            if (tokens.acceptOperator("*")) {
                spread = Optional.of(parse());
            } else if (tokens.acceptOperator("**")) {
                spreadNamed = Optional.of(parse());
            } else if (tokens.is(Token.Kind.NAME) && tokens.peek(1).is(Token.Kind.OPERATOR, "=")) {
                String name = tokens.next().text();
                tokens.next();
                named.put(name, parse());
            } else if (named.isEmpty() && spread.isEmpty() && spreadNamed.isEmpty()) {
                positional.add(parse());
            } else {
                throw new TemplateError("an argument by position after one by name", tokens.line());
            }
            if (!tokens.acceptOperator(",")) {
                break;
            }
        }
        tokens.expectOperator(")");
        return new ArgumentList(positional, named, spread, spreadNamed);
    }

    /** Filters with {@code |} between them, of which the first has none before it. */
    List<Statement.FilterCall> parseFilters() {
        List<Statement.FilterCall> filters = new ArrayList<>();
        do {
            String name = tokens.expectName();
            filters.add(new Statement.FilterCall(name, tokens.isOperator("(") ? parseArguments() : ArgumentList.NONE));
        } while (tokens.acceptOperator("|"));
        return filters;
    }
}
