package dev.stowage.llm.chat;

import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.llm.chat.jinja.JinjaTemplate;
import dev.stowage.llm.chat.jinja.Text;
import dev.stowage.llm.chat.jinja.Value;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A chat template in Jinja, run with the variables that Hugging Face defines. Messages are data to it, and stay
 * distinct from what the template writes.
 */
final class JinjaChat implements ChatTemplate {

    private final JinjaTemplate template;
    private final Map<String, String> tokens;
    private final Clock clock;
    private final Optional<ToolFormat> toolFormat;

    /** A template and the texts of the special tokens by the names of their variables, such as {@code bos_token}. */
    JinjaChat(String program, Map<String, String> tokens, Clock clock) {
        this.template = JinjaTemplate.parse(program);
        this.tokens = Map.copyOf(tokens);
        this.clock = clock;
        this.toolFormat = ToolFormat.of(program);
    }

    /** The special tokens that a file names. */
    static Map<String, String> tokens(GgufMetadata metadata) {
        Map<String, String> tokens = new HashMap<>();
        if (metadata.has("tokenizer.ggml.tokens")) {
            GgufArray texts = metadata.array("tokenizer.ggml.tokens");
            put(tokens, "bos_token", metadata.whole("tokenizer.ggml.bos_token_id", -1), texts);
            put(tokens, "eos_token", metadata.whole("tokenizer.ggml.eos_token_id", -1), texts);
            put(tokens, "unk_token", metadata.whole("tokenizer.ggml.unknown_token_id", -1), texts);
            put(tokens, "pad_token", metadata.whole("tokenizer.ggml.padding_token_id", -1), texts);
        }
        return tokens;
    }

    private static void put(Map<String, String> tokens, String name, long id, GgufArray texts) {
        if (id >= 0 && id < texts.size()) {
            tokens.put(name, texts.text((int) id));
        }
    }

    @Override
    public String label() {
        return "jinja";
    }

    @Override
    public Optional<ToolFormat> toolFormat() {
        return toolFormat;
    }

    @Override
    public ChatPrompt render(List<ChatMessage> messages, boolean answer) {
        return rendered(messages, List.of(), answer);
    }

    @Override
    public ChatPrompt render(List<ChatMessage> messages, List<Tool> tools, boolean answer) {
        return toolFormat.isEmpty()
                ? ChatTemplate.super.render(messages, tools, answer)
                : rendered(messages, tools, answer);
    }

    private ChatPrompt rendered(List<ChatMessage> messages, List<Tool> tools, boolean answer) {
        Map<String, Value> variables = new HashMap<>();
        tokens.forEach((name, text) -> variables.put(name, Value.of(text)));
        variables.put("messages", Value.of(messages.stream().map(ChatValues::of).toList()));
        variables.put("add_generation_prompt", Value.of(answer));
        variables.put(
                "tools",
                tools.isEmpty()
                        ? Value.None.INSTANCE
                        : Value.of(tools.stream().map(ChatValues::of).toList()));
        variables.put("documents", Value.None.INSTANCE);
        Text text = template.render(variables, clock);
        return new ChatPrompt(text.chars(), text.said());
    }
}
