package dev.stowage.llm.chat;

import dev.stowage.internal.json.JsonReader;
import dev.stowage.internal.json.JsonValue;
import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonBoolean;
import dev.stowage.internal.json.JsonValue.JsonDouble;
import dev.stowage.internal.json.JsonValue.JsonLong;
import dev.stowage.internal.json.JsonValue.JsonNull;
import dev.stowage.internal.json.JsonValue.JsonObject;
import dev.stowage.internal.json.JsonValue.JsonString;
import dev.stowage.llm.chat.jinja.Text;
import dev.stowage.llm.chat.jinja.Value;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Messages and tools as templates in Jinja see them, in the form that Hugging Face has. All texts in them are data, in which no
 * control token counts.
 */
final class ChatValues {

    private ChatValues() {}

    static Value of(ChatMessage message) {
        Map<String, Value> entries = new LinkedHashMap<>();
        entries.put("role", Value.of(message.role().label()));
        entries.put("content", Text.said(message.content()));
        if (!message.calls().isEmpty()) {
            entries.put(
                    "tool_calls",
                    Value.of(message.calls().stream().map(ChatValues::of).toList()));
        }
        if (!message.callId().isEmpty()) {
            entries.put("tool_call_id", Text.said(message.callId()));
        }
        return Value.of(entries);
    }

    private static Value of(ToolCall call) {
        Map<String, Value> function = new LinkedHashMap<>();
        function.put("name", Text.said(call.name()));
        function.put("arguments", of(JsonReader.parse(call.arguments())));
        Map<String, Value> entries = new LinkedHashMap<>();
        entries.put("id", Text.said(call.id()));
        entries.put("type", Value.of("function"));
        entries.put("function", Value.of(function));
        return Value.of(entries);
    }

    static Value of(Tool tool) {
        Map<String, Value> function = new LinkedHashMap<>();
        function.put("name", Text.said(tool.name()));
        function.put("description", Text.said(tool.description()));
        function.put("parameters", of(JsonReader.parse(tool.parameters())));
        Map<String, Value> entries = new LinkedHashMap<>();
        entries.put("type", Value.of("function"));
        entries.put("function", Value.of(function));
        return Value.of(entries);
    }

    private static Value of(JsonValue json) {
        return switch (json) {
            case JsonObject object -> {
                Map<Text, Value> entries = new LinkedHashMap<>();
                object.members().forEach((name, each) -> entries.put(Text.said(name), of(each)));
                yield Value.ofEntries(entries);
            }
            case JsonArray(List<JsonValue> elements) ->
                Value.of(elements.stream().map(ChatValues::of).toList());
            case JsonString(String text) -> Text.said(text);
            case JsonLong(long whole) -> Value.of(whole);
            case JsonDouble(double real) -> new Value.Real(real);
            case JsonBoolean(boolean bool) -> Value.of(bool);
            case JsonNull _ -> Value.None.INSTANCE;
        };
    }
}
