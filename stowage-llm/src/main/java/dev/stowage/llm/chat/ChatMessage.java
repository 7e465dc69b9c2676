package dev.stowage.llm.chat;

import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * A message of a conversation.
 *
 * @param role who speaks
 * @param content the text
 * @param calls the tools that the model asked to be called with it
 * @param callId the call that it is the result of, if it is one of a tool; else empty
 */
public record ChatMessage(Role role, String content, List<ToolCall> calls, String callId) {

    public ChatMessage {
        Objects.requireNonNull(role);
        Objects.requireNonNull(content);
        Objects.requireNonNull(callId);
        calls = List.copyOf(calls);
    }

    /** A message that is text alone. */
    public ChatMessage(Role role, String content) {
        this(role, content, List.of(), "");
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

    /** What the model said, and which tools it asked to be called. */
    public static ChatMessage assistant(String content, List<ToolCall> calls) {
        return new ChatMessage(Role.ASSISTANT, content, calls, "");
    }

    /** What a tool returned for one of the calls. */
    public static ChatMessage tool(String content, String callId) {
        return new ChatMessage(Role.TOOL, content, List.of(), callId);
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
