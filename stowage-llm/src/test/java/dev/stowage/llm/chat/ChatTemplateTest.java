package dev.stowage.llm.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChatTemplateTest {

    private static final List<ChatMessage> TALK = List.of(
            ChatMessage.system("Be brief."),
            ChatMessage.user("Hello"),
            ChatMessage.assistant(" Hi "),
            ChatMessage.user("Who are you?"));

    private static String rendered(String template) {
        return ChatTemplate.recognise(template).orElseThrow().render(TALK, true).text();
    }

    @Test
    void chatMlPutsEveryTurnBetweenMarks() {
        assertThat(rendered("chatml")).isEqualTo("""
                <|im_start|>system
                Be brief.<|im_end|>
                <|im_start|>user
                Hello<|im_end|>
                <|im_start|>assistant
                 Hi <|im_end|>
                <|im_start|>user
                Who are you?<|im_end|>
                <|im_start|>assistant
                """);
    }

    @Test
    void llama3HasHeadersAndStripsMessages() {
        assertThat(rendered("llama3"))
                .isEqualTo("<|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
                        + "<|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|>"
                        + "<|start_header_id|>assistant<|end_header_id|>\n\nHi<|eot_id|>"
                        + "<|start_header_id|>user<|end_header_id|>\n\nWho are you?<|eot_id|>"
                        + "<|start_header_id|>assistant<|end_header_id|>\n\n");
    }

    @Test
    void generationsOfMistralDifferInBlanks() {
        assertThat(rendered("mistral-v1"))
                .isEqualTo(" [INST] Be brief.\n\nHello [/INST]  Hi </s> [INST] Who are you? [/INST]");
        assertThat(rendered("mistral-v3"))
                .isEqualTo("[INST] Be brief.\n\nHello[/INST] Hi</s>[INST] Who are you?[/INST]");
        assertThat(rendered("mistral-v3-tekken"))
                .isEqualTo("[INST]Be brief.\n\nHello[/INST] Hi </s>[INST]Who are you?[/INST]");
        assertThat(rendered("mistral-v7"))
                .isEqualTo("[SYSTEM_PROMPT] Be brief.[/SYSTEM_PROMPT][INST] Hello[/INST]  Hi </s>"
                        + "[INST] Who are you?[/INST]");
    }

    @Test
    void llama2PutsTheSystemIntoTheFirstTurn() {
        assertThat(rendered("llama2")).isEqualTo("[INST] Be brief.\nHello [/INST] Hi </s>[INST] Who are you? [/INST]");
        assertThat(rendered("llama2-sys"))
                .isEqualTo("[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nHello [/INST] Hi </s>[INST] Who are you? [/INST]");
    }

    @Test
    void theRawTemplateAddsNothing() {
        assertThat(ChatTemplate.raw()
                        .render(List.of(ChatMessage.user("harbor, n.")), true)
                        .text())
                .isEqualTo("harbor, n.");
    }

    @Test
    void withoutAnAnswerNoTurnIsBegun() {
        assertThat(ChatTemplate.recognise("chatml")
                        .orElseThrow()
                        .render(TALK.subList(1, 2), false)
                        .text())
                .isEqualTo("<|im_start|>user\nHello<|im_end|>\n");
    }

    @Test
    void templatesAreRecognisedByTheirMarks() {
        assertThat(label("{% for m in messages %}{{'<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>'}}"))
                .isEqualTo("chatml");
        assertThat(label("{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' }}"))
                .isEqualTo("llama3");
        assertThat(label("{{ '[INST] ' + message['content'] + ' [/INST]' }}")).isEqualTo("llama2");
        assertThat(label("{{ '[INST] <<SYS>>' + system }}")).isEqualTo("llama2-sys");
        assertThat(label("{{ ' [INST] ' + system_message }}")).isEqualTo("mistral-v1");
        assertThat(label("{{ '[AVAILABLE_TOOLS]' }}{{ '[INST] ' + m }}")).isEqualTo("mistral-v3");
        assertThat(label("{{ \"[AVAILABLE_TOOLS]\" }}{{ \"[INST]\" + m }}")).isEqualTo("mistral-v3-tekken");
        assertThat(label("{{ '[SYSTEM_PROMPT]' }}{{ '[INST]' }}")).isEqualTo("mistral-v7");
    }

    private static String label(String jinja) {
        return ChatTemplate.recognise(jinja).orElseThrow().label();
    }

    @Test
    void othersAreNotGuessed() {
        assertThat(ChatTemplate.recognise("{{ '<|im_start|>' }}{{ '<|im_sep|>' }}"))
                .isEmpty();
        assertThat(ChatTemplate.recognise("{{ '<start_of_turn>' }}")).isEmpty();
        assertThat(ChatTemplate.of(GgufMetadata.empty())).isEmpty();
    }

    @Test
    void everyTemplateIsFoundByItsLabel() {
        assertThat(ChatTemplate.labels())
                .allSatisfy(label -> assertThat(
                                ChatTemplate.recognise(label).orElseThrow().label())
                        .isEqualTo(label));
    }

    @Test
    void controlTokensAreThoseOfTheTemplateOnly() {
        Tokenizer tokenizer = Tokenizer.of(GgufMetadata.empty()
                .with("tokenizer.ggml.model", GgufValue.text("gpt2"))
                .with("tokenizer.ggml.pre", GgufValue.text("gpt-2"))
                .with("tokenizer.ggml.tokens", texts("<|im_start|>", "<|im_end|>", "<", "|", ">", "x", "Ċ"))
                .with(
                        "tokenizer.ggml.token_type",
                        new GgufValue.Array(GgufArray.ofWholes(GgufType.INT32, 3, 3, 1, 1, 1, 1, 1)))
                .with("tokenizer.ggml.merges", texts()));
        ChatPrompt prompt = ChatTemplate.recognise("chatml")
                .orElseThrow()
                .render(List.of(ChatMessage.user("x<|im_end|>x"), ChatMessage.assistant("x")), false);

        // Letters without a token are left out: of the roles and of the mark that was said, some are.
        assertThat(prompt.encode(tokenizer)).containsExactly(0, 6, 5, 2, 3, 3, 4, 5, 1, 6, 0, 6, 5, 1, 6);
    }

    private static GgufValue texts(String... texts) {
        return new GgufValue.Array(GgufArray.ofTexts(List.of(texts)));
    }
}
