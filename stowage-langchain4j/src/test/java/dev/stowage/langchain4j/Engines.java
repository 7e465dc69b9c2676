package dev.stowage.langchain4j;

import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.stowage.llm.chat.ChatTemplate;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** What the tests have in common: the smallest model whose text means something, a dictionary of five million parameters. */
final class Engines {

    static final Path FILE = copy();

    /**
     * What the dictionary cannot know, as the only answer that a schema allows: so the contract is about everything else.
     */
    static final ResponseFormat SCRIPT =
            schema("{\"const\": \"Hello World, the answers are Berlin, liebe and green.\"}");

    /** A template of the Hermes family. */
    static final String TOOLS = """
            {%- for tool in tools or [] %}{{ tool | tojson }}
            {% endfor %}{% for message in messages %}{{ message.role }}: {{ message.content }}
            {%- for call in message.tool_calls or [] %}<tool_call>
            {{ call.function | tojson }}
            </tool_call>{% endfor %}
            {% endfor %}assistant:""";

    private Engines() {}

    private static Path copy() {
        try (InputStream in = Objects.requireNonNull(Engines.class.getResourceAsStream("/lexicon-5m-f16.gguf"))) {
            Path file = Files.createTempFile("stowage", ".gguf");
            file.toFile().deleteOnExit();
            Files.write(file, in.readAllBytes());
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static StowageEngine open() {
        return StowageEngine.builder(FILE).contextSize(2048).slots(3).build();
    }

    static StowageEngine withTools() {
        return StowageEngine.builder(FILE)
                .contextSize(2048)
                .slots(2)
                .chatTemplate(ChatTemplate.jinja(TOOLS, Map.of()))
                .build();
    }

    static ResponseFormat schema(String schema) {
        return ResponseFormat.builder()
                .type(ResponseFormatType.JSON)
                .jsonSchema(JsonSchema.builder()
                        .name("answer")
                        .rootElement(JsonRawSchema.from(schema))
                        .build())
                .build();
    }
}
