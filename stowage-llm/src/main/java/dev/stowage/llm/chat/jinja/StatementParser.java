package dev.stowage.llm.chat.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Parses the statements of a template. */
final class StatementParser {

    private final TokenCursor tokens;
    private final ExpressionParser expressions;
    private int loops;

    private StatementParser(List<Token> tokens) {
        this.tokens = new TokenCursor(tokens);
        this.expressions = new ExpressionParser(this.tokens);
    }

    static List<Statement> parse(String template) {
        StatementParser parser = new StatementParser(Lexer.tokens(template));
        List<Statement> statements = parser.parseBody(Set.of());
        if (!parser.tokens.is(Token.Kind.END)) {
            throw parser.tokens.unexpected("the end of the template");
        }
        return statements;
    }

    /** Statements up to one that begins with one of some names, or to the end if there are none. */
    private List<Statement> parseBody(Set<String> ends) {
        int line = tokens.previousLine();
        List<Statement> statements = new ArrayList<>();
        tokens.enter();
        while (!tokens.is(Token.Kind.END)) {
            Token token = tokens.peek();
            if (token.kind() == Token.Kind.DATA) {
                statements.add(new Statement.Data(Text.of(tokens.next().text())));
            } else if (token.kind() == Token.Kind.PRINT) {
                tokens.next();
                statements.add(new Statement.Print(expressions.parseTuple(true)));
                tokens.expectClose();
            } else if (ends.contains(tokens.peek(1).text())) {
                tokens.next();
                break;
            } else {
                tokens.next();
                statements.add(parseStatement());
            }
        }
        tokens.leave();
        if (tokens.is(Token.Kind.END) && !ends.isEmpty()) {
            String missing = String.join("' or '", ends.stream().sorted().toList());
            throw new TemplateError("the block that begins here has no '" + missing + "'", line);
        }
        return statements;
    }

    /** The body of a block up to the tag that ends it, and that tag. */
    private List<Statement> parseBlock(String end) {
        tokens.expectClose();
        List<Statement> body = parseBody(Set.of(end));
        tokens.next();
        // The name of a macro may be repeated.
        if (tokens.is(Token.Kind.NAME)) {
            tokens.next();
        }
        tokens.expectClose();
        return body;
    }

    private Statement parseStatement() {
        int line = tokens.line();
        String name = tokens.expectName();
        return switch (name) {
            case "if" -> parseIf();
            case "for" -> parseFor(line);
            case "set" -> parseSet(line);
            case "macro" -> new Statement.Macro(tokens.expectName(), parseParameters(), parseBlock("endmacro"), line);
            case "call" -> parseCall(line);
            case "filter" -> new Statement.FilterBlock(expressions.parseFilters(), parseBlock("endfilter"), line);
            case "with" -> parseWith();
            case "generation" -> new Statement.Body(parseBlock("endgeneration"));
            case "break", "continue" -> parseJump(name, line);
            default -> throw new TemplateError("unknown or misplaced tag '" + name + "'", line);
        };
    }

    private Statement parseJump(String name, int line) {
        if (loops == 0) {
            throw new TemplateError("'" + name + "' outside of a loop", line);
        }
        tokens.expectClose();
        return name.equals("break") ? new Statement.Break() : new Statement.Continue();
    }

    private Statement parseIf() {
        List<Statement.Branch> branches = new ArrayList<>();
        List<Statement> otherwise = List.of();
        String tag = "if";
        while (!tag.equals("endif")) {
            if (tag.equals("else")) {
                otherwise = parseBlock("endif");
                break;
            }
            Expression condition = expressions.parseTuple(true);
            tokens.expectClose();
            branches.add(new Statement.Branch(condition, parseBody(Set.of("elif", "else", "endif"))));
            tag = tokens.next().text();
            if (tag.equals("endif")) {
                tokens.expectClose();
            }
        }
        return new Statement.If(branches, otherwise);
    }

    private Statement parseFor(int line) {
        List<String> targets = parseTargets();
        tokens.expectName("in");
        Expression items = expressions.parseTuple(false);
        Optional<Expression> condition = tokens.acceptName("if") ? Optional.of(expressions.parse()) : Optional.empty();
        if (tokens.isName("recursive")) {
            throw new TemplateError("recursive loops are not supported", line);
        }
        tokens.expectClose();
        loops++;
        List<Statement> body = parseBody(Set.of("else", "endfor"));
        loops--;
        List<Statement> otherwise = List.of();
        if (tokens.next().text().equals("else")) {
            otherwise = parseBlock("endfor");
        } else {
            tokens.expectClose();
        }
        return new Statement.For(targets, items, condition, body, otherwise, line);
    }

    private List<String> parseTargets() {
        boolean bracketed = tokens.acceptOperator("(");
        List<String> targets = new ArrayList<>(List.of(tokens.expectName()));
        while (tokens.acceptOperator(",")) {
            targets.add(tokens.expectName());
        }
        if (bracketed) {
            tokens.expectOperator(")");
        }
        return targets;
    }

    private Statement parseSet(int line) {
        List<String> names = parseTargets();
        if (tokens.acceptOperator(".")) {
            String attribute = tokens.expectName();
            tokens.expectOperator("=");
            Expression value = expressions.parseTuple(true);
            tokens.expectClose();
            return new Statement.SetAttribute(names.getFirst(), attribute, value, line);
        }
        if (tokens.acceptOperator("=")) {
            Expression value = expressions.parseTuple(true);
            tokens.expectClose();
            return new Statement.Set(names, value, line);
        }
        List<Statement.FilterCall> filters = tokens.acceptOperator("|") ? expressions.parseFilters() : List.of();
        return new Statement.SetBlock(names.getFirst(), filters, parseBlock("endset"), line);
    }

    private List<Statement.Parameter> parseParameters() {
        List<Statement.Parameter> parameters = new ArrayList<>();
        tokens.expectOperator("(");
        while (!tokens.isOperator(")")) {
            String name = tokens.expectName();
            Optional<Expression> otherwise =
                    tokens.acceptOperator("=") ? Optional.of(expressions.parse()) : Optional.empty();
            parameters.add(new Statement.Parameter(name, otherwise));
            if (!tokens.acceptOperator(",")) {
                break;
            }
        }
        tokens.expectOperator(")");
        return parameters;
    }

    private Statement parseCall(int line) {
        List<Statement.Parameter> parameters = tokens.isOperator("(") ? parseParameters() : List.of();
        Expression call = expressions.parse();
        if (!(call instanceof Expression.Call callee)) {
            throw new TemplateError("'call' needs a call of a macro", line);
        }
        return new Statement.CallBlock(callee, parameters, parseBlock("endcall"), line);
    }

    private Statement parseWith() {
        List<Statement.Parameter> variables = new ArrayList<>();
        while (!tokens.is(Token.Kind.CLOSE)) {
            String name = tokens.expectName();
            tokens.expectOperator("=");
            variables.add(new Statement.Parameter(name, Optional.of(expressions.parse())));
            if (!tokens.acceptOperator(",")) {
                break;
            }
        }
        return new Statement.With(variables, parseBlock("endwith"));
    }
}
