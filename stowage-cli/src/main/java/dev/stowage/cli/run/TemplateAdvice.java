package dev.stowage.cli.run;

import dev.stowage.error.MalformedDataException;
import java.util.function.Supplier;

/** What a user can do about a model whose chat template fails, or refuses the conversation, while it is rendered. */
final class TemplateAdvice {
    private TemplateAdvice() {}

    /**
     * Renders, and adds the advice to the message where the template fails.
     *
     * @throws MalformedDataException if the template fails
     */
    static <T> T advising(Supplier<T> rendering) {
        try {
            return rendering.get();
        } catch (MalformedDataException e) {
            throw new MalformedDataException(
                    e.getMessage() + "; --template selects another template, and --raw leaves the prompt as it is", e);
        }
    }
}
