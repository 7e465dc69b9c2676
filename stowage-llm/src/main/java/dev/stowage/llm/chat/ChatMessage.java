package dev.stowage.llm.chat;

import java.util.Locale;
import java.util.Objects;

/** A message of a conversation: the text, and the role of its author. */
public record ChatMessage(Role role, String content) {

    public ChatMessage {
        Objects.requireNonNull(role);
        Objects.requireNonNull(content);
    }

    /** What the model is to be and do, before anything else is said. */
    public static ChatMessage system(String content) {
        return new ChatMessage(Role.SYSTEM, content);
    }

    /** What the user says. */
    public static ChatMessage user(String content) {
        return new ChatMessage(Role.USER, content);
    }

    /** What the model said. */
    public static ChatMessage assistant(String content) {
        return new ChatMessage(Role.ASSISTANT, content);
    }

    /** What a tool returned that the model called. */
    public static ChatMessage tool(String content) {
        return new ChatMessage(Role.TOOL, content);
    }

    /** Who speaks. */
    public enum Role {
        SYSTEM,
        USER,
        ASSISTANT,
        /** Templates that have no such role show what a tool returned as if the user had said it. */
        TOOL;

        /** The name that templates use: {@code user}. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
