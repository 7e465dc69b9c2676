package dev.stowage.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.serve.TestServer.Reply;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server of an embedding model makes vectors and says of every other request that it cannot be answered. */
@Timeout(300)
class EmbeddingServerTest {

    private static final TestServer SERVER = TestServer.ofEmbeddings();

    @AfterAll
    static void close() {
        SERVER.close();
    }

    private static List<?> vector(Reply reply, int index) {
        return (List<?>) Objects.requireNonNull(reply.at("data", index, "embedding"));
    }

    @Test
    void textsBecomeVectorsOfLength1() {
        Reply reply = SERVER.post("/v1/embeddings", "{\"input\":[\"the harbour\",\"the rain\",\"the harbour\"]}");
        assertThat(reply.status()).isEqualTo(200);
        double squares = 0;
        for (Object each : vector(reply, 0)) {
            squares += Math.pow(((Number) each).doubleValue(), 2);
        }
        assertThat(squares).isCloseTo(1, within(1e-5));
        assertThat(vector(reply, 0)).hasSize(96).isEqualTo(vector(reply, 2)).isNotEqualTo(vector(reply, 1));
    }

    @Test
    void aTextLongerThanTheModelReadsIsRefusedWithNumbers() {
        Reply reply = SERVER.post("/v1/embeddings", "{\"input\":\"" + "z ".repeat(200) + "\"}");
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.at("error", "type")).isEqualTo("exceed_context_size_error");
        assertThat(reply.at("error", "n_prompt_tokens")).isEqualTo(202L);
        assertThat(reply.at("error", "n_ctx")).isEqualTo(128L);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/chat/completions | {\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}",
                "/v1/completions | {\"prompt\":\"hello\"}",
                "/completions | {\"prompt\":\"hello\",\"stream\":true}",
                "/apply-template | {\"messages\":[]}"
            })
    void requestsForTextAreRefused(String path, String body) {
        Reply reply = SERVER.post(path, body);
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.at("error", "type")).isEqualTo("invalid_request_error");
        assertThat(reply.at("error", "message"))
                .asString()
                .contains("is an embedding model")
                .contains("POST /v1/embeddings");
    }

    @Test
    void theOtherRoutesAnswer() {
        assertThat(SERVER.get("/health").status()).isEqualTo(200);
        assertThat(SERVER.get("/v1/models").at("data", 0, "meta", "n_embd")).isEqualTo(96L);
        assertThat(SERVER.post("/tokenize", "{\"content\":\"the\"}").status()).isEqualTo(200);
        assertThat(SERVER.get("/stowage/status").status()).isEqualTo(200);
    }
}
