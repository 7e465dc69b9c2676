package dev.stowage.serve.http;

import dev.stowage.serve.wire.ApiError;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/** Finds what answers a request by its method and path. To be filled before it is used. */
public final class Router {

    /** Answers requests. */
    @FunctionalInterface
    public interface Route {
        /**
         * Answers a request.
         *
         * @throws ApiError if it is to be answered with an error
         * @throws IOException if the client is gone
         * @throws InterruptedException if the server ends meanwhile
         */
        void answer(Exchange exchange) throws IOException, InterruptedException;
    }

    private record Entry(String method, boolean open, Route route) {}

    private final Access access;
    private final Map<String, Entry> entries = new TreeMap<>();

    public Router(Access access) {
        this.access = access;
    }

    /** Adds a route that needs a key, where there are keys. */
    public Router add(String method, String path, Route route) {
        entries.put(path, new Entry(method, false, route));
        return this;
    }

    /** Adds a route that everybody may use who reaches the server. */
    public Router addOpen(String method, String path, Route route) {
        entries.put(path, new Entry(method, true, route));
        return this;
    }

    void answer(Exchange exchange) throws IOException, InterruptedException {
        access.admitOrigin(exchange);
        Entry entry = entries.get(exchange.path());
        if (exchange.method().equals("OPTIONS")) {
            // What browsers ask before a page may send a request.
            exchange.withHeader("Access-Control-Allow-Methods", "GET, POST")
                    .withHeader("Access-Control-Allow-Headers", "*, Authorization")
                    .withHeader("Access-Control-Max-Age", "600")
                    .respondEmpty(204);
            return;
        }
        if (entry == null) {
            throw ApiError.notFound("there is nothing at this path; there are " + String.join(", ", entries.keySet()));
        }
        boolean matches = exchange.method().equals(entry.method)
                || (exchange.method().equals("HEAD") && entry.method.equals("GET"));
        if (!matches) {
            exchange.withHeader("Allow", entry.method);
            throw ApiError.wrongMethod("this path takes " + entry.method + " requests only");
        }
        if (!entry.open) {
            access.requireKey(exchange);
        }
        entry.route.answer(exchange);
    }
}
