package dev.stowage.serve;

import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.engine.Engine;
import dev.stowage.serve.http.Access;
import dev.stowage.serve.http.HttpLimits;
import dev.stowage.serve.http.HttpServer;
import dev.stowage.serve.http.Router;
import dev.stowage.serve.route.ChatRoute;
import dev.stowage.serve.route.EmbeddingsRoute;
import dev.stowage.serve.route.Grammars;
import dev.stowage.serve.route.MetricsRoute;
import dev.stowage.serve.route.ModelsRoute;
import dev.stowage.serve.route.PageRoutes;
import dev.stowage.serve.route.Served;
import dev.stowage.serve.route.StatusRoutes;
import dev.stowage.serve.route.TextRefusal;
import dev.stowage.serve.route.TextRoute;
import dev.stowage.serve.route.TokenRoutes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;

/**
 * A language model over HTTP, with the interface of OpenAI: any number of clients, and one engine that works on their
 * requests together.
 *
 * {@snippet class="dev.stowage.serve.ServeSnippetTest" region="serve"}
 *
 * <p>All methods may be called by any thread. The model must stay open as long as the server, which does not close it.
 */
public final class StowageServer implements AutoCloseable {

    /** How long clients get to read the last of their answers. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final Engine engine;
    private final HttpServer http;
    private final String host;

    private StowageServer(Engine engine, HttpServer http, String host) {
        this.engine = engine;
        this.http = http;
        this.host = host;
    }

    /**
     * Starts serving a model; requests are taken when this returns.
     *
     * @throws IOException if the address cannot be listened on
     * @throws dev.stowage.error.StowageException if there is too little memory, or the chat template cannot be used
     */
    public static StowageServer start(LanguageModel model, ServeOptions options) throws IOException {
        ChatTemplate template = options.template().or(model::chatTemplate).orElseGet(ChatTemplate::raw);
        String name = options.name().orElseGet(() -> model.metadata().text("general.name", "model"));
        boolean local = InetAddress.getByName(options.host()).isLoopbackAddress();
        Engine engine = new Engine(model, options.engine());
        try {
            Served served = new Served(
                    engine,
                    name,
                    options.sampling(),
                    template,
                    options.pooling().orElseGet(engine::pooling),
                    options.timeLimit(),
                    options.plan(),
                    Instant.now(),
                    new Grammars());
            HttpLimits limits = HttpLimits.defaults()
                    .withConnections(options.connections())
                    .withIdle(options.idle())
                    .withBodyBytes(options.bodyBytes(), 8L * options.bodyBytes());
            Router router = routes(served, new Access(options.keys(), options.origins(), local));
            return new StowageServer(
                    engine, HttpServer.start(options.host(), options.port(), router, limits), options.host());
        } catch (IOException | RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    private static Router routes(Served served, Access access) {
        boolean writes = !served.engine().model().blueprint().shape().isEncoder();
        ChatRoute chat = new ChatRoute(served);
        Router.Route refusal = new TextRefusal(served.name());
        EmbeddingsRoute embeddings = new EmbeddingsRoute(served);
        ModelsRoute models = new ModelsRoute(served);
        StatusRoutes status = new StatusRoutes(served);
        TokenRoutes tokens = new TokenRoutes(served);
        PageRoutes page = new PageRoutes(served);
        Router router = new Router(access);
        // As in llama-server, with and without the version.
        for (String version : new String[] {"/v1", ""}) {
            router.add("POST", version + "/chat/completions", writes ? chat : refusal);
            router.add("POST", version + "/completions", writes ? new TextRoute(served) : refusal);
            router.add("POST", version + "/embeddings", embeddings);
            router.add("GET", version + "/models", models);
        }
        return router.addOpen("GET", "/", page::page)
                .addOpen("GET", "/health", status::health)
                .add("GET", "/metrics", new MetricsRoute(served))
                .add("GET", "/props", status::properties)
                .add("GET", "/slots", status::slots)
                .add("POST", "/tokenize", tokens::tokenize)
                .add("POST", "/detokenize", tokens::detokenize)
                .add("POST", "/apply-template", writes ? chat::applyTemplate : refusal)
                .add("GET", "/stowage/status", status::status)
                .add("GET", "/stowage/plan.svg", page::picture)
                .add("GET", "/stowage/plan", page::map);
    }

    /** Where it listens, such as {@code http://127.0.0.1:8080}. */
    public URI address() {
        String name = host.contains(":") ? "[" + host + "]" : host;
        return URI.create("http://" + name + ":" + http.port());
    }

    /** What runs the requests. */
    public Engine engine() {
        return engine;
    }

    /** Takes no more requests, cancels those there are, and gives back memory and threads. Closing twice is fine. */
    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /**
     * Takes no more requests, waits for those there are, cancels what is left after a time, and gives back memory and
     * threads. May be called again meanwhile to wait no longer.
     *
     * @return whether nothing had to be cancelled
     */
    public boolean close(Duration atMost) {
        http.refuse();
        boolean inTime = engine.close(atMost);
        try {
            http.awaitIdle(LAST_WORDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        http.close();
        return inTime;
    }
}
