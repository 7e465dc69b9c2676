package dev.stowage.llm.chat.jinja;

import java.util.List;

/** A position in the tokens of a template. */
final class TokenCursor {

    /** Brackets, tags and operators may be nested this deep, so that no template exhausts the stack. */
    private static final int MAX_NESTING = 100;

    private final List<Token> tokens;
    private int position;
    private int nesting;

    TokenCursor(List<Token> tokens) {
        this.tokens = tokens;
    }

    Token peek() {
        return tokens.get(position);
    }

    Token peek(int ahead) {
        return tokens.get(Math.min(position + ahead, tokens.size() - 1));
    }

    Token next() {
        Token token = peek();
        position = Math.min(position + 1, tokens.size() - 1);
        return token;
    }

    int line() {
        return peek().line();
    }

    /** The line of the token before. */
    int previousLine() {
        return tokens.get(Math.max(0, position - 1)).line();
    }

    boolean is(Token.Kind kind) {
        return peek().kind() == kind;
    }

    boolean isOperator(String operator) {
        return peek().is(Token.Kind.OPERATOR, operator);
    }

    boolean isName(String name) {
        return peek().is(Token.Kind.NAME, name);
    }

    boolean acceptOperator(String operator) {
        boolean found = isOperator(operator);
        if (found) {
            next();
        }
        return found;
    }

    boolean acceptName(String name) {
        boolean found = isName(name);
        if (found) {
            next();
        }
        return found;
    }

    void expectOperator(String operator) {
        if (!acceptOperator(operator)) {
            throw unexpected("'" + operator + "'");
        }
    }

    void expectName(String name) {
        if (!acceptName(name)) {
            throw unexpected("'" + name + "'");
        }
    }

    String expectName() {
        if (!is(Token.Kind.NAME)) {
            throw unexpected("a name");
        }
        return next().text();
    }

    void expectClose() {
        if (!is(Token.Kind.CLOSE)) {
            throw unexpected("the end of the tag");
        }
        next();
    }

    TemplateError unexpected(String expected) {
        return new TemplateError("expected " + expected + ", found " + peek().described(), line());
    }

    void enter() {
        if (++nesting > MAX_NESTING) {
            throw new TemplateError("nested more than " + MAX_NESTING + " levels deep", line());
        }
    }

    void leave() {
        nesting--;
    }
}
