package dev.stowage.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.serve.TestServer.Reply;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is wrong with a request, or cannot be done, is said with its name. */
@Timeout(300)
class RefusedRequestsTest {

    private static final String CHAT = "/v1/chat/completions";
    private static final String TEXT = "/v1/completions";
    private static final String VECTORS = "/v1/embeddings";

    private static final TestServer SERVER = TestServer.start(2, 1024);

    @AfterAll
    static void close() {
        SERVER.close();
    }

    private static String chat(String content, String more) {
        return "{\"messages\":[{\"role\":\"user\",\"content\":\"" + content + "\"}]" + more + "}";
    }

    @Test
    void whatCannotBeHonouredIsRefusedWithItsName() {
        for (String field : List.of(
                "\"n\":2",
                "\"tools\":[{}]",
                "\"modalities\":[\"audio\"]",
                "\"audio\":{}",
                "\"temperature\":-1",
                "\"temperature\":\"hot\"",
                "\"top_p\":1.5",
                "\"top_k\":1.5",
                "\"min_p\":1e999",
                "\"max_tokens\":99999999999",
                "\"max_completion_tokens\":\"5\"",
                "\"seed\":1e300",
                "\"stop\":[1]",
                "\"stop\":\"\"",
                "\"presence_penalty\":3",
                "\"logit_bias\":{\"x\":1}",
                "\"logit_bias\":{\"5\":1000}",
                "\"stream\":\"yes\"",
                "\"top_logprobs\":21",
                "\"response_format\":5")) {
            Reply reply = SERVER.post(CHAT, chat("harbor", "," + field));
            String name = field.substring(1, field.indexOf('"', 1));
            assertThat(reply.status()).as(field).isEqualTo(400);
            assertThat(reply.error()).as(field).contains(name);
            assertThat(reply.at("error", "type")).isEqualTo("invalid_request_error");
            assertThat(reply.at("error", "code")).isEqualTo(400L);
            assertThat(reply.at("error", "param")).asString().startsWith(name);
        }
    }

