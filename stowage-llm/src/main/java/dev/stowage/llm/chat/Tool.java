package dev.stowage.llm.chat;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.internal.json.JsonValue.JsonObject;
import java.util.Objects;

/**
 * A function that a model may ask to be called: templates show it to the model.
 *
 * @param name what the model calls it by
 * @param description what it does, for the model
 * @param parameters the JSON schema of its arguments, an object
 */
public record Tool(String name, String description, String parameters) {

    private static final int LONGEST = 1 << 18;

    /**
     * @throws MalformedDataException if the name is empty, or the parameters are not a JSON object
     */
    public Tool {
        Objects.requireNonNull(description);
        if (name.isBlank()) {
            throw new MalformedDataException("a tool has no name");
        }
        if (parameters.length() + description.length() > LONGEST) {
            throw new MalformedDataException("the tool '" + name + "' has more than " + LONGEST + " characters");
        }
        try {
            if (!(JsonReader.parse(parameters) instanceof JsonObject)) {
                throw new MalformedDataException("the parameters are not an object");
            }
        } catch (MalformedDataException e) {
            throw new MalformedDataException(
                    "the parameters of the tool '" + name + "' have to be a JSON schema: " + e.getMessage(), e);
        }
    }
}
