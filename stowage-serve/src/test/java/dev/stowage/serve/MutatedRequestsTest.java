package dev.stowage.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.serve.TestServer.Reply;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Requests of every kind with bytes and values changed at random: each is answered, or refused with a message.
 * {@code -Dstowage.mutations=100000} has that many.
 */
@Timeout(3600)
class MutatedRequestsTest {

    private static final int MUTATIONS = Integer.getInteger("stowage.mutations", 2000);
    private static final int CLIENTS = 8;

    private static final String TEMPLATE = "{% for tool in tools %}{{ tool | tojson }}{% endfor %}<tool_call>"
            + "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}";

    private record Sample(String path, String body) {}

    private static final List<Sample> SAMPLES = List.of(
            new Sample(
                    "/v1/chat/completions",
                    "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"be brief\"},{\"role\":\"user\","
                            + "\"content\":[{\"type\":\"text\",\"text\":\"harbor\"}]}],\"max_tokens\":1,\"temperature\":0.5,"
                            + "\"top_p\":0.9,\"top_k\":40,\"min_p\":0.05,\"seed\":1,\"stop\":[\"x\",\"yz\"],\"n\":1,"
                            + "\"logprobs\":true,\"top_logprobs\":2,\"frequency_penalty\":0.1,\"presence_penalty\":-0.1,"
                            + "\"logit_bias\":{\"5\":1.5},\"user\":\"u\",\"response_format\":{\"type\":\"text\"}}"),
            new Sample(
                    "/v1/chat/completions",
                    "{\"messages\":[{\"role\":\"user\",\"content\":\"harbor\"},{\"role\":\"assistant\",\"content\":null},"
                            + "{\"role\":\"tool\",\"content\":\"7\"}],\"stream\":true,\"stream_options\":{\"include_usage\":true},"
                            + "\"max_completion_tokens\":1,\"repeat_penalty\":1.1,\"repeat_last_n\":-1,\"cache_prompt\":false}"),
            new Sample(
                    "/v1/completions",
                    "{\"prompt\":\"harbor, n.\",\"max_tokens\":1,\"logprobs\":2,\"echo\":false,\"best_of\":1,\"stop\":\"\\n\"}"),
            new Sample(
                    "/v1/chat/completions",
                    "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"max_tokens\":2,\"response_format\":{\"type\":"
                            + "\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":{\"type\":\"object\",\"properties\":"
                            + "{\"a\":{\"type\":\"integer\",\"minimum\":1},\"b\":{\"enum\":[\"x\",null]}}}}}}"),
            new Sample(
                    "/v1/chat/completions",
                    "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\","
                            + "\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\","
                            + "\"tool_call_id\":\"c\",\"content\":\"7\"}],\"max_tokens\":1,\"tool_choice\":\"required\",\"tools\":"
                            + "[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"description\":\"d\",\"parameters\":"
                            + "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}}}],\"parallel_tool_calls\":true}"),
            new Sample(
                    "/v1/completions",
                    "{\"prompt\":\"a\",\"max_tokens\":2,\"grammar\":\"root ::= [a-z]+ (\\\"x\\\" | b)\\nb ::= \\\"y\\\"*\"}"),
            new Sample(
                    "/v1/completions", "{\"prompt\":[5,300,301],\"max_tokens\":1,\"ignore_eos\":true,\"n_predict\":1}"),
            new Sample(
                    "/v1/embeddings",
                    "{\"input\":[\"harbor\",\"ship\"],\"encoding_format\":\"base64\",\"dimensions\":null}"),
            new Sample("/v1/embeddings", "{\"input\":[[5,6],[7]],\"encoding_format\":\"float\"}"),
            new Sample("/tokenize", "{\"content\":\"harbor, n.\",\"add_special\":true,\"with_pieces\":true}"),
            new Sample("/detokenize", "{\"tokens\":[5,300,301]}"),
            new Sample("/apply-template", "{\"messages\":[{\"role\":\"user\",\"content\":\"harbor\"}]}"));

    /** What is put in place of a value. */
    private static final List<String> VALUES = List.of(
            "null",
            "true",
            "-1",
            "0",
            "1e400",
            "-1e400",
            "9223372036854775808",
            "2147483648",
            "-2147483649",
            "0.5",
            "\"\"",
            "\"\\u0000\"",
            "\"\\ud800\"",
            "[]",
            "{}",
            "[[[[]]]]",
            "[null]",
            "{\"a\":{}}",
            "\"" + "long ".repeat(200) + "\"",
            "[1,\"a\",null]");

    private static byte[] mutated(String body, Random random) {
        if (random.nextInt(2) == 0) {
            return withOtherValues(body, random).getBytes(StandardCharsets.UTF_8);
        }
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes && bytes.length > 0; i++) {
            bytes = changed(bytes, random);
        }
        return bytes;
    }

