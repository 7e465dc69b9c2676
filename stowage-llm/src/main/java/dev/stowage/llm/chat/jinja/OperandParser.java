package dev.stowage.llm.chat.jinja;

import dev.stowage.llm.chat.jinja.Expression.ArgumentList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Parses an operand: a sign, a literal or a name, and the attributes, indices, calls, filters and tests after it. */
final class OperandParser {

    private final TokenCursor tokens;
    private final ExpressionParser expressions;

    OperandParser(TokenCursor tokens, ExpressionParser expressions) {
        this.tokens = tokens;
        this.expressions = expressions;
    }

    Expression parse(boolean filtered) {
        int line = tokens.line();
        tokens.enter();
        try {
            Expression operand;
            if (tokens.acceptOperator("-")) {
                operand = new Expression.Negate(parse(false), line);
            } else if (tokens.acceptOperator("+")) {
                operand = new Expression.Plus(parse(false), line);
            } else {
                operand = parsePrimary();
            }
            operand = parsePostfix(operand);
            return filtered ? parseFilters(operand) : operand;
        } finally {
            tokens.leave();
        }
    }

    private Expression parsePrimary() {
        Token token = tokens.next();
        int line = token.line();
        return switch (token.kind()) {
            case STRING -> new Expression.Literal(Text.of(token.text() + adjacentStrings()), line);
            case INTEGER -> new Expression.Literal(whole(token), line);
            case FLOAT -> new Expression.Literal(new Value.Real(Double.parseDouble(token.text())), line);
            case NAME -> name(token);
            case OPERATOR -> parseBracketed(token);
            case DATA, PRINT, TAG, CLOSE, END ->
                throw new TemplateError("expected an expression, found " + token.described(), line);
        };
    }

    private String adjacentStrings() {
        StringBuilder more = new StringBuilder();
        while (tokens.is(Token.Kind.STRING)) {
            more.append(tokens.next().text());
        }
        return more.toString();
    }

    private static Value whole(Token token) {
        try {
            return Value.of(Long.parseLong(token.text()));
        } catch (NumberFormatException e) {
            throw new TemplateError("the number " + token.text() + " is too large", token.line());
        }
    }

    private static Expression name(Token token) {
        int line = token.line();
        return switch (token.text()) {
            case "true", "True" -> new Expression.Literal(Value.Bool.TRUE, line);
            case "false", "False" -> new Expression.Literal(Value.Bool.FALSE, line);
            case "none", "None" -> new Expression.Literal(Value.None.INSTANCE, line);
            default -> new Expression.Name(token.text(), line);
        };
    }

    private Expression parseBracketed(Token token) {
        return switch (token.text()) {
            case "(" -> parseParentheses(token.line());
            case "[" -> new Expression.ListOf(parseItems("]"), false, token.line());
            case "{" -> parseDict(token.line());
            default -> throw new TemplateError("expected an expression, found " + token.described(), token.line());
        };
    }

    private Expression parseParentheses(int line) {
        if (tokens.acceptOperator(")")) {
            return new Expression.ListOf(List.of(), true, line);
        }
        Expression inner = expressions.parseTuple(true);
        tokens.expectOperator(")");
        return inner;
    }

    private List<Expression> parseItems(String close) {
        List<Expression> items = new ArrayList<>();
        while (!tokens.isOperator(close)) {
            items.add(expressions.parse());
            if (!tokens.acceptOperator(",")) {
                break;
            }
        }
        tokens.expectOperator(close);
        return items;
    }

    private Expression parseDict(int line) {
        List<Expression.Entry> entries = new ArrayList<>();
        while (!tokens.isOperator("}")) {
            Expression key = expressions.parse();
            tokens.expectOperator(":");
            entries.add(new Expression.Entry(key, expressions.parse()));
            if (!tokens.acceptOperator(",")) {
                break;
            }
        }
        tokens.expectOperator("}");
        return new Expression.DictOf(entries, line);
    }

    private Expression parsePostfix(Expression start) {
        Expression operand = start;
        while (true) {
            int line = tokens.line();
            if (tokens.acceptOperator(".")) {
                operand = parseDotted(operand, line);
            } else if (tokens.acceptOperator("[")) {
                operand = parseSubscript(operand, line);
            } else if (tokens.isOperator("(")) {
                operand = new Expression.Call(operand, expressions.parseArguments(), line);
            } else {
                return operand;
            }
        }
    }

    private Expression parseDotted(Expression target, int line) {
        if (tokens.is(Token.Kind.INTEGER)) {
            return new Expression.Index(target, new Expression.Literal(whole(tokens.next()), line), line);
        }
        return new Expression.Attribute(target, tokens.expectName(), line);
    }

    private Expression parseSubscript(Expression target, int line) {
        Optional<Expression> from = parseBound();
        if (!tokens.isOperator(":")) {
            tokens.expectOperator("]");
            Expression key = from.orElseThrow(() -> new TemplateError("an index is missing in '[]'", line));
            return new Expression.Index(target, key, line);
        }
        tokens.next();
        Optional<Expression> to = parseBound();
        Optional<Expression> step = tokens.acceptOperator(":") ? parseBound() : Optional.empty();
        tokens.expectOperator("]");
        return new Expression.Slice(target, from, to, step, line);
    }

    private Optional<Expression> parseBound() {
        return tokens.isOperator(":") || tokens.isOperator("]") ? Optional.empty() : Optional.of(expressions.parse());
    }

    private Expression parseFilters(Expression start) {
        Expression operand = start;
        while (true) {
            int line = tokens.line();
            if (tokens.acceptOperator("|")) {
                String name = tokens.expectName();
                ArgumentList arguments = tokens.isOperator("(") ? expressions.parseArguments() : ArgumentList.NONE;
                operand = new Expression.Filter(operand, name, arguments, line);
            } else if (tokens.acceptName("is")) {
                operand = parseTest(operand, line);
            } else if (tokens.isOperator("(")) {
                operand = new Expression.Call(operand, expressions.parseArguments(), line);
            } else {
                return operand;
            }
        }
    }

    private Expression parseTest(Expression target, int line) {
        boolean negated = tokens.acceptName("not");
        String name = tokens.expectName();
        ArgumentList arguments = ArgumentList.NONE;
        if (tokens.isOperator("(")) {
            arguments = expressions.parseArguments();
        } else if (startsArgument()) {
            arguments = new ArgumentList(
                    List.of(parsePostfix(parsePrimary())),
                    ArgumentList.NONE.named(),
                    Optional.empty(),
                    Optional.empty());
        }
        Expression test = new Expression.Test(target, name, arguments, line);
        return negated ? new Expression.Not(test, line) : test;
    }

    /** Whether the argument of a test follows without parentheses. */
    private boolean startsArgument() {
        Token token = tokens.peek();
        return switch (token.kind()) {
            case STRING, INTEGER, FLOAT -> true;
            case OPERATOR -> token.text().equals("[") || token.text().equals("{");
            case NAME ->
                switch (token.text()) {
                    case "else", "or", "and", "if", "in", "not" -> false;
                    case "is" -> throw new TemplateError("tests with 'is' cannot be chained", token.line());
                    default -> true;
                };
            case DATA, PRINT, TAG, CLOSE, END -> false;
        };
    }
}
