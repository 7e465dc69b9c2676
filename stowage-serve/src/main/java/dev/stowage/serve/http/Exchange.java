package dev.stowage.serve.http;

import dev.stowage.serve.wire.ApiError;
import dev.stowage.serve.wire.Json;
import dev.stowage.serve.wire.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/** A request and its answer. Reading and writing block the thread, which is a virtual one of this exchange alone. */
public final class Exchange implements AutoCloseable {

    private final Request request;
    private final Response response;
    private final BodyBudget.Body body;
    private boolean abandoned;

    Exchange(Request request, Response response, BodyBudget bodies) {
        this.request = request;
        this.response = response;
        this.body = bodies.open();
    }

    public String method() {
        return request.getMethod();
    }

    /** The path, decoded and without the query. */
    public String path() {
        return Request.getPathInContext(request);
    }

    /** A header of the request. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(request.getHeaders().get(name));
    }

    /** Whether the request came over TLS, by a proxy's word or its own. */
    boolean isSecure() {
        return request.isSecure();
    }

    /**
     * The body, which is JSON whatever its type is said to be. A large one keeps other large ones waiting until {@link
     * #understood()} or the answer.
     *
     * @throws ApiError if it is too long, compressed, or not an object
     * @throws IOException if the client is gone, or too slow
     */
    public JsonObject json() throws IOException {
        if (!header("Content-Encoding").orElse("identity").equalsIgnoreCase("identity")) {
            throw ApiError.unsupportedEncoding("bodies are taken as they are, without a Content-Encoding");
        }
        return Json.parse(body.read(Content.Source.asInputStream(request), request.getLength()));
    }

    /** Nothing large is made of the body any more, so that the next can be worked on. */
    public void understood() {
        body.endTurn();
    }

    /** Adds a header to the response. */
    public Exchange withHeader(String name, String value) {
        response.getHeaders().put(name, value);
        return this;
    }

    /** Answers with JSON. */
    public void respond(Object json) throws IOException {
        respond(200, "application/json; charset=utf-8", Json.bytes(json));
    }

    /** Answers with text of a type. */
    public void respond(String type, String text) throws IOException {
        respond(200, type, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Answers without a body. */
    void respondEmpty(int status) throws IOException {
        response.setStatus(status);
        Content.Sink.write(response, true, ByteBuffer.allocate(0));
    }

    private void respond(int status, String type, byte[] bytes) throws IOException {
        understood();
        response.setStatus(status);
        withHeader(HttpHeader.CONTENT_TYPE.asString(), type);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.length);
        Content.Sink.write(response, true, ByteBuffer.wrap(bytes));
    }

    /** Answers with an error, unless an answer has begun; says whether it did. */
    boolean fail(ApiError error) throws IOException {
        if (response.isCommitted()) {
            return false;
        }
        if (error.endsConnection()) {
            abandoned = true;
            withHeader(HttpHeader.CONNECTION.asString(), HttpHeaderValue.CLOSE.asString());
        }
        if (error.status() == 429) {
            withHeader("Retry-After", "1");
        }
        respond(error.status(), "application/json; charset=utf-8", Json.bytes(error.json()));
        return true;
    }

    /** Answers with events from now on. */
    public EventStream events() {
        response.setStatus(200);
        withHeader(HttpHeader.CONTENT_TYPE.asString(), "text/event-stream");
        withHeader("Cache-Control", "no-cache");
        // Proxies must not collect events.
        withHeader("X-Accel-Buffering", "no");
        return new EventStream(response);
    }

    /**
     * Reads what is left of the body and forgets it: a connection that is closed before the client has sent everything is
     * reset, and a reset can overtake the answer. Does nothing for a client that waits to be told to send the body.
     */
    void discardRest(Duration atMost) throws IOException {
        if (abandoned || request.getHeaders().contains(HttpHeader.EXPECT)) {
            return;
        }
        long start = System.nanoTime();
        byte[] piece = new byte[16 << 10];
        InputStream in = Content.Source.asInputStream(request);
        while (System.nanoTime() - start < atMost.toNanos() && in.read(piece) >= 0) {}
    }

    /**
     * Has something done if the client goes away.
     *
     * @return ends the watch; to be closed before the answer is complete
     */
    public PeerWatch onGone(Runnable action) {
        EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
        return endPoint instanceof WatchedEndPoint watched ? PeerWatch.start(watched, action) : PeerWatch.none();
    }

    @Override
    public void close() {
        body.close();
    }
}
