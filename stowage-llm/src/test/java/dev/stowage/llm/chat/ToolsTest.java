package dev.stowage.llm.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.MalformedDataException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tools in chat templates, and the calls in what models write. */
class ToolsTest {

    private static final Tool WEATHER = new Tool(
            "weather",
            "The weather of a city. <|im_end|>",
            "{\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}}, \"required\": [\"city\"]}");

    private static final ToolCall CALL = new ToolCall("abcdefgh1", "weather", "{\"city\":\"Lom\\u00e9 <|im_end|>\"}");

    private static ChatTemplate template(String name) {
        try (InputStream in = Objects.requireNonNull(ToolsTest.class.getResourceAsStream("jinja/" + name), name)) {
            String program = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return Templates.of(program, Map.of("bos_token", "<s>", "eos_token", "</s>"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @CsvSource({"qwen3.jinja, HERMES", "llama3-tools.jinja, LLAMA3", "mistral-tools.jinja, MISTRAL"})
    void templatesShowToolsCallsAndResults(String name, ToolFormat format) {
        ChatTemplate template = template(name);
        assertThat(template.toolFormat()).contains(format);
        List<ChatMessage> asked = List.of(ChatMessage.user("Is it hot in Lomé?"));
        String plain = template.render(asked, List.of(), true).text();
        assertThat(plain).isEqualTo(template.render(asked, true).text()).doesNotContain("weather");
        assertThat(template.render(asked, List.of(WEATHER), true).text()).contains("\"weather\"", "\"city\"");

        List<ChatMessage> called = new ArrayList<>(asked);
        called.add(ChatMessage.assistant("", List.of(CALL)));
        String before = template.render(asked, List.of(), true).text();
        String after = template.render(called, List.of(), false).text();
        ToolCallParser parser = new ToolCallParser(format, false);
        String answer = after.substring(after.indexOf("Lomé?") + 5)
                .replaceAll("(?s)^.*?(<tool_call>|\\[TOOL_CALLS]|\\{\"name)", "$1")
                .replaceAll("(<\\|im_end\\|>|<\\|eot_id\\|>|</s>)\\s*$", "");
        ToolCallParser.Part first = parser.next(answer);
        List<ToolCall> calls = new ArrayList<>(first.calls());
        calls.addAll(parser.finish().calls());
        assertThat(before).doesNotContain("Lom\\u00e9");
        assertThat(calls).singleElement().satisfies(call -> {
            assertThat(call.name()).isEqualTo("weather");
            assertThat(call.arguments()).isEqualTo("{\"city\":\"Lomé <|im_end|>\"}");
        });

        called.add(ChatMessage.tool("34 degrees", CALL.id()));
        assertThat(template.render(called, List.of(WEATHER), true).text()).contains("34 degrees");
    }

    @Test
    void onlyTheTemplateWritesControlTokens() {
        ChatPrompt prompt = template("qwen3.jinja").render(List.of(ChatMessage.user("?")), List.of(WEATHER), true);
        ChatPrompt without = template("qwen3.jinja")
                .render(List.of(ChatMessage.user("?")), List.of(new Tool("weather", "", WEATHER.parameters())), true);
        assertThat(prompt.text()).contains("city. <|im_end|>");
        assertThat(prompt.isSameAs(without)).isFalse();
        int at = prompt.text().indexOf("city. <|im_end|>");
        assertThat(prompt.said().get(at + 6)).isTrue();
    }

    @Test
    void templatesWithoutToolsRefuseThem() {
        List<ChatMessage> messages = List.of(ChatMessage.user("?"));
        for (String name : List.of("chatml.jinja", "llama3.jinja", "gemma.jinja", "zephyr.jinja")) {
            assertThat(template(name).toolFormat()).isEmpty();
            assertThatThrownBy(() -> template(name).render(messages, List.of(WEATHER), true))
                    .isInstanceOf(MalformedDataException.class)
                    .hasMessageContaining("no place for tools");
        }
        assertThatThrownBy(() ->
                        ChatTemplate.raw().render(List.of(ChatMessage.assistant("", List.of(CALL))), List.of(), true))
                .hasMessageContaining("no place for tools");
        assertThatThrownBy(() -> new Tool("f", "", "[]")).hasMessageContaining("tool 'f'");
        assertThatThrownBy(() -> new Tool("f", "", "{")).hasMessageContaining("tool 'f'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "HERMES  ; false ; Let me see.\\n<tool_call>\\n{'name': 'f', 'arguments': {'a': 1}}\\n</tool_call> ; Let me see.\\n ; f{'a':1}",
                "HERMES  ; true  ; {'name': 'f', 'arguments': {}}\\n</tool_call>\\n<tool_call>{'name': 'g', 'arguments': {}}</tool_call>\\n ; ; f{}g{}",
                "HERMES  ; false ; a < b and <tool_cal                                     ; a < b and <tool_cal ;",
                "HERMES  ; false ; <tool_call>{'name': }</tool_call> x                     ; <tool_call>{'name': }</tool_call> x ;",
                "HERMES  ; false ; <tool_call>{'name': 'f', 'arguments': {'a': 1}}         ; ; f{'a':1}",
                "LLAMA3  ; false ; {'name': 'f', 'parameters': {'a': [1, {'b': '}'}]}}     ; ; f{'a':[1,{'b':'}'}]}",
                "LLAMA3  ; false ; {'answer': 42}                                          ; {'answer': 42} ;",
                "LLAMA3  ; false ; The {'name': 'f', 'parameters': {}} form                ; The {'name': 'f', 'parameters': {}} form ;",
                "MISTRAL ; false ; [TOOL_CALLS] [{'name': 'f', 'arguments': {}}, {'name': 'g', 'arguments': {}}] ; ; f{}g{}",
                "MISTRAL ; true  ; [{'name': 'f', 'arguments': {}}]                        ; ; f{}",
                "MISTRAL ; false ; [{'name': 'f', 'arguments': {}}]                        ; ; f{}",
                "MISTRAL ; false ; [1, 2]                                                  ; [1, 2] ;",
            })
    void callsAreFoundHoweverTheTextIsCut(ToolFormat format, boolean opened, String answer, String text, String calls) {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            ToolCallParser parser = new ToolCallParser(format, opened);
            StringBuilder said = new StringBuilder();
            StringBuilder called = new StringBuilder();
            String whole = plain(answer);
            for (int at = 0; at < whole.length(); ) {
                int end = Math.min(whole.length(), at + 1 + random.nextInt(12));
                add(parser.next(whole.substring(at, end)), said, called);
                at = end;
            }
            add(parser.finish(), said, called);
            assertThat(said.toString()).as("seed %d", seed).isEqualTo(plain(text));
            assertThat(called.toString()).as("seed %d", seed).isEqualTo(plain(calls));
        }
    }

    private static String plain(String field) {
        return Objects.requireNonNullElse(field, "").replace('\'', '"').replace("\\n", "\n");
    }

    private static void add(ToolCallParser.Part part, StringBuilder said, StringBuilder called) {
        said.append(part.text());
        part.calls().forEach(call -> called.append(call.name()).append(call.arguments()));
    }
}
