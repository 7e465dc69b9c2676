package dev.stowage.llm.chat;

import java.util.Objects;

/**
 * What a model asks to be called.
 *
 * @param id what the result of the call refers to it by
 * @param name the name of the tool
 * @param arguments the arguments, a JSON object
 */
public record ToolCall(String id, String name, String arguments) {

    public ToolCall {
        Objects.requireNonNull(id);
        Objects.requireNonNull(name);
        Objects.requireNonNull(arguments);
    }
}
