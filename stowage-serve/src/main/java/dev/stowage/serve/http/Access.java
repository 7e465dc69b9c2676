package dev.stowage.serve.http;

import dev.stowage.serve.wire.ApiError;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Who may use the server: those who have a key, where there are keys, and of the web pages that a browser shows those of
 * origins that are allowed. Otherwise any page that somebody visits could use the server of their machine.
 *
 * @param keys what clients have to present; empty if none is needed
 * @param origins origins whose pages may use the server beside those of this machine; {@code *} for all
 * @param local whether only this machine can reach the server, so that requests name it by one of its local names
 */
public record Access(List<String> keys, List<String> origins, boolean local) {

    private static final Set<String> LOCAL_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final String BEARER = "bearer ";

    public Access {
        keys = List.copyOf(keys);
        origins = List.copyOf(origins);
    }

    /**
     * Admits the request of a page, or refuses it, and says to the browser that the page may read the answer.
     *
     * @throws ApiError if it comes from a page that may not use the server
     */
    void admitOrigin(Exchange exchange) {
        String host = exchange.header("Host").orElse("");
        if (local && !host.isEmpty() && !LOCAL_NAMES.contains(nameOf(host))) {
            throw ApiError.forbidden("this server is for this machine, by a name such as localhost; it was asked for by"
                    + " another one");
        }
        Optional<String> origin = exchange.header("Origin");
        if (origin.isEmpty()) {
            return;
        }
        if (!isAllowed(origin.get(), host)) {
            throw ApiError.forbidden(
                    "pages of this origin may not use this server: start it with --cors and the origin");
        }
        exchange.withHeader("Access-Control-Allow-Origin", origin.get()).withHeader("Vary", "Origin");
    }

    private boolean isAllowed(String origin, String host) {
        if (origins.contains("*") || origins.contains(origin)) {
            return true;
        }
        try {
            URI uri = URI.create(origin);
            String authority = Optional.ofNullable(uri.getAuthority()).orElse("");
            String name = Optional.ofNullable(uri.getHost()).orElse("");
            return authority.equals(host) || LOCAL_NAMES.contains(name.toLowerCase(Locale.ROOT));
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static String nameOf(String host) {
        int port = host.lastIndexOf(':');
        boolean hasPort = port > host.lastIndexOf(']');
        return (hasPort ? host.substring(0, port) : host).toLowerCase(Locale.ROOT);
    }

    /**
     * Checks the key of a request.
     *
     * @throws ApiError if it has none, or another one
     */
    void requireKey(Exchange exchange) {
        if (keys.isEmpty()) {
            return;
        }
        String header = exchange.header("Authorization").orElse("");
        boolean isBearer = header.regionMatches(true, 0, BEARER, 0, BEARER.length());
        byte[] given = (isBearer ? header.substring(BEARER.length()).strip() : "").getBytes(StandardCharsets.UTF_8);
        boolean known = false;
        for (String key : keys) {
            // All of them, in the same time whether or not one is right.
            known |= MessageDigest.isEqual(given, key.getBytes(StandardCharsets.UTF_8));
        }
        if (!known) {
            throw ApiError.unauthorized(
                    "the API key is missing or wrong: send the header 'Authorization: Bearer KEY' with the key of this"
                            + " server");
        }
    }
}
