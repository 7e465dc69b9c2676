package dev.stowage.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.serve.TestServer.Reply;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Texts that conform to a schema or a grammar, and calls of tools. */
@Timeout(300)
class FormatsTest {

    private static final String CHAT = "/v1/chat/completions";
    private static final String TEXT = "/v1/completions";

    private static final TestServer SERVER = TestServer.start(2, 1024);

    @AfterAll
    static void close() {
        SERVER.close();
    }

    private static String chat(String content, String more) {
        return "{\"messages\":[{\"role\":\"user\",\"content\":\"" + content + "\"}]" + more + "}";
    }

    private static final String TOOLS = "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"weather\","
            + "\"description\":\"The weather\",\"parameters\":{\"type\":\"object\",\"properties\":{\"city\":{\"enum\":"
            + "[\"Bern\",\"Rome\"]}},\"required\":[\"city\"]}}},{\"type\":\"function\",\"function\":{\"name\":\"now\"}}]";

    /** What a program of the Hermes family has to show tools. */
    private static final String PROGRAM =
            "{%- if tools %}{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}Answer with"
                    + " <tool_call>.\n{% endif %}{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}";

    @Test
    void aTextConformsToWhatIsAskedFor() {
        String schema = "{\"type\":\"object\",\"properties\":{\"kind\":{\"enum\":[\"ship\",\"harbor\"]},\"count\":"
                + "{\"type\":\"integer\",\"minimum\":1,\"maximum\":9}},\"required\":[\"kind\",\"count\"],"
                + "\"additionalProperties\":false}";
        String asked = ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"n\",\"strict\":true,"
                + "\"schema\":" + schema + "}}";
        Reply reply = SERVER.post(CHAT, chat("harbor, n.", asked));
        assertThat(reply.at("choices", 0, "finish_reason")).isEqualTo("stop");
        String text = String.valueOf(reply.at("choices", 0, "message", "content"));
        assertThat(TestServer.at(text, "kind")).isIn("ship", "harbor");
        assertThat((Long) TestServer.at(text, "count")).isBetween(1L, 9L);
        Reply grammar =
                SERVER.post(TEXT, "{\"prompt\":\"harbor, n.\",\"grammar\":\"root ::= \\\"yes\\\" | \\\"no\\\"\"}");
        assertThat(grammar.at("choices", 0, "text")).isIn("yes", "no");
        Reply any = SERVER.post(
                CHAT, chat("harbor, n.", ",\"max_tokens\":400,\"response_format\":{\"type\":\"json_object\"}"));
        assertThat(String.valueOf(any.at("choices", 0, "message", "content")).strip())
                .startsWith("{");
    }

    @Test
    void toolsAreCalledWhereTheTemplateHasAPlaceForThem() {
        try (TestServer server =
                TestServer.start(2, 1024, options -> options.withTemplate(ChatTemplate.jinja(PROGRAM, Map.of())))) {
            String asked =
                    "," + TOOLS + ",\"parallel_tool_calls\":false,\"tool_choice\":{\"type\":\"function\",\"function\":"
                            + "{\"name\":\"weather\"}}";
            Reply reply = server.post(CHAT, chat("harbor", asked));
            assertThat(reply.status()).as(reply.text()).isEqualTo(200);
            assertThat(reply.at("choices", 0, "finish_reason")).isEqualTo("tool_calls");
            assertThat(reply.at("choices", 0, "message", "content")).isNull();
            assertThat(reply.at("choices", 0, "message", "tool_calls", 0, "function", "name"))
                    .isEqualTo("weather");
            String arguments =
                    String.valueOf(reply.at("choices", 0, "message", "tool_calls", 0, "function", "arguments"));
            assertThat(TestServer.at(arguments, "city")).isIn("Bern", "Rome");
            List<String> events = TestServer.events(server.post(CHAT, chat("harbor", asked + ",\"stream\":true")));
            String call = events.get(events.size() - 3);
            assertThat(TestServer.at(call, "choices", 0, "delta", "tool_calls", 0, "index"))
                    .isEqualTo(0L);
            assertThat(TestServer.at(call, "choices", 0, "delta", "tool_calls", 0, "function", "arguments"))
                    .isEqualTo(arguments);
            assertThat(TestServer.at(events.get(events.size() - 2), "choices", 0, "finish_reason"))
                    .isEqualTo("tool_calls");
            Reply back = server.post(
                    CHAT,
                    "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"tool_calls\":[{\"id\":"
                            + "\"c\",\"type\":\"function\",\"function\":{\"name\":\"now\",\"arguments\":\"{}\"}}]},{\"role\":"
                            + "\"tool\",\"tool_call_id\":\"c\",\"content\":\"noon\"}],\"max_tokens\":2," + TOOLS + "}");
            assertThat(back.status()).as(back.text()).isEqualTo(200);
            assertThat(server.post(CHAT, chat("a", "," + TOOLS + ",\"tool_choice\":{\"function\":{\"name\":\"x\"}}"))
                            .error())
                    .contains("which 'tools' lacks");
            assertThat(server.post(CHAT, chat("a", ",\"tool_choice\":\"required\""))
                            .error())
                    .contains("no 'tools'");
        }
        assertThat(SERVER.post(CHAT, chat("a", "," + TOOLS)).error())
                .contains("'tools' need a model whose chat template shows tools");
    }

    @Test
    void whatNoTextCanConformToIsRefused() {
        assertThat(SERVER.post(TEXT, "{\"prompt\":\"a\",\"grammar\":\"root ::= (\"}")
                        .error())
                .startsWith("'grammar': ");
        assertThat(SERVER.post(CHAT, chat("a", ",\"response_format\":{\"type\":\"json_schema\"}"))
                        .error())
                .contains("'response_format.json_schema.schema' is missing");
        assertThat(SERVER.post(CHAT, chat("a", ",\"json_schema\":{\"type\":\"nothing\"}"))
                        .status())
                .isEqualTo(400);
        assertThat(SERVER.post(CHAT, chat("a", ",\"json_schema\":{},\"grammar\":\"root ::= \\\"a\\\"\""))
                        .error())
                .contains("give one");
        assertThat(SERVER.post(CHAT, chat("a", ",\"response_format\":{\"type\":\"xml\"}"))
                        .error())
                .contains("must be one of text, json_object, json_schema");
    }
}