    private static byte[] changed(byte[] bytes, Random random) {
        int at = random.nextInt(bytes.length);
        int length = Math.min(bytes.length - at, 1 + random.nextInt(12));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(bytes, 0, at);
        switch (random.nextInt(5)) {
            case 0 -> {
                out.write(random.nextInt(256));
                out.write(bytes, at + 1, bytes.length - at - 1);
            }
            case 1 -> out.write(bytes, at + length, bytes.length - at - length);
            case 2 -> {
                out.write(bytes, at, length);
                out.write(bytes, at, bytes.length - at);
            }
            case 3 -> {
                out.write("[]{}\",:0123456789eE-+.\\tfn".charAt(random.nextInt(26)));
                out.write(bytes, at, bytes.length - at);
            }
            default -> {}
        }
        return out.toByteArray();
    }

    /** The text with one or two of its values replaced. */
    private static String withOtherValues(String body, Random random) {
        String changed = body;
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            List<Integer> starts = new ArrayList<>();
            for (int at = 0; at < changed.length() - 1; at++) {
                if (changed.charAt(at) == ':' || (changed.charAt(at) == '[' && changed.charAt(at + 1) != ']')) {
                    starts.add(at + 1);
                }
            }
            if (starts.isEmpty()) {
                return changed;
            }
            int start = starts.get(random.nextInt(starts.size()));
            int end = endOfValue(changed, start);
            changed = changed.substring(0, start) + VALUES.get(random.nextInt(VALUES.size())) + changed.substring(end);
        }
        return changed;
    }

    private static int endOfValue(String text, int start) {
        int depth = 0;
        boolean quoted = false;
        for (int at = start; at < text.length(); at++) {
            char c = text.charAt(at);
            if (quoted) {
                at += c == '\\' ? 1 : 0;
                quoted = c != '"';
            } else if (c == '"') {
                quoted = true;
            } else if (c == '[' || c == '{') {
                depth++;
            } else if ((c == ']' || c == '}' || c == ',') && depth == 0) {
                return at;
            } else if (c == ']' || c == '}') {
                depth--;
            }
        }
        return text.length();
    }

    private static Map<Integer, Integer> send(TestServer server, long seed, int count) {
        Map<Integer, Integer> statuses = new TreeMap<>();
        Random random = new Random(seed);
        for (int i = 0; i < count; i++) {
            Sample sample = SAMPLES.get(random.nextInt(SAMPLES.size()));
            byte[] body = mutated(sample.body(), random);
            Reply reply = server.send(server.request(sample.path())
                    .POST(BodyPublishers.ofByteArray(body))
                    .timeout(Duration.ofMinutes(2))
                    .build());
            String about = sample.path() + ", seed " + seed + ", request " + i + ": "
                    + new String(body, StandardCharsets.UTF_8) + " gives " + reply.text();
            statuses.merge(reply.status(), 1, Integer::sum);
            if (reply.status() != 200) {
                assertThat(reply.status()).as(about).isBetween(400, 499);
                assertThat(reply.error()).as(about).hasSizeGreaterThan(10).doesNotContain("Exception");
                assertThat(reply.at("error", "code")).as(about).isEqualTo((long) reply.status());
            }
        }
        return statuses;
    }

    @Test
    void everyRequestIsAnsweredOrRefusedWithAMessage() throws Exception {
        try (TestServer server = TestServer.start(
                        4,
                        128,
                        options -> options.withTimeLimit(Duration.ofSeconds(20))
                                .withTemplate(ChatTemplate.jinja(TEMPLATE, Map.of())));
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<Map<Integer, Integer>>> all = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                long seed = client;
                all.add(threads.submit(() -> send(server, seed, MUTATIONS / CLIENTS)));
            }
            Map<Integer, Integer> statuses = new TreeMap<>();
            for (Future<Map<Integer, Integer>> each : all) {
                each.get().forEach((status, count) -> statuses.merge(status, count, Integer::sum));
            }
            System.out.println("answers to " + MUTATIONS + " mutated requests, by status: " + statuses);
            assertThat(statuses).as("most are refused").containsKeys(200, 400);
            assertThat(server.post("/tokenize", "{\"content\":\"" + Arrays.toString(new int[2]) + "\"}")
                            .status())
                    .isEqualTo(200);
            assertThat(server.server().engine().status().counters().failed()).isZero();
        }
    }
}
