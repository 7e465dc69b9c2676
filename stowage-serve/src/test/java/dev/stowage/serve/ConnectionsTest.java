package dev.stowage.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.llm.engine.EngineOptions;
import dev.stowage.llm.engine.EngineStatus.SlotState;
import dev.stowage.serve.TestServer.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that go away, are slow, are too many, or may not come in; and the end of a server. */
@Timeout(300)
class ConnectionsTest {

    private static final String CHAT = "/v1/chat/completions";

    /** A text that goes on and on. */
    private static String endless(int tokens, boolean stream) {
        return "{\"messages\":[{\"role\":\"user\",\"content\":\"harbor, n.\"}],\"ignore_eos\":true,\"max_tokens\":"
                + tokens + ",\"stream\":" + stream + "}";
    }

    private static Socket open(TestServer server, String body) throws IOException {
        Socket socket = server.connect(0);
        socket.getOutputStream().write(request(body));
        socket.getOutputStream().flush();
        return socket;
    }

    private static byte[] request(String body) {
        return ("POST " + CHAT + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Reads until a text has come. */
    private static String readUntil(InputStream in, String text) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(text) < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the end came before '" + text + "': " + read);
            }
            read.append((char) next);
        }
        return read.toString();
    }

    @Test
    void aClientThatGoesAwayFreesItsSlot() throws IOException {
        try (TestServer server = TestServer.start(1, 4096)) {
            for (boolean stream : new boolean[] {true, false}) {
                try (Socket socket = open(server, endless(4000, stream))) {
                    if (stream) {
                        readUntil(socket.getInputStream(), "data: ");
                    } else {
                        TestServer.await(() -> !server.isFree());
                    }
                }
                TestServer.await(() -> server.isFree());
                long generated = server.server().engine().status().counters().generatedTokens();
                assertThat(generated).as("stream %s", stream).isLessThan(4000);
                assertThat(server.post(CHAT, endless(1, false)).status()).isEqualTo(200);
            }
        }
    }

    /** One that only closes its side cannot be told from one that goes away, but it may still read why. */
    @Test
    void aClientThatClosesItsSideBeforeTheAnswerIsToldSo() throws IOException {
        try (TestServer server = TestServer.start(1, 4096);
                Socket socket = open(server, endless(4000, false))) {
            TestServer.await(() -> !server.isFree());
            socket.shutdownOutput();
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 400 ")
                    .contains("the client closed its side of the connection");
            TestServer.await(server::isFree);
        }
    }

    @Test
    void aBodyThatIsCompressedIsRefused() {
        try (TestServer server = TestServer.start(1, 256)) {
            Reply reply = server.send(server.request(CHAT)
                    .header("Content-Encoding", "gzip")
                    .POST(HttpRequest.BodyPublishers.ofString(endless(1, false)))
                    .build());
            assertThat(reply.status()).isEqualTo(415);
            assertThat(reply.error()).contains("Content-Encoding");
        }
    }

    @Test
    void aClientThatGoesAwayInTheQueueIsForgotten() throws IOException {
        try (TestServer server = TestServer.start(1, 4096);
                Socket running = open(server, endless(4000, true))) {
            readUntil(running.getInputStream(), "data: ");
            Socket waiting = open(server, endless(4000, true));
            TestServer.await(() -> server.server().engine().status().queued() == 1);
            waiting.close();
            TestServer.await(() -> server.server().engine().status().queued() == 0);
            assertThat(server.server().engine().status().counters().finished()).isEqualTo(1);
        }
    }

    /** Over one connection, the next request before the answer to the one before. */
    @Test
    void requestsThatComeBeforeTheirTurnAreAnsweredInTheirOrder() throws IOException {
        try (TestServer server = TestServer.start(1, 1024);
                Socket socket = server.connect(0)) {
            OutputStream out = socket.getOutputStream();
            out.write(request(endless(60, false)));
            TestServer.await(() -> !server.isFree());
            // More than is read at once while somebody looks whether the client is still there.
            String long1 = " ".repeat(20_000);
            for (int i = 1; i <= 3; i++) {
                out.write(request(long1 + endless(i, false)));
            }
            for (int tokens : new int[] {60, 1, 2, 3}) {
                assertThat(readUntil(socket.getInputStream(), "\"timings\""))
                        .contains("\"completion_tokens\":" + tokens);
            }
        }
    }

    /** Such clients are the rule: they look at the answer when they have sent everything. */
    @Test
    void aClientThatSendsAllBeforeItReadsSeesWhyItIsRefused() throws IOException {
        try (TestServer server = TestServer.start(1, 1024)) {
            for (String line : List.of("POST " + CHAT + " ", "POST /nothing ", "DELETE " + CHAT + " ")) {
                byte[] piece = new byte[1 << 20];
                int pieces = 9;
                try (Socket socket = server.connect(0)) {
                    OutputStream out = socket.getOutputStream();
                    out.write((line + "HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + pieces * piece.length
                                    + "\r\n\r\n")
                            .getBytes(StandardCharsets.UTF_8));
                    for (int i = 0; i < pieces; i++) {
                        out.write(piece);
                    }
                    assertThat(readUntil(socket.getInputStream(), "\"error\""))
                            .as(line)
                            .matches("(?s)HTTP/1.1 4(13|04|05) .*");
                }
            }
            TestServer.await(() -> server.isFree());
        }
    }

    /** Also where it is Jetty that refuses, and closes the connection: before it does, it says so. */
    @Test
    void aHeadThatIsTooLongIsRefusedWhileItsClientStillSends() throws IOException {
        try (TestServer server = TestServer.start(1, 1024)) {
            String long1 = "x".repeat(40_000);
            for (String head :
                    List.of("POST /" + long1 + " HTTP/1.1\r\n", "POST /x HTTP/1.1\r\nX-Long: " + long1 + "\r\n")) {
                byte[] body = new byte[8 << 20];
                try (Socket socket = server.connect(0)) {
                    OutputStream out = socket.getOutputStream();
                    out.write((head + "Host: localhost\r\nContent-Length: " + body.length + "\r\n\r\n")
                            .getBytes(StandardCharsets.UTF_8));
                    out.write(body);
                    assertThat(readUntil(socket.getInputStream(), "\"error\""))
                            .matches("(?s)HTTP/1.1 4(14|31) .*")
                            .contains("Connection: close");
                }
            }
        }
    }

    /** As over a slow network, or where the client first asked whether it should send the body. */
    @Test
    void aShortBodyMayComeLate() throws Exception {
        try (TestServer server = TestServer.start(1, 256);
                Socket socket = server.connect(0)) {
            byte[] request = request(endless(1, false));
            int head = new String(request, StandardCharsets.UTF_8).indexOf("\r\n\r\n") + 4;
            OutputStream out = socket.getOutputStream();
            for (int sent = 0; sent < request.length; ) {
                int count = Math.min(request.length - sent, sent < head ? head : 10);
                out.write(request, sent, count);
                out.flush();
                sent += count;
                Thread.sleep(120);
            }
            assertThat(readUntil(socket.getInputStream(), "\"timings\"")).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void aBodyThatNeverComesIsRefused() throws IOException {
        try (TestServer server = TestServer.start(1, 256, options -> options.withIdle(Duration.ofMillis(300)));
                Socket socket = server.connect(0)) {
            socket.getOutputStream()
                    .write(("POST " + CHAT + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{")
                            .getBytes(StandardCharsets.UTF_8));
            assertThat(readUntil(socket.getInputStream(), "too slowly"))
                    .startsWith("HTTP/1.1 408 ")
                    .contains("Connection: close");
            TestServer.await(server::isFree);
        }
    }

    /** One that asks first whether it should send the body is told so, and nothing is read. */
    @Test
    void aClientThatAsksFirstIsRefusedBeforeItSends() throws IOException {
        try (TestServer server = TestServer.start(1, 1024);
                Socket socket = server.connect(0)) {
            socket.getOutputStream()
                    .write(("POST " + CHAT + " HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: "
                                    + (9 << 20) + "\r\n\r\n")
                            .getBytes(StandardCharsets.UTF_8));
            assertThat(readUntil(socket.getInputStream(), "\"error\"")).startsWith("HTTP/1.1 413 ");
        }
    }

    @Test
    void requestsThatComeTogetherAreAnsweredInTurn() throws IOException {
        try (TestServer server = TestServer.start(2, 1024);
                Socket socket = open(server, endless(200, false))) {
            TestServer.await(() -> !server.isFree());
            socket.getOutputStream().write(request(endless(3, false)));
            socket.getOutputStream().flush();
            String first = readUntil(socket.getInputStream(), "\"timings\"");
            assertThat(first).contains("\"completion_tokens\":200");
            assertThat(readUntil(socket.getInputStream(), "\"timings\"")).contains("\"completion_tokens\":3");
        }
    }

    @Test
    void aSilentConnectionIsClosedAndALongAnswerIsNot() throws IOException {
        try (TestServer server = TestServer.start(1, 4096, options -> options.withIdle(Duration.ofMillis(300)))) {
            try (Socket socket = server.connect(0)) {
                socket.getOutputStream().write("POST /v1/chat".getBytes(StandardCharsets.UTF_8));
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .as("closed, perhaps with an error")
                        .doesNotContain("200 OK");
            }
            Reply reply = server.post(CHAT, endless(1500, false));
            assertThat(reply.at("usage", "completion_tokens")).isEqualTo(1500L);
        }
    }

    @Test
    void aReaderThatStopsIsLetGo() throws IOException {
        try (TestServer server = TestServer.start(1, 65536, options -> options.withIdle(Duration.ofMillis(300)))) {
            try (Socket socket = server.connect(1024)) {
                // With probabilities every token is a few kilobytes, which soon fill the buffers of the system.
                String body =
                        endless(60000, true).replace("\"stream\"", "\"logprobs\":true,\"top_logprobs\":20,\"stream\"");
                socket.getOutputStream().write(request(body));
                TestServer.await(() -> !server.isFree());
                TestServer.await(() -> server.isFree());
            }
            assertThat(server.server().engine().status().counters().generatedTokens())
                    .isLessThan(60000);
        }
    }

    @Test
    void aKeyIsAskedForWhereThereIsOne() {
        try (TestServer server = TestServer.start(1, 256, options -> options.withKeys(List.of("one", "two")))) {
            assertThat(server.get("/health").status()).isEqualTo(200);
            assertThat(server.get("/").status()).isEqualTo(200);
            Reply without = server.get("/v1/models");
            assertThat(without.status()).isEqualTo(401);
            assertThat(without.at("error", "type")).isEqualTo("authentication_error");
            for (String path : List.of("/slots", "/props", "/metrics", "/stowage/status", "/stowage/plan.svg")) {
                assertThat(server.get(path).status()).as(path).isEqualTo(401);
            }
            assertThat(server.send(keyed(server, "Bearer three")).status()).isEqualTo(401);
            assertThat(server.send(keyed(server, "two")).status()).isEqualTo(401);
            assertThat(server.send(keyed(server, "Bearer two")).status()).isEqualTo(200);
        }
    }

    private static HttpRequest keyed(TestServer server, String value) {
        return server.request("/v1/models").header("Authorization", value).build();
    }

    @Test
    void aServerOfThisMachineIsNotReachedByAnotherName() throws IOException {
        try (TestServer server = TestServer.start(1, 256);
                Socket socket = server.connect(0)) {
            socket.getOutputStream()
                    .write("GET /v1/models HTTP/1.1\r\nHost: evil.example:80\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.UTF_8));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 403 ");
        }
    }

    @Test
    void moreThanTheQueueTakesIsTurnedAwayForNow() throws IOException {
        try (TestServer server = TestServer.start(
                        1,
                        4096,
                        options -> options.withEngine(EngineOptions.defaults().withQueueLimit(0)));
                Socket running = open(server, endless(4000, true))) {
            readUntil(running.getInputStream(), "data: ");
            Reply reply = server.post(CHAT, endless(1, false));
            assertThat(reply.status()).isEqualTo(429);
            assertThat(reply.at("error", "type")).isEqualTo("rate_limit_error");
            assertThat(reply.response().headers().firstValue("retry-after")).hasValue("1");
        }
    }

    @Test
    void closingWaitsForAnswersOrEndsThem() throws Exception {
        try (TestServer server = TestServer.start(2, 4096);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Reply> answer = threads.submit(() -> server.post(CHAT, endless(100, false)));
            TestServer.await(() -> !server.isFree());
            assertThat(server.server().close(Duration.ofMinutes(2))).isTrue();
            assertThat(answer.get().at("usage", "completion_tokens")).isEqualTo(100L);
        }
        try (TestServer server = TestServer.start(2, 4096);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Reply> whole = threads.submit(() -> server.post(CHAT, endless(1900, false)));
            Future<Reply> stream = threads.submit(() -> server.post(CHAT, endless(1900, true)));
            TestServer.await(() -> server.server().engine().status().slots().stream()
                    .allMatch(slot -> slot.state() == SlotState.GENERATING && slot.generatedTokens() > 1));
            assertThat(server.server().close(Duration.ZERO)).isFalse();
            assertThat(whole.get().status()).isEqualTo(503);
            assertThat(whole.get().error()).contains("the server is stopping");
            List<String> events = TestServer.events(stream.get());
            assertThat(TestServer.at(events.getLast(), "error", "code")).isEqualTo(503L);
        }
    }

    @Test
    void aPortThatIsTakenIsRefused() {
        try (TestServer server = TestServer.start(1, 256)) {
            ServeOptions same =
                    ServeOptions.defaults().withPort(server.server().address().getPort());
            assertThatThrownBy(() -> StowageServer.start(server.model(), same)).isInstanceOf(BindException.class);
        }
    }

    @Test
    void noThreadIsLeftWhenAServerIsClosed() {
        List<String> before = TestServer.threads();
        try (TestServer server = TestServer.start(2, 256)) {
            List<Reply> replies = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                replies.add(server.post(CHAT, endless(3, i % 2 == 0)));
            }
            assertThat(replies).allMatch(reply -> reply.status() == 200);
        }
        TestServer.await(() -> TestServer.threads().size() <= before.size());
    }
}
