package dev.stowage.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.engine.EngineStatus;
import dev.stowage.serve.TestServer.Reply;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * 64 clients at once, each with random requests, cancels, garbage and slow reading. {@code -Dstowage.soak=600} goes on for so
 * many seconds.
 */
@Timeout(3600)
class SoakTest {

    private static final int CLIENTS = 64;
    private static final Duration TIME = Duration.ofSeconds(Long.getLong("stowage.soak", 5));

    /** What a client does, and how often: short deeds are many, as what they show takes many connections. */
    private enum Deed {
        WHOLE(2),
        STREAM(2),
        VECTORS(6),
        GONE(5),
        GARBAGE(5),
        REFUSED(9),
        SLOW(1);

        private static final List<Deed> SHARES = Stream.of(values())
                .flatMap(deed -> Collections.nCopies(deed.share, deed).stream())
                .toList();

        private final int share;

        Deed(int share) {
            this.share = share;
        }

        static Deed any(Random random) {
            return SHARES.get(random.nextInt(SHARES.size()));
        }
    }

    private final Map<Deed, Integer> done = new ConcurrentHashMap<>();

    @Test
    void manyClientsLeaveNothingBehind() throws Exception {
        List<String> threadsBefore = TestServer.threads();
        try (TestServer server = TestServer.start(4, 2048)) {
            // What is made once, such as compiled code and kept passes, does not count.
            run(server, Duration.ofSeconds(2), 1000);
            awaitRest(server);
            long heapBefore = heap();
            long computeBefore = server.server().engine().computeBytes(0);
            run(server, TIME, 0);
            awaitRest(server);
            EngineStatus status = server.server().engine().status();
            assertThat(status.counters().failed()).isZero();
            assertThat(server.server().engine().computeBytes(0)).isEqualTo(computeBefore);
            long grown = heap() - heapBefore;
            System.out.println("soak of " + TIME.toSeconds() + " s: " + new TreeMap<>(done) + "; heap " + (grown >> 10)
                    + " KiB larger, " + status.counters().finished() + " requests ended, "
                    + status.counters().generatedTokens() + " tokens");
            assertThat(grown).as("bytes that are left").isLessThan(16L << 20);
            assertThat(server.get("/health").status()).isEqualTo(200);
        }
        TestServer.await(() -> TestServer.threads().size() <= threadsBefore.size());
    }

    private void run(TestServer server, Duration time, int firstSeed) throws Exception {
        long end = System.nanoTime() + time.toNanos();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                Random random = new Random(firstSeed + client);
                all.add(threads.submit(() -> {
                    while (System.nanoTime() < end) {
                        act(server, random);
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
    }

    private void act(TestServer server, Random random) throws IOException {
        Deed deed = Deed.any(random);
        String body = "{\"prompt\":\"" + "ship harbor tensor ".repeat(1 + random.nextInt(20)) + random.nextInt(10)
                + "\",\"temperature\":1,\"ignore_eos\":true,\"max_tokens\":" + (1 + random.nextInt(24)) + ",\"stream\":"
                + (deed == Deed.STREAM || deed == Deed.SLOW || (deed == Deed.GONE && random.nextBoolean())) + "}";
        switch (deed) {
            case WHOLE, STREAM -> {
                Reply reply = server.post("/v1/completions", body);
                assertThat(reply.status()).as(reply.text()).isEqualTo(200);
                if (deed == Deed.STREAM) {
                    assertThat(TestServer.events(reply).getLast()).isEqualTo("[DONE]");
                }
            }
            case VECTORS ->
                assertThat(server.post("/v1/embeddings", "{\"input\":[\"harbor\",\"ship\"]}")
                                .status())
                        .isEqualTo(200);
            case REFUSED ->
                assertThat(server.post("/v1/completions", "{\"prompt\":7}").status())
                        .isEqualTo(400);
            case GARBAGE -> garbage(server, random);
            case GONE -> {
                try (Socket socket = server.connect(0)) {
                    socket.getOutputStream().write(request(body));
                    if (random.nextBoolean()) {
                        socket.getInputStream().read();
                    }
                }
            }
            case SLOW -> slow(server, body);
        }
        done.merge(deed, 1, Integer::sum);
    }

    private static byte[] request(String body) {
        return ("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.UTF_8);
    }

    private static void garbage(TestServer server, Random random) throws IOException {
        byte[] bytes = new byte[1 + random.nextInt(300)];
        random.nextBytes(bytes);
        try (Socket socket = server.connect(0)) {
            socket.getOutputStream().write(random.nextBoolean() ? request("{}") : new byte[0]);
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().write("\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            socket.getInputStream().read();
        } catch (SocketException _) {
            // The server may close the connection while it is still written to.
        }
    }

    private static void slow(TestServer server, String body) throws IOException {
        try (Socket socket = server.connect(1024)) {
            socket.getOutputStream().write(request(body));
            StringBuilder read = new StringBuilder();
            for (int next = socket.getInputStream().read();
                    next >= 0;
                    next = socket.getInputStream().read()) {
                read.append((char) next);
            }
            assertThat(read.toString()).contains("[DONE]");
        }
    }

    private static void awaitRest(TestServer server) {
        TestServer.await(() -> server.server().engine().status().queued() == 0 && server.isFree());
    }

    private static long heap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            least = Math.min(
                    least,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }
}
