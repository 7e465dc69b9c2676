package dev.stowage.llm.chat;

import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufMetadata;
import java.time.Clock;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Formats a conversation as one text, with control tokens written out. The text begins with a BOS token only if a
 * template in Jinja wrote one; {@link ChatPrompt#encode} adds none then.
 *
 * {@snippet class="dev.stowage.llm.SnippetTest" region="template"}
 */
public sealed interface ChatTemplate permits ChatMl, Llama3Chat, InstructChat, JinjaChat, RawChat {

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
     * The conversation as text, with tools that the model may ask to be called.
     *
     * @throws MalformedDataException if the template has no place for tools, or for calls in messages
     */
    default ChatPrompt render(List<ChatMessage> messages, List<Tool> tools, boolean answer) {
        boolean calls = messages.stream().anyMatch(message -> !message.calls().isEmpty());
        if (!tools.isEmpty() || calls) {
            throw new MalformedDataException("the chat template '" + label()
                    + "' has no place for tools and their calls:" + " use a model whose template has one");
        }
        return render(messages, answer);
    }

    /** How the model writes calls of tools, if the template shows tools to it and the format is known. */
    default Optional<ToolFormat> toolFormat() {
        return Optional.empty();
    }

    /**
     * Contents and nothing else, a line each: for models that know no turns, and where the prompt is to stay as it is.
     */
    static ChatTemplate raw() {
        return RawChat.INSTANCE;
    }

    /**
     * The template of a model, if it has one: a built-in one where that gives the same text as the model's program in
     * Jinja, and the program has no place for tools, else the program itself. A program that cannot be run, but has the control tokens of a built-in template,
     * is replaced by that one, as in llama.cpp.
     *
     * @throws dev.stowage.error.MalformedDataException if the program cannot be parsed and no built-in template has its
     *     control tokens; the message names the line
     */
    static Optional<ChatTemplate> of(GgufMetadata metadata) {
        if (!metadata.has(KEY)) {
            return Optional.empty();
        }
        return Optional.of(Templates.of(metadata.text(KEY), JinjaChat.tokens(metadata)));
    }

    /**
     * A program in Jinja, with the part of the language that chat templates use. Rendering it fails with a
     * {@link dev.stowage.error.MalformedDataException} that names the line if the program does, or if it refuses the
     * conversation.
     *
     * @param tokens the texts of special tokens by the names that the program has for them, such as {@code bos_token}
     * @throws dev.stowage.error.MalformedDataException if the program cannot be parsed; the message names the line
     */
    static ChatTemplate jinja(String program, Map<String, String> tokens) {
        return new JinjaChat(program, tokens, Clock.system(ZoneId.systemDefault()));
    }

    /** The built-in template of that label, or whose control tokens a program in Jinja has, if there is one. */
    static Optional<ChatTemplate> recognise(String template) {
        Optional<ChatTemplate> named = Templates.ALL.stream()
                .filter(each -> each.label().equals(template))
                .findFirst();
        return named.isPresent() ? named : Templates.byMarkers(template);
    }

    /** The labels of the built-in templates. */
    static List<String> labels() {
        return Templates.ALL.stream().map(ChatTemplate::label).toList();
    }
}
