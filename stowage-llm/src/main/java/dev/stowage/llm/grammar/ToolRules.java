package dev.stowage.llm.grammar;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonValue.JsonString;
import dev.stowage.internal.json.JsonWriter;
import dev.stowage.llm.chat.Tool;
import dev.stowage.llm.chat.ToolFormat;
import java.util.ArrayList;
import java.util.List;

/** The rules of calls of tools: an object with the name of one, and arguments that conform to its schema. */
final class ToolRules {

    private static final int MOST_CALLS = 16;
    private static final Expression SPACE = new Expression.Call(JsonRules.SPACE);

    private ToolRules() {}

    static RuleSet of(ToolFormat format, List<Tool> tools, boolean several) {
        if (tools.isEmpty()) {
            throw new MalformedDataException("there are no tools to call");
        }
        RuleSet rules = JsonRules.all();
        List<Expression> calls = new ArrayList<>();
        for (int i = 0; i < tools.size(); i++) {
            calls.add(call(format, tools.get(i), "tool " + i + " ", rules));
        }
        rules.add("call", new Expression.Choice(calls), "the tools");
        rules.add(RuleSet.ROOT, root(format, several ? MOST_CALLS - 1 : 0), "the tools");
        return rules;
    }

    private static Expression call(ToolFormat format, Tool tool, String prefix, RuleSet rules) {
        Expression arguments;
        try {
            arguments = SchemaCompiler.add(tool.parameters(), prefix, rules);
        } catch (MalformedDataException e) {
            throw new MalformedDataException("the parameters of the tool '" + tool.name() + "': " + e.getMessage(), e);
        }
        String name = JsonWriter.compact(new JsonString(tool.name()));
        return Expression.sequence(
                Expression.text("{\"name\": " + name + ", \"" + format.arguments() + "\": "),
                arguments,
                Expression.text("}"));
    }

    private static Expression root(ToolFormat format, int more) {
        Expression call = new Expression.Call("call");
        return switch (format) {
            case LLAMA3 -> call;
            case HERMES -> {
                Expression next = Expression.sequence(
                        Expression.text("\n<tool_call>\n"), call, Expression.text("\n</tool_call>"));
                yield Expression.sequence(
                        call, Expression.text("\n</tool_call>"), new Expression.Repeat(next, 0, more));
            }
            case MISTRAL -> {
                Expression next = Expression.sequence(Expression.text(","), SPACE, call);
                yield Expression.sequence(
                        SPACE, Expression.text("["), call, new Expression.Repeat(next, 0, more), Expression.text("]"));
            }
        };
    }
}
