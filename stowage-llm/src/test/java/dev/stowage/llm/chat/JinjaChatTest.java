package dev.stowage.llm.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JinjaChatTest {

    private static final List<ChatMessage> TALK = List.of(
            ChatMessage.system("Be brief."),
            ChatMessage.user("Hello {{ 1 + 1 }} {% endif %}"),
            ChatMessage.assistant(" Hi "),
            ChatMessage.user("Who are you?"));

    private static String program(String name) {
        String file = "jinja/" + name + ".jinja";
        try (InputStream in = Objects.requireNonNull(JinjaChatTest.class.getResourceAsStream(file), file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"chatml", "llama3", "mistral-v1", "mistral-v3-tekken", "mistral-v7", "llama2-sys"})
    void theProgramOfAKnownTemplateGivesTheTextOfTheKnownOne(String label) {
        String here = INSTRUCT.get(label);
        String program = here == null ? program(label) : here;
        ChatTemplate known = ChatTemplate.recognise(program).orElseThrow();
        ChatTemplate run = ChatTemplate.jinja(program, Map.of("bos_token", "", "eos_token", "</s>"));

        assertThat(known.label()).isEqualTo(label);
        for (int messages = 2; messages <= TALK.size(); messages += 2) {
            List<ChatMessage> part = TALK.subList(0, messages);
            assertThat(run.render(part, true).text())
                    .isEqualTo(known.render(part, true).text());
        }
    }

    /** Programs for those of the known templates that differ in little. */
    private static final Map<String, String> INSTRUCT =
            Map.of("mistral-v3-tekken", """
            {#- "[AVAILABLE_TOOLS]" is for tools. #}
            {%- set ns = namespace(system="") %}
            {%- for m in messages %}
                {%- if m.role == "system" %}
                    {%- set ns.system = m.content + "\\n\\n" %}
                {%- elif m.role == "user" %}
                    {{- "[INST]" + ns.system + m.content + "[/INST]" }}
                    {%- set ns.system = "" %}
                {%- else %}
                    {{- m.content + eos_token }}
                {%- endif %}
            {%- endfor %}
            """, "mistral-v7", """
            {%- for m in messages %}
            {%- if m['role'] == 'system' %}{{ '[SYSTEM_PROMPT] ' + m['content'] + '[/SYSTEM_PROMPT]' }}
            {%- elif m['role'] == 'user' %}{{ '[INST] ' + m['content'] + '[/INST]' }}
            {%- else %}{{ ' ' + m['content'] + eos_token }}
            {%- endif %}
            {%- endfor %}
            """, "llama2-sys", """
            {% if messages[0]['role'] == 'system' %}
            {% set loop_messages = messages[1:] %}{% set system_message = messages[0]['content'] %}
            {% endif %}
            {% for message in loop_messages %}
            {% if loop.index0 == 0 and system_message != false %}
            {% set content = '<<SYS>>\\n' + system_message + '\\n<</SYS>>\\n\\n' + message['content'] %}
            {% else %}
            {% set content = message['content'] %}
            {% endif %}
            {% if message['role'] == 'user' %}
            {{- '[INST] ' + content + ' [/INST]' -}}
            {% elif message['role'] == 'assistant' %}
            {{- content + eos_token -}}
            {% endif %}
            {% endfor %}
            """);

    @Test
    void aTemplateThatIsNotKnownIsRun() {
        GgufMetadata metadata = metadata(program("gemma"), true);
        ChatTemplate template = ChatTemplate.of(metadata).orElseThrow();

        assertThat(template.label()).isEqualTo("jinja");
        assertThat(template.render(TALK, true).text()).isEqualTo("""
                        <s><start_of_turn>user
                        Be brief.

                        Hello {{ 1 + 1 }} {% endif %}<end_of_turn>
                        <start_of_turn>model
                        Hi<end_of_turn>
                        <start_of_turn>user
                        Who are you?<end_of_turn>
                        <start_of_turn>model
                        """);
    }

    @Test
    void aProgramThatGivesTheTextOfABuiltInTemplateIsReplacedByIt() {
        assertThat(ofModel(program("chatml")).label()).isEqualTo("chatml");
    }

    @Test
    void aProgramWithTheControlTokensOfABuiltInTemplateThatDiffersFromItIsRun() {
        String program = """
                {%- if messages[0]['role'] != 'system' %}{{ '<|im_start|>system\\nBe kind.<|im_end|>\\n' }}{% endif %}
                {%- for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}
                {%- endfor %}
                {%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}""";

        assertThat(ofModel(program).label()).isEqualTo("jinja");
        assertThat(ofModel(program)
                        .render(List.of(ChatMessage.user("Hello")), true)
                        .text())
                .isEqualTo("""
                        <|im_start|>system
                        Be kind.<|im_end|>
                        <|im_start|>user
                        Hello<|im_end|>
                        <|im_start|>assistant
                        """);
    }

    @Test
    void aProgramThatCannotBeRunIsReplacedByTheBuiltInTemplateWithItsControlTokens() {
        assertThat(ofModel("{% for m in messages %}<|im_start|>").label()).isEqualTo("chatml");
        assertThat(ofModel("{{ raise_exception('no') }}<|im_start|>").label()).isEqualTo("chatml");
    }

    @Test
    void whatAToolReturnedHasARoleOfItsOwn() {
        List<ChatMessage> called = List.of(ChatMessage.user("Weather?"), ChatMessage.tool("21"));
        String program = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}";

        assertThat(ofModel(program).render(called, true).text()).isEqualTo("[user]Weather?[tool]21");
        assertThat(ChatTemplate.recognise("mistral-v3")
                        .orElseThrow()
                        .render(called, true)
                        .text())
                .isEqualTo("[INST] Weather?[/INST][INST] 21[/INST]");
    }

    private static ChatTemplate ofModel(String program) {
        return ChatTemplate.of(metadata(program, true)).orElseThrow();
    }

    @Test
    void aBrokenTemplateNamesTheLine() {
        assertThatThrownBy(() -> ChatTemplate.of(metadata("a\n{% for m in messages %}", true)))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("line 2");
    }

    @Test
    void aTemplateMayRefuseAConversation() {
        ChatTemplate template = ChatTemplate.jinja(program("gemma"), Map.of());

        assertThatThrownBy(() -> template.render(List.of(ChatMessage.assistant("Hi")), true))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("refuses this conversation: Conversation roles must alternate");
    }

    @Test
    void theBeginningIsOneTokenWhicheverAddsIt() {
        String program = "{{ bos_token }}{% for m in messages %}{{ '<e>' + m.content | trim + '<e>' }}{% endfor %}";
        List<ChatMessage> said = List.of(ChatMessage.user(" x<e>x "));
        for (boolean added : new boolean[] {true, false}) {
            GgufMetadata metadata = metadata(program, added);

            // What the user calls <e> is three letters.
            assertThat(ChatTemplate.of(metadata)
                            .orElseThrow()
                            .render(said, true)
                            .encode(Tokenizer.of(metadata)))
                    .containsExactly(0, 1, 5, 2, 4, 3, 5, 1);
        }
    }

    @Test
    void aBeginningThatAUserWritesIsNotOne() {
        GgufMetadata metadata = metadata("{% for m in messages %}{{ m.content }}{% endfor %}", true);
        ChatPrompt prompt = ChatTemplate.of(metadata).orElseThrow().render(List.of(ChatMessage.user("<s>x")), true);

        assertThat(prompt.encode(Tokenizer.of(metadata))).containsExactly(0, 2, 6, 3, 5);
    }

    private static GgufMetadata metadata(String program, boolean addsBos) {
        return GgufMetadata.empty()
                .with(ChatTemplate.KEY, GgufValue.text(program))
                .with("tokenizer.ggml.model", GgufValue.text("gpt2"))
                .with("tokenizer.ggml.pre", GgufValue.text("gpt-2"))
                .with("tokenizer.ggml.tokens", texts("<s>", "<e>", "<", ">", "e", "x", "s"))
                .with(
                        "tokenizer.ggml.token_type",
                        new GgufValue.Array(GgufArray.ofWholes(GgufType.INT32, 3, 3, 1, 1, 1, 1, 1)))
                .with("tokenizer.ggml.merges", texts())
                .with("tokenizer.ggml.bos_token_id", GgufValue.uint32(0))
                .with("tokenizer.ggml.add_bos_token", new GgufValue.Bool(addsBos));
    }

    private static GgufValue texts(String... texts) {
        return new GgufValue.Array(GgufArray.ofTexts(List.of(texts)));
    }
}
