package dev.stowage.llm.chat;

import java.util.Locale;
import java.util.Objects;

/** Something that was said in a conversation, and by whom. */
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

    /** Who speaks. */
    public enum Role {
        SYSTEM,
        USER,
        ASSISTANT;

        /** The name that templates use: {@code user}. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
