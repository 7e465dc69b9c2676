package dev.stowage.serve.http;

import dev.stowage.serve.wire.ApiError;
import dev.stowage.serve.wire.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;

/** Server-sent events, each sent at once. Sending blocks while the client is slow, and fails when it is too slow or gone. */
public final class EventStream {

    private final Response response;

    EventStream(Response response) {
        this.response = response;
    }

    /** Sends an event with JSON. */
    public void send(Object json) throws IOException {
        write(Json.text(json), false);
    }

    /** Sends what clients take for the end, and ends. */
    public void done() throws IOException {
        write("[DONE]", true);
    }

    /** Sends an error in place of the rest, and ends. */
    public void fail(ApiError error) throws IOException {
        write(Json.text(error.json()), true);
    }

    private void write(String data, boolean last) throws IOException {
        Content.Sink.write(
                response, last, ByteBuffer.wrap(("data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8)));
    }
}
