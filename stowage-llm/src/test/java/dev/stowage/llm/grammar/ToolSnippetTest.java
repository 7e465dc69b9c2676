package dev.stowage.llm.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.gguf.GgufHeader;
import dev.stowage.llm.TestModels;
import dev.stowage.llm.chat.ChatMessage;
import dev.stowage.llm.chat.ChatPrompt;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.chat.Tool;
import dev.stowage.llm.chat.ToolCall;
import dev.stowage.llm.chat.ToolCallParser;
import dev.stowage.llm.chat.ToolFormat;
import dev.stowage.llm.sampling.Sampler;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls of tools by their grammar; the examples of the documentation are taken from here. */
class ToolSnippetTest {

    private static final List<Tool> TOOLS =
            List.of(new Tool("weather", "The weather of a city", """
                    {"type": "object", "properties": {"city": {"$ref": "#/$defs/city"}}, "required": ["city"],
                     "$defs": {"city": {"enum": ["Lomé", "Bern"]}}}
                    """), new Tool("add", "The sum of two numbers", """
                    {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                     "required": ["a", "b"]}
                    """));

    /** What a program of the Hermes family has to show tools. */
    private static final String PROGRAM = """
            {%- if tools %}{% for tool in tools %}{{ tool | tojson }}
            {% endfor %}Answer with <tool_call>.
            {% endif %}{% for message in messages %}{{ message.role }}: {{ message.content }}
            {% endfor %}""";

    private static String prompt(ChatTemplate template) {
        // @start region="render"
        Tool weather = new Tool("weather", "The weather of a city", """
                {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
                """);
        ToolFormat format = template.toolFormat().orElseThrow();
        ChatPrompt prompt = template.render(List.of(ChatMessage.user("Is it hot in Lomé?")), List.of(weather), true);
        ChatPrompt required = prompt.append(format.opening()); // where a tool has to be called
        Grammar calls = Grammar.toolCalls(format, List.of(weather), false); // what follows that
        // @end
        assertThat(calls.matches("{\"name\": \"weather\", \"arguments\": {\"city\": \"Lomé\"}}\n</tool_call>"))
                .isTrue();
        return required.text();
    }

    private static List<ToolCall> parse(ToolFormat format, List<String> pieces, StringBuilder out) {
        // @start region="parse"
        ToolCallParser parser = new ToolCallParser(format, true);
        List<ToolCall> calls = new ArrayList<>();
        for (String piece : pieces) {
            ToolCallParser.Part part = parser.next(piece);
            out.append(part.text());
            calls.addAll(part.calls());
        }
        ToolCallParser.Part last = parser.finish();
        // @end
        out.append(last.text());
        calls.addAll(last.calls());
        return calls;
    }

    @Test
    void aPromptShowsTheToolsAndOpensACall() {
        assertThat(prompt(ChatTemplate.jinja(PROGRAM, Map.of())))
                .contains("\"city\"", "user: Is it hot in Lomé?")
                .endsWith("<tool_call>\n");
    }

    @ParameterizedTest
    @EnumSource
    void whateverAModelWritesItIsCallsOfTheTools(ToolFormat format) {
        Tokenizer tokenizer = Tokenizer.of(GgufHeader.read(TestModels.lexicon()).metadata());
        Grammar grammar = Grammar.toolCalls(format, TOOLS, true);
        RandomModel model = new RandomModel(tokenizer);
        for (int seed = 0; seed < 30; seed++) {
            Sampler sampler = new Sampler(
                    SamplingOptions.defaults().withTemperature(3).withSeed(seed),
                    tokenizer.vocabulary().size());
            String text = model.text(grammar, sampler, new Random(seed));
            StringBuilder said = new StringBuilder();
            List<ToolCall> calls =
                    parse(format, text.lines().map(line -> line + "\n").toList(), said);
            assertThat(said.toString()).as(text).isBlank();
            assertThat(calls)
                    .as(text)
                    .isNotEmpty()
                    .allSatisfy(call -> assertThat(call.name() + call.arguments())
                            .matches("weather\\{\"city\":\"(Lomé|Bern)\"}|add\\{\"a\":-?\\d+,\"b\":-?\\d+}"));
        }
    }

    @Test
    void aToolWhoseParametersAreNotSupportedIsNamed() {
        Tool tool = new Tool("odd", "", "{\"type\": \"object\", \"not\": {}}");
        assertThatThrownBy(() -> Grammar.toolCalls(ToolFormat.HERMES, List.of(tool), false))
                .hasMessageContaining("the tool 'odd'")
                .hasMessageContaining("#/not");
        assertThatThrownBy(() -> Grammar.toolCalls(ToolFormat.HERMES, List.of(), false))
                .hasMessageContaining("no tools");
    }
}
