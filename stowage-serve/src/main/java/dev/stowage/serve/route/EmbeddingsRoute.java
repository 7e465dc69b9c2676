package dev.stowage.serve.route;

import dev.stowage.error.StowageException;
import dev.stowage.serve.http.Exchange;
import dev.stowage.serve.http.PeerWatch;
import dev.stowage.serve.http.Router;
import dev.stowage.serve.wire.ApiError;
import dev.stowage.serve.wire.EmbeddingsRequest;
import dev.stowage.serve.wire.Json;
import dev.stowage.serve.wire.TextInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** {@code /v1/embeddings}: vectors of texts. */
public final class EmbeddingsRoute implements Router.Route {

    private final Served served;

    public EmbeddingsRoute(Served served) {
        this.served = served;
    }

    @Override
    public void answer(Exchange exchange) throws IOException, InterruptedException {
        EmbeddingsRequest request = EmbeddingsRequest.read(exchange.json());
        int width = served.model().blueprint().shape().width();
        if (request.dimensions().isPresent() && request.dimensions().get() != width) {
            throw ApiError.invalid(
                    "dimensions",
                    "'dimensions' must be " + width + ", not "
                            + request.dimensions().get() + ": vectors of this model cannot be shortened");
        }
        List<int[]> texts = new ArrayList<>();
        for (TextInput input : request.inputs()) {
            texts.add(Prompts.plain(input, served.model().tokenizer()));
        }
        exchange.understood();
        List<Object> data = new ArrayList<>();
        PeerWatch watch = exchange.onGone(Thread.currentThread()::interrupt);
        try (watch) {
            for (int[] text : texts) {
                data.add(Json.object(
                        "object",
                        "embedding",
                        "index",
                        data.size(),
                        "embedding",
                        request.base64() ? base64(vector(text)) : vector(text)));
            }
        } catch (InterruptedException e) {
            throw watch.isGone() ? ApiError.gone() : ApiError.unavailable("the server is stopping");
        }
        int tokens = texts.stream().mapToInt(text -> text.length).sum();
        exchange.respond(Json.object(
                "object",
                "list",
                "data",
                data,
                "model",
                served.name(),
                "usage",
                Json.object("prompt_tokens", tokens, "total_tokens", tokens)));
    }

    private float[] vector(int[] tokens) throws InterruptedException {
        try {
            return served.engine().embed(tokens, served.pooling());
        } catch (StowageException e) {
            throw ApiError.of(e);
        }
    }

    private static String base64(float[] vector) {
        ByteBuffer bytes = ByteBuffer.allocate(Float.BYTES * vector.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(vector);
        return Base64.getEncoder().encodeToString(bytes.array());
    }
}
