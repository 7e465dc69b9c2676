package dev.stowage.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.tokenizer.EncodeOptions;
import dev.stowage.serve.TestServer.Reply;
import dev.stowage.serve.wire.Json;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every route, as a client sees it that knows nothing but HTTP. */
@Timeout(300)
class RoutesTest {

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

    private static List<?> list(Reply reply, Object... path) {
        return (List<?>) Objects.requireNonNull(reply.at(path));
    }

    @Test
    void aChatIsAnswered() {
        Reply reply = SERVER.post(CHAT, chat("harbor, n.", ",\"max_tokens\":12,\"model\":\"any\",\"unknown\":[1]"));
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.response().headers().firstValue("content-type")).hasValue("application/json; charset=utf-8");
        assertThat(reply.at("object")).isEqualTo("chat.completion");
        assertThat(reply.at("id")).asString().startsWith("chatcmpl-");
        assertThat(reply.at("choices", 0, "message", "role")).isEqualTo("assistant");
        assertThat(reply.at("choices", 0, "message", "content")).asString().isNotBlank();
        assertThat(reply.at("choices", 0, "finish_reason")).isIn("length", "stop");
        assertThat(reply.at("choices", 0, "logprobs")).isNull();
        long prompt = (Long) Objects.requireNonNull(reply.at("usage", "prompt_tokens"));
        long completion = (Long) Objects.requireNonNull(reply.at("usage", "completion_tokens"));
        assertThat(prompt).isPositive();
        assertThat(completion).isBetween(1L, 12L);
        assertThat(reply.at("usage", "total_tokens")).isEqualTo(prompt + completion);
        assertThat(reply.at("timings", "predicted_n")).isEqualTo(completion);
    }

    @Test
    void aStreamIsTheSameTextInEvents() {
        String whole = (String)
                SERVER.post(CHAT, chat("tensor, n.", ",\"max_tokens\":10")).at("choices", 0, "message", "content");
        Reply reply = SERVER.post(
                CHAT,
                chat("tensor, n.", ",\"max_tokens\":10,\"stream\":true,\"stream_options\":{\"include_usage\":true}"));
        assertThat(reply.response().headers().firstValue("content-type")).hasValue("text/event-stream");
        List<String> events = TestServer.events(reply);
        assertThat(events.getLast()).isEqualTo("[DONE]");
        assertThat(TestServer.at(events.getFirst(), "choices", 0, "delta", "role"))
                .isEqualTo("assistant");
        StringBuilder text = new StringBuilder();
        for (String event : events.subList(0, events.size() - 2)) {
            assertThat(TestServer.at(event, "object")).isEqualTo("chat.completion.chunk");
            Object piece = TestServer.at(event, "choices", 0, "delta", "content");
            text.append(piece == null ? "" : piece);
        }
        assertThat(text.toString()).isEqualTo(whole);
        String ending = events.get(events.size() - 3);
        assertThat(TestServer.at(ending, "choices", 0, "finish_reason")).isEqualTo("length");
        assertThat(TestServer.at(ending, "choices", 0, "delta")).isEqualTo(Map.of());
        String usage = events.get(events.size() - 2);
        assertThat(TestServer.at(usage, "choices")).isEqualTo(List.of());
        assertThat(TestServer.at(usage, "usage", "completion_tokens")).isEqualTo(10L);
    }

    /** In a form in which the next prompt begins with all of the one before, and with the answer to it. */
    @Test
    void theSecondTurnOfAChatReadsOnlyWhatIsNew() {
        try (TestServer server = TestServer.start(
                2,
                1024,
                options -> options.withTemplate(ChatTemplate.recognise("chatml").orElseThrow()))) {
            String first = "{\"role\":\"user\",\"content\":\"lantern, n.\"}";
            Reply one = server.post(CHAT, "{\"messages\":[" + first + "],\"max_tokens\":16,\"ignore_eos\":true}");
            String said = String.valueOf(one.at("choices", 0, "message", "content"));
            String second = "[" + first + ",{\"role\":\"assistant\",\"content\":" + Json.text(said)
                    + "},{\"role\":\"user\",\"content\":\"candle, n.\"}]";
            Reply two = server.post(CHAT, "{\"messages\":" + second + ",\"max_tokens\":4}");
            long before = number(one, "usage", "prompt_tokens") + number(one, "usage", "completion_tokens");
            long cached = number(two, "usage", "prompt_tokens_details", "cached_tokens");
            assertThat(cached).as("all but the last token, which was never run").isEqualTo(before - 1);
            assertThat(number(two, "timings", "prompt_n")).isEqualTo(number(two, "usage", "prompt_tokens") - cached);
            assertThat(number(two, "timings", "cache_n")).isEqualTo(cached);
            assertThat(server.get("/metrics").text())
                    .contains("\nllamacpp:prompt_tokens_total "
                            + (number(one, "usage", "prompt_tokens") + number(two, "timings", "prompt_n")) + "\n");
        }
    }

    private static long number(Reply reply, Object... path) {
        return (Long) Objects.requireNonNull(reply.at(path));
    }

    @Test
    void aTextIsContinuedFromCharactersOrTokens() {
        int[] tokens = SERVER.model().tokenizer().encode("harbor, n.", EncodeOptions.PROMPT);
        Reply reply = SERVER.post(TEXT, "{\"prompt\":\"harbor, n.\",\"max_tokens\":9}");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.at("object")).isEqualTo("text_completion");
        assertThat(reply.at("usage", "prompt_tokens")).isEqualTo((long) tokens.length);
        Reply same = SERVER.post(TEXT, "{\"prompt\":" + Arrays.toString(tokens) + ",\"max_tokens\":9,\"stream\":true}");
        StringBuilder text = new StringBuilder();
        List<String> events = TestServer.events(same);
        events.subList(0, events.size() - 1).forEach(event -> text.append(TestServer.at(event, "choices", 0, "text")));
        assertThat(text.toString()).isEqualTo(reply.at("choices", 0, "text"));
    }

    @Test
    void aStopStringEndsAText() {
        String whole = String.valueOf(SERVER.post(TEXT, "{\"prompt\":\"harbor, n.\",\"max_tokens\":20}")
                .at("choices", 0, "text"));
        String stop = whole.substring(10, 13);
        Reply reply = SERVER.post(
                TEXT, "{\"prompt\":\"harbor, n.\",\"max_tokens\":20,\"stop\":[" + Json.text(stop) + ",\"§\"]}");
        assertThat(reply.at("choices", 0, "text")).isEqualTo(whole.substring(0, whole.indexOf(stop)));
        assertThat(reply.at("choices", 0, "finish_reason")).isEqualTo("stop");
    }

    @Test
    void theSameSeedGivesTheSameText() {
        // What the cache has is not computed again, and one token is not added up as several are.
        String body =
                "{\"cache_prompt\":false,\"prompt\":\"ship, n.\",\"max_tokens\":12,\"temperature\":1.5,\"top_k\":0,\"top_p\":1,\"min_p\":0";
        Object one = SERVER.post(TEXT, body + ",\"seed\":5}").at("choices", 0, "text");
        assertThat(SERVER.post(TEXT, body + ",\"seed\":5}").at("choices", 0, "text"))
                .isEqualTo(one);
        assertThat(SERVER.post(TEXT, body + ",\"seed\":6}").at("choices", 0, "text"))
                .isNotEqualTo(one);
        assertThat(SERVER.post(TEXT, body + "}").at("choices", 0, "text"))
                .isNotEqualTo(SERVER.post(TEXT, body + "}").at("choices", 0, "text"));
    }

    @Test
    void probabilitiesComeWithAChatAndAText() {
        Reply chat = SERVER.post(
                CHAT,
                chat("harbor, n.", ",\"max_tokens\":4,\"cache_prompt\":false,\"logprobs\":true,\"top_logprobs\":3"));
        List<?> content = list(chat, "choices", 0, "logprobs", "content");
        assertThat(content).hasSize(4);
        assertThat(list(chat, "choices", 0, "logprobs", "content", 0, "top_logprobs"))
                .hasSize(3);
        assertThat(chat.at("choices", 0, "logprobs", "content", 0, "token"))
                .as("greedy")
                .isEqualTo(chat.at("choices", 0, "logprobs", "content", 0, "top_logprobs", 0, "token"));
        Reply text = SERVER.post(TEXT, "{\"prompt\":\"harbor, n.\",\"max_tokens\":4,\"logprobs\":2}");
        assertThat(list(text, "choices", 0, "logprobs", "tokens")).hasSize(4);
        assertThat(list(text, "choices", 0, "logprobs", "token_logprobs")).hasSize(4);
        assertThat((Map<?, ?>) text.at("choices", 0, "logprobs", "top_logprobs", 0))
                .hasSize(2);
        Reply streamed = SERVER.post(
                CHAT,
                chat(
                        "harbor, n.",
                        ",\"max_tokens\":4,\"cache_prompt\":false,\"logprobs\":true,\"top_logprobs\":3,\"stream\":true"));
        List<Object> parts = new ArrayList<>();
        for (String event : TestServer.events(streamed)) {
            if (!event.equals("[DONE]") && TestServer.at(event, "choices", 0, "logprobs") != null) {
                parts.addAll(
                        (List<?>) Objects.requireNonNull(TestServer.at(event, "choices", 0, "logprobs", "content")));
            }
        }
        assertThat(parts)
                .map(each -> field(each, "token"))
                .isEqualTo(content.stream().map(each -> field(each, "token")).toList());
        for (int i = 0; i < parts.size(); i++) {
            // Another slot has other cells, over which the same numbers are added up in another order.
            assertThat((double) field(parts.get(i), "logprob"))
                    .isCloseTo((double) field(content.get(i), "logprob"), within(1e-4));
        }
    }

    private static Object field(Object logprobs, String name) {
        return Objects.requireNonNull(((Map<?, ?>) logprobs).get(name));
    }

    @Test
    void biasKeepsATokenAway() {
        Reply plain = SERVER.post(TEXT, "{\"prompt\":\"harbor, n.\",\"max_tokens\":1,\"logprobs\":0}");
        int token = SERVER.model()
                .tokenizer()
                .encode(String.valueOf(plain.at("choices", 0, "text")), EncodeOptions.TEXT)[0];
        Reply biased = SERVER.post(
                TEXT, "{\"prompt\":\"harbor, n.\",\"max_tokens\":1,\"logit_bias\":{\"" + token + "\":-100}}");
        assertThat(biased.at("choices", 0, "text")).isNotEqualTo(plain.at("choices", 0, "text"));
    }

    @Test
    void vectorsAreOfLengthOneAndTheSameInBothForms() {
        Reply plain = SERVER.post(VECTORS, "{\"input\":[\"harbor\",\"ship\"]}");
        assertThat(plain.at("object")).isEqualTo("list");
        List<?> first = list(plain, "data", 0, "embedding");
        assertThat(list(plain, "data")).hasSize(2);
        double squares = first.stream()
                .mapToDouble(each -> Math.pow(((Number) each).doubleValue(), 2))
                .sum();
        assertThat(squares).isCloseTo(1, within(1e-5));
        Reply packed = SERVER.post(VECTORS, "{\"input\":\"harbor\",\"encoding_format\":\"base64\"}");
        byte[] bytes = Base64.getDecoder().decode(String.valueOf(packed.at("data", 0, "embedding")));
        ByteBuffer numbers = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(bytes).hasSize(4 * first.size());
        for (Object each : first) {
            assertThat(numbers.getFloat()).isCloseTo(((Number) each).floatValue(), within(1e-6f));
        }
        assertThat(packed.at("usage", "prompt_tokens")).isInstanceOf(Long.class);
    }

    @Test
    void tokensGoBothWays() {
        Reply there = SERVER.post("/tokenize", "{\"content\":\"harbor, n.\"}");
        Reply back = SERVER.post("/detokenize", "{\"tokens\":" + there.text().replaceAll("^.*:|}$", "") + "}");
        assertThat(back.at("content")).isEqualTo("harbor, n.");
        Reply pieces = SERVER.post("/tokenize", "{\"content\":\"harbor\",\"with_pieces\":true}");
        assertThat(pieces.at("tokens", 0, "id")).isEqualTo(there.at("tokens", 0));
        assertThat(SERVER.post("/apply-template", chat("harbor, n.", "")).at("prompt"))
                .asString()
                .contains("harbor, n.");
    }

    @Test
    void theModelAndTheStateOfTheServerAreShown() {
        assertThat(SERVER.get("/health").at("status")).isEqualTo("ok");
        Reply models = SERVER.get("/v1/models");
        assertThat(models.at("data", 0, "object")).isEqualTo("model");
        assertThat(models.at("data", 0, "id")).asString().isNotBlank();
        assertThat(SERVER.get("/props").at("total_slots")).isEqualTo(2L);
        assertThat(SERVER.get("/slots").at(1, "is_processing")).isEqualTo(false);
        Reply metrics = SERVER.get("/metrics");
        assertThat(metrics.text())
                .contains("# TYPE llamacpp:prompt_tokens_total counter\nllamacpp:prompt_tokens_total ")
                .contains("\nllamacpp:prompt_tokens_seconds ")
                .contains("\nllamacpp:tokens_predicted_total ")
                .contains("\nllamacpp:predicted_tokens_seconds ")
                .contains("\nllamacpp:requests_processing 0\n")
                .contains("\nllamacpp:requests_deferred 0\n")
                .contains("\nllamacpp:n_busy_slots_per_decode ");
        assertThat(SERVER.get("/stowage/plan.svg").text()).startsWith("<svg");
        assertThat(SERVER.get("/stowage/plan").text()).contains("<html");
        Reply page = SERVER.get("/");
        assertThat(page.text()).startsWith("<!doctype html>");
        assertThat(page.response().headers().firstValue("content-security-policy"))
                .isPresent();
    }

    /** The text format of Prometheus, line by line: what a value means comes before it, and none comes twice. */
    @Test
    void metricsAreWhatPrometheusReads() {
        SERVER.post(TEXT, "{\"prompt\":\"harbor, n.\",\"max_tokens\":3}");
        Map<String, Double> values = new HashMap<>();
        String expected = "";
        for (String line : SERVER.get("/metrics").text().split("\n", -1)) {
            if (line.startsWith("# HELP ")) {
                expected = line.split(" ", 4)[2];
                assertThat(line).matches("# HELP llamacpp:[a-z_]+ [A-Z].*\\.");
            } else if (line.startsWith("#")) {
                assertThat(line).matches("# TYPE " + expected + " (counter|gauge)");
            } else if (!line.isEmpty()) {
                String[] parts = line.split(" ", -1);
                assertThat(parts).as(line).hasSize(2);
                assertThat(parts[0]).isEqualTo(expected).matches("[a-zA-Z_:][a-zA-Z0-9_:]*");
                assertThat(values.put(parts[0], Double.parseDouble(parts[1]))).isNull();
            }
        }
        for (String name : List.of(
                "prompt_tokens_total",
                "prompt_seconds_total",
                "prompt_tokens_seconds",
                "tokens_predicted_total",
                "tokens_predicted_seconds_total",
                "predicted_tokens_seconds",
                "requests_processing",
                "requests_deferred",
                "n_tokens_max",
                "n_decode_total",
                "n_busy_slots_per_decode")) {
            assertThat(values).containsKey("llamacpp:" + name);
        }
        assertThat(values.get("llamacpp:n_tokens_max")).isBetween(3.0, 1024.0);
        assertThat(values.get("llamacpp:n_busy_slots_per_decode")).isBetween(1.0, 2.0);
    }

    @Test
    void slotsHaveTheFieldsOfLlamaServer() {
        SERVER.post(TEXT, "{\"prompt\":\"harbor, n.\",\"max_tokens\":3}");
        List<?> slots = list(SERVER.get("/slots"));
        assertThat(slots)
                .hasSize(2)
                .allSatisfy(
                        slot -> assertThat(((Map<?, ?>) slot).keySet().stream().map(String::valueOf))
                                .containsExactlyInAnyOrder(
                                        "id",
                                        "id_task",
                                        "speculative",
                                        "is_processing",
                                        "state",
                                        "n_ctx",
                                        "n_past",
                                        "n_prompt_tokens",
                                        "n_prompt_tokens_processed",
                                        "n_prompt_tokens_cache",
                                        "n_decoded",
                                        "next_token"));
        assertThat(slots)
                .anySatisfy(slot -> assertThat((List<?>) field(slot, "next_token"))
                        .isEqualTo(List.of(Map.of("has_next_token", false, "n_remain", 0L, "n_decoded", 3L))));
    }

    @Test
    void memoryIsThatOfThePlan() {
        SERVER.post(VECTORS, "{\"input\":\"" + "harbor ".repeat(50) + "\"}");
        Reply status = SERVER.get("/stowage/status");
        for (String kind : List.of("weights", "cache", "compute")) {
            assertThat(status.at("memory", 0, kind)).as(kind).isEqualTo(status.at("memory", 0, "planned", kind));
        }
    }
}