    @Test
    void messagesAreRefusedWithTheirPlace() {
        assertThat(SERVER.post(CHAT, "{}").error()).isEqualTo("'messages' is missing: an array of messages");
        assertThat(SERVER.post(CHAT, "{\"messages\":[]}").error()).contains("from 1 to");
        assertThat(SERVER.post(CHAT, "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"boss\"}]}")
                        .error())
                .isEqualTo("'messages[1].role' must be one of system, developer, user, assistant, tool, not \"boss\"");
        assertThat(SERVER.post(
                                CHAT,
                                "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{}}]}]}")
                        .error())
                .contains("'messages[0].content[0].type' must be text, not \"image_url\"");
        assertThat(SERVER.post(
                                CHAT,
                                "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"harbor\"}]}],\"max_tokens\":1}")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void whatIsNoRequestIsRefused() {
        assertThat(SERVER.post(CHAT, "").error()).contains("the body is empty");
        assertThat(SERVER.post(CHAT, "{\"messages\":").error())
                .contains("is not JSON")
                .contains("line 1");
        assertThat(SERVER.post(CHAT, "[]").error()).isEqualTo("the body must be a JSON object, not an array");
        assertThat(SERVER.post(CHAT, "{} {}").status()).isEqualTo(400);
        assertThat(SERVER.post(CHAT, "{\"n\":1,\"n\":1}").error()).contains("Duplicate");
        assertThat(SERVER.post(CHAT, "{\"a\":" + "[".repeat(5000) + "]".repeat(5000) + "}")
                        .error())
                .contains("nested deeper");
        assertThat(SERVER.post(CHAT, "{\"a\":1" + "0".repeat(5000) + "}").error())
                .contains("digits");
        assertThat(SERVER.post(TEXT, "{}").error()).contains("'prompt' is missing");
        assertThat(SERVER.post(TEXT, "{\"prompt\":[\"a\",\"b\"]}").error()).contains("must be one text, not 2");
        assertThat(SERVER.post(TEXT, "{\"prompt\":[1,99999999]}").error()).contains("no token 99999999");
        assertThat(SERVER.post(TEXT, "{\"prompt\":\"a\",\"echo\":true}").error())
                .contains("'echo'");
        assertThat(SERVER.post(TEXT, "{\"prompt\":\"a\",\"suffix\":\"b\"}").error())
                .contains("'suffix'");
        assertThat(SERVER.post(VECTORS, "{\"input\":[]}").error()).contains("from 1 to 2048");
        assertThat(SERVER.post(VECTORS, "{\"input\":\"a\",\"dimensions\":3}").error())
                .contains("'dimensions'");
        assertThat(SERVER.post("/detokenize", "{\"tokens\":[-1]}").error()).contains("tokens[0]");
        assertThat(SERVER.post("/detokenize", "{\"tokens\":[999999]}").error()).contains("no token 999999");
    }

    @Test
    void whatWouldTakeForEverOrAllMemoryIsRefused() {
        String ambiguous = "root ::= ([a-z ] | [a-z ] [a-z ] | [a-z ] root [a-z ])*";
        Reply reply = SERVER.post(
                TEXT, "{\"prompt\":\"a\",\"max_tokens\":900,\"ignore_eos\":true,\"grammar\":\"" + ambiguous + "\"}");
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.error()).contains("less ambiguous");
        assertThat(SERVER.post(TEXT, "{\"prompt\":\"a\",\"grammar\":\"root ::= [a]" + "*".repeat(300_000) + "\"}")
                        .error())
                .startsWith("'grammar': ")
                .contains("nested more than");
        assertThat(SERVER.post("/tokenize", "{\"content\":\"" + "x".repeat(2 << 20) + "\"}")
                        .error())
                .startsWith("'content' must have at most 1048576 characters");
        assertThat(SERVER.post(TEXT, "{\"prompt\":\"a\",\"json_schema\":{\"type\":\"integer\",\"minimum\":1e400}}")
                        .error())
                .startsWith("'json_schema' has a number that is too large");
        assertThat(SERVER.post(TEXT, "{\"prompt\":\"a\",\"temperature\":NaN}").error())
                .startsWith("the body is not JSON: Non-standard token 'NaN' (line 1");
        assertThat(SERVER.isFree()).isTrue();
    }

    @Test
    void aPromptThatIsTooLongIsRefusedWithTheNumbers() {
        Reply reply = SERVER.post(TEXT, "{\"prompt\":\"" + "harbor ".repeat(3000) + "\"}");
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.at("error", "type")).isEqualTo("exceed_context_size_error");
        assertThat(reply.at("error", "n_ctx")).isEqualTo(1024L);
        assertThat((Long) reply.at("error", "n_prompt_tokens")).isGreaterThan(1024L);
        assertThat(SERVER.post(TEXT, "{\"prompt\":\"" + "x".repeat(9 << 20) + "\"}")
                        .status())
                .isEqualTo(413);
    }

    @Test
    void wrongPathsAndMethodsAreRefused() {
        assertThat(SERVER.get("/v1/nothing").status()).isEqualTo(404);
        assertThat(SERVER.get("/v1/nothing").error()).contains("/v1/chat/completions");
        Reply method = SERVER.get(CHAT);
        assertThat(method.status()).isEqualTo(405);
        assertThat(method.response().headers().firstValue("allow")).hasValue("POST");
        assertThat(SERVER.send(SERVER.request("/health")
                                .method("HEAD", BodyPublishers.noBody())
                                .build())
                        .status())
                .isEqualTo(200);
    }

    @Test
    void pagesOfThisMachineMayUseTheServerAndOthersNot() {
        Reply own = SERVER.send(SERVER.request("/v1/models")
                .header("Origin", "http://localhost:3000")
                .build());
        assertThat(own.response().headers().firstValue("access-control-allow-origin"))
                .hasValue("http://localhost:3000");
        Reply asked = SERVER.send(SERVER.request(CHAT)
                .method("OPTIONS", BodyPublishers.noBody())
                .header("Origin", "http://127.0.0.1:5173")
                .header("Access-Control-Request-Method", "POST")
                .build());
        assertThat(asked.status()).isEqualTo(204);
        assertThat(asked.response().headers().firstValue("access-control-allow-methods"))
                .hasValue("GET, POST");
        Reply other = SERVER.send(SERVER.request("/v1/models")
                .header("Origin", "https://example.org")
                .build());
        assertThat(other.status()).isEqualTo(403);
        assertThat(other.error()).contains("--cors");
    }
}
