package dev.stowage.serve.wire;

import dev.stowage.error.MalformedDataException;
import dev.stowage.llm.chat.Tool;
import dev.stowage.llm.chat.ToolCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The tools of a chat request.
 *
 * @param shown the tools that the model is shown; none if it is not to call any
 * @param required the tools of which it has to call one; empty if it may as well answer
 * @param several whether it may call several at once
 */
public record ToolFields(List<Tool> shown, List<Tool> required, boolean several) {

    private static final int MOST = 128;
    private static final String NO_PARAMETERS = "{\"type\":\"object\",\"properties\":{}}";

    public ToolFields {
        shown = List.copyOf(shown);
        required = List.copyOf(required);
    }

    /**
     * Reads them.
     *
     * @throws ApiError if one is wrong
     */
    static ToolFields read(JsonObject body) {
        List<Tool> tools = new ArrayList<>();
        List<?> given = body.list("tools").orElse(List.of());
        if (given.size() > MOST) {
            throw ApiError.invalid("tools", "'tools' must have at most " + MOST + " tools, not " + given.size());
        }
        for (int i = 0; i < given.size(); i++) {
            tools.add(tool(JsonObject.of(given.get(i), "tools[" + i + "]")));
        }
        boolean several = body.flag("parallel_tool_calls").orElse(true);
        Object choice = body.value("tool_choice").orElse("auto");
        return switch (choice) {
            case String word when word.equals("none") -> new ToolFields(List.of(), List.of(), several);
            case String word when word.equals("auto") -> new ToolFields(tools, List.of(), several);
            case String word when word.equals("required") -> new ToolFields(tools, some(tools), several);
            case Map<?, ?> _ ->
                new ToolFields(tools, named(body.object("tool_choice").orElseThrow(), tools), several);
            default ->
                throw JsonObject.wrong(
                        "tool_choice", "none, auto, required, or an object that names a function", choice);
        };
    }

    private static List<Tool> some(List<Tool> tools) {
        if (tools.isEmpty()) {
            throw ApiError.invalid("tool_choice", "'tool_choice' is required, but there are no 'tools'");
        }
        return tools;
    }

    private static List<Tool> named(JsonObject choice, List<Tool> tools) {
        String name =
                choice.object("function").flatMap(each -> each.text("name")).orElse("");
        List<Tool> found =
                tools.stream().filter(tool -> tool.name().equals(name)).toList();
        if (found.isEmpty()) {
            throw ApiError.invalid(
                    "tool_choice",
                    "'tool_choice' names the function \"" + JsonObject.quote(name) + "\", which 'tools' lacks");
        }
        return found;
    }

    private static Tool tool(JsonObject fields) {
        JsonObject function = function(fields);
        String name = function.text("name")
                .orElseThrow(
                        () -> ApiError.invalid(function.path("name"), "'" + function.path("name") + "' is missing"));
        String parameters = function.object("parameters")
                .map(schema -> Json.source(schema.all(), function.path("parameters")))
                .orElse(NO_PARAMETERS);
        try {
            return new Tool(name, function.text("description").orElse(""), parameters);
        } catch (MalformedDataException e) {
            throw ApiError.invalid(function.path("parameters"), String.valueOf(e.getMessage()));
        }
    }

    private static JsonObject function(JsonObject fields) {
        fields.word("type", List.of("function"));
        return fields.object("function")
                .orElseThrow(() -> ApiError.invalid(
                        fields.path("function"),
                        "'" + fields.path("function") + "' is missing: a function with its name"));
    }

    /** The calls that a message of the model has. */
    static List<ToolCall> calls(JsonObject message) {
        List<ToolCall> calls = new ArrayList<>();
        List<?> given = message.list("tool_calls").orElse(List.of());
        for (int i = 0; i < given.size(); i++) {
            JsonObject fields = JsonObject.of(given.get(i), message.path("tool_calls[" + i + "]"));
            JsonObject function = function(fields);
            Optional<String> name = function.text("name");
            calls.add(new ToolCall(
                    fields.text("id").orElse(""),
                    name.orElseThrow(() ->
                            ApiError.invalid(function.path("name"), "'" + function.path("name") + "' is missing")),
                    function.text("arguments").orElse("{}")));
        }
        return calls;
    }

    /** A call as answers have it. */
    static Map<String, Object> json(ToolCall call) {
        return Json.object(
                "id",
                call.id(),
                "type",
                "function",
                "function",
                Json.object("name", call.name(), "arguments", call.arguments()));
    }
}
