package dev.stowage.llm.chat;

import dev.stowage.gguf.GgufMetadata;
import java.util.List;
import java.util.Optional;

/**
 * A way to write a conversation down as one text, with control tokens written out, and none for the beginning of the
 * text.
 *
 * {@snippet :
 * ChatTemplate template = ChatTemplate.of(metadata).orElse(ChatTemplate.raw());
 * int[] tokens = template.render(List.of(ChatMessage.user("Hello")), true).encode(tokenizer);
 * }
 */
public sealed interface ChatTemplate permits ChatMl, Llama3Chat, InstructChat, RawChat {

    /** The key that the template of a model is under. */
    String KEY = "tokenizer.chat_template";

    /** What the template is called, such as {@code chatml}. */
    String label();

    /**
     * The conversation as text.
     *
     * @param answer whether the text ends where the model is to speak next; else it may end after any message
     */
    ChatPrompt render(List<ChatMessage> messages, boolean answer);

    /**
     * Contents and nothing else, a line each: for models that know no turns, and where the prompt is to stay as it is.
     */
    static ChatTemplate raw() {
        return RawChat.INSTANCE;
    }

    /** The template of a model, if it has one and it is a known one. */
    static Optional<ChatTemplate> of(GgufMetadata metadata) {
        return metadata.has(KEY) ? recognise(metadata.text(KEY)) : Optional.empty();
    }

    /** The template that a program in Jinja stands for, or that is called so, if it is a known one. */
    static Optional<ChatTemplate> recognise(String template) {
        Optional<ChatTemplate> named = Templates.ALL.stream()
                .filter(each -> each.label().equals(template))
                .findFirst();
        return named.isPresent() ? named : Templates.byMarkers(template);
    }

    /** The names of the known templates. */
    static List<String> labels() {
        return Templates.ALL.stream().map(ChatTemplate::label).toList();
    }
}
