package dev.stowage.serve.wire;

import dev.stowage.llm.chat.ChatMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The messages of a chat request. Their content is a string, or parts of text. */
public final class Messages {

    private static final int MOST = 10_000;
    private static final List<String> ROLES = List.of("system", "developer", "user", "assistant", "tool");

    private Messages() {}

    /**
     * Reads them.
     *
     * @throws ApiError if there are none, or one is wrong
     */
    public static List<ChatMessage> read(JsonObject body) {
        List<?> given = body.list("messages")
                .orElseThrow(() -> ApiError.invalid("messages", "'messages' is missing: an array of messages"));
        if (given.isEmpty() || given.size() > MOST) {
            throw ApiError.invalid(
                    "messages", "'messages' must have from 1 to " + MOST + " messages, not " + given.size());
        }
        List<ChatMessage> messages = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            messages.add(message(JsonObject.of(given.get(i), "messages[" + i + "]")));
        }
        return messages;
    }

    private static ChatMessage message(JsonObject fields) {
        String role = fields.word("role", ROLES)
                .orElseThrow(() -> ApiError.invalid(
                        fields.path("role"),
                        "'" + fields.path("role") + "' is missing: one of " + String.join(", ", ROLES)));
        // OpenAI's newer name for the same.
        String known = role.equals("developer") ? "system" : role;
        return new ChatMessage(
                ChatMessage.Role.valueOf(known.toUpperCase(Locale.ROOT)),
                content(fields, role),
                role.equals("assistant") ? ToolFields.calls(fields) : List.of(),
                role.equals("tool") ? fields.text("tool_call_id").orElse("") : "");
    }

    private static String content(JsonObject fields, String role) {
        String path = fields.path("content");
        Optional<Object> content = fields.value("content");
        if (content.isEmpty()) {
            if (role.equals("assistant")) {
                return "";
            }
            throw ApiError.invalid(path, "'" + path + "' is missing: a string, or an array of parts of text");
        }
        return switch (content.get()) {
            case String text -> text;
            case List<?> parts -> parts(parts, path);
            default -> throw JsonObject.wrong(path, "a string, or an array of parts of text", content.get());
        };
    }

    private static String parts(List<?> parts, String path) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < parts.size(); i++) {
            JsonObject part = JsonObject.of(parts.get(i), path + "[" + i + "]");
            String type = part.text("type").orElse("");
            if (!type.equals("text")) {
                throw ApiError.invalid(
                        part.path("type"),
                        "'" + part.path("type") + "' must be text, not \"" + JsonObject.quote(type)
                                + "\": this model reads text only");
            }
            text.append(part.text("text")
                    .orElseThrow(() -> ApiError.invalid(part.path("text"), "'" + part.path("text") + "' is missing")));
        }
        return text.toString();
    }
}
