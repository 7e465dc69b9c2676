package dev.stowage.serve;

import dev.stowage.device.DeviceRegistry;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.internal.json.JsonValue;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.engine.EngineStatus.SlotState;
import dev.stowage.llm.fit.DevicePlan;
import dev.stowage.llm.sampling.SamplingOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A server of the small model, and a client that is not ours. */
final class TestServer implements AutoCloseable {

    private static final Pattern END_OF_EVENT = Pattern.compile("\n\n");

    private final LanguageModel model;
    private final StowageServer server;
    private final HttpClient client = HttpClient.newHttpClient();

    private TestServer(LanguageModel model, StowageServer server) {
        this.model = model;
        this.server = server;
    }

    static TestServer start(int slots, int context) {
        return start(slots, context, UnaryOperator.identity());
    }

    static TestServer start(int slots, int context, UnaryOperator<ServeOptions> change) {
        return start(lexicon(), slots, context, change);
    }

    /** A server of a small embedding model, which belongs to the tests of another module. */
    static TestServer ofEmbeddings() {
        Path file = Path.of("../stowage-llm/src/test/resources/dev/stowage/llm/encoders/tiny-bert-mean.gguf");
        return start(file, 2, 1024, UnaryOperator.identity());
    }

    private static TestServer start(Path file, int slots, int context, UnaryOperator<ServeOptions> change) {
        List<DevicePlan> plans = new ArrayList<>();
        LoadListener listener = new LoadListener() {
            @Override
            public void placed(Supplier<DevicePlan> plan) {
                plans.add(plan.get());
            }

            @Override
            public void loaded(long done, long all) {}
        };
        ModelOptions options = ModelOptions.defaults()
                .withDevices(List.of(DeviceRegistry.load().device("cpu")))
                .withSequences(slots)
                .withContext(context)
                .withBatch(64);
        LanguageModel model = LanguageModel.open(file, options, listener);
        try {
            ServeOptions serving = change.apply(ServeOptions.defaults()
                    .withPort(0)
                    .withPlan(plans.getFirst())
                    .withSampling(SamplingOptions.greedy()));
            return new TestServer(model, StowageServer.start(model, serving));
        } catch (IOException e) {
            model.close();
            throw new UncheckedIOException(e);
        }
    }

    static Path lexicon() {
        try {
            return Path.of(Objects.requireNonNull(TestServer.class.getResource("/lexicon-5m-f16.gguf"))
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    LanguageModel model() {
        return model;
    }

    StowageServer server() {
        return server;
    }

    /**
     * A connection of somebody who writes requests by hand.
     *
     * @param buffer how many bytes the system keeps for a slow reader; 0 for as many as it likes
     */
    Socket connect(int buffer) throws IOException {
        Socket socket = new Socket();
        if (buffer > 0) {
            socket.setReceiveBufferSize(buffer);
        }
        socket.connect(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), server.address().getPort()));
        return socket;
    }

    /** Looks again and again until something holds, and fails after a minute. */
    static void await(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > Duration.ofMinutes(1).toNanos()) {
                throw new AssertionError("what was waited for did not happen in a minute");
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Whether no slot has a request. */
    boolean isFree() {
        return server.engine().status().slots().stream().allMatch(slot -> slot.state() == SlotState.IDLE);
    }

    /** The threads of servers; those of clients and of the compiler are not ours. */
    static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("stowage"))
                .toList();
    }

    URI uri(String path) {
        return URI.create(server.address() + path);
    }

    /** A response, and its body as JSON where it is that. */
    record Reply(int status, HttpResponse<String> response) {

        String text() {
            return response.body();
        }

        /** What is at a place of its JSON, by names and numbers: a string, a number, a list, a map, or null. */
        @Nullable
        Object at(Object... path) {
            return TestServer.at(text(), path);
        }

        String error() {
            return String.valueOf(at("error", "message"));
        }
    }

    Reply send(HttpRequest request) {
        try {
            HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
            return new Reply(response.statusCode(), response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(uri(path));
    }

    Reply get(String path) {
        return send(request(path).build());
    }

    Reply post(String path, String body) {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build());
    }

    /** What is at a place of a text in JSON. */
    static @Nullable Object at(String json, Object... path) {
        Object value = plain(JsonReader.parse(json));
        for (Object step : path) {
            value = value instanceof List<?> list && step instanceof Integer index
                    ? list.get(index)
                    : ((Map<?, ?>) Objects.requireNonNull(value, () -> step + " of nothing in " + json)).get(step);
        }
        return value;
    }

    private static @Nullable Object plain(JsonValue value) {
        return switch (value) {
            case JsonValue.JsonObject(var members) -> {
                Map<String, @Nullable Object> map = new LinkedHashMap<>();
                members.forEach((name, each) -> map.put(name, plain(each)));
                yield map;
            }
            case JsonValue.JsonArray(var elements) -> {
                List<@Nullable Object> list = new ArrayList<>();
                elements.forEach(each -> list.add(plain(each)));
                yield list;
            }
            case JsonValue.JsonString(var text) -> text;
            case JsonValue.JsonLong(var number) -> number;
            case JsonValue.JsonDouble(var number) -> number;
            case JsonValue.JsonBoolean(var flag) -> flag;
            case JsonValue.JsonNull() -> null;
        };
    }

    /** The data of the events of a stream. */
    static List<String> events(Reply reply) {
        List<String> data = new ArrayList<>();
        for (String event : END_OF_EVENT.splitAsStream(reply.text()).toList()) {
            if (!event.startsWith("data: ") || event.contains("\n")) {
                throw new AssertionError("not an event: " + event);
            }
            data.add(event.substring("data: ".length()));
        }
        return data;
    }

    @Override
    public void close() {
        server.close();
        model.close();
        client.close();
    }
}
