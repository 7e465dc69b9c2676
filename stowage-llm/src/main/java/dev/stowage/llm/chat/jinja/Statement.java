package dev.stowage.llm.chat.jinja;

import java.util.List;
import java.util.Optional;

/** The syntax tree of a statement. */
sealed interface Statement {

    record Data(Text text) implements Statement {}

    record Print(Expression expression) implements Statement {}

    record If(List<Branch> branches, List<Statement> otherwise) implements Statement {}

    record Branch(Expression condition, List<Statement> body) {}

    record For(
            List<String> targets,
            Expression items,
            Optional<Expression> condition,
            List<Statement> body,
            List<Statement> otherwise,
            int line)
            implements Statement {}

    /** Sets variables; several if there are several names. */
    record Set(List<String> names, Expression value, int line) implements Statement {}

    /** Sets an attribute of a namespace. */
    record SetAttribute(String namespace, String name, Expression value, int line) implements Statement {}

    /** Sets a variable to what a body writes, filtered. */
    record SetBlock(String name, List<FilterCall> filters, List<Statement> body, int line) implements Statement {}

    /** Writes what a body writes, filtered. */
    record FilterBlock(List<FilterCall> filters, List<Statement> body, int line) implements Statement {}

    record FilterCall(String name, Expression.ArgumentList arguments) {}

    record Macro(String name, List<Parameter> parameters, List<Statement> body, int line) implements Statement {}

    record Parameter(String name, Optional<Expression> otherwise) {}

    /** A call of a macro that can call the body as {@code caller()}. */
    record CallBlock(Expression.Call call, List<Parameter> parameters, List<Statement> body, int line)
            implements Statement {}

    /** A body with variables of its own. */
    record With(List<Parameter> variables, List<Statement> body) implements Statement {}

    /** A body that is run as it is: that of {@code generation}, which marks what a model learns from. */
    record Body(List<Statement> statements) implements Statement {}

    record Break() implements Statement {}

    record Continue() implements Statement {}
}
