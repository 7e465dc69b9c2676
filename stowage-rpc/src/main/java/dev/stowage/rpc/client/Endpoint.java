package dev.stowage.rpc.client;

import dev.stowage.error.DeviceException;
import dev.stowage.rpc.server.RpcServerOptions;
import java.util.ArrayList;
import java.util.List;

/** The address of a server: {@code host:port}, with {@code rpc:} before it or not. */
public record Endpoint(String host, int port) {

    private static final String SCHEME = "rpc:";
    private static final int MOST_PORT = 65535;

    /**
     * Reads {@code host}, {@code host:port} or {@code rpc:host:port}; an address of IPv6 stands in brackets.
     *
     * @throws DeviceException if it is none of these
     */
    public static Endpoint parse(String text) {
        String address = text.startsWith(SCHEME) ? text.substring(SCHEME.length()) : text;
        int colon = address.lastIndexOf(':');
        boolean hasPort =
                colon > address.lastIndexOf(']') && (colon == address.indexOf(':') || address.startsWith("["));
        String host = hasPort ? address.substring(0, colon) : address;
        try {
            int port = hasPort ? Integer.parseInt(address.substring(colon + 1)) : RpcServerOptions.STANDARD_PORT;
            boolean isOne = !host.isBlank() && (host.indexOf(':') < 0 || host.startsWith("["));
            if (isOne && port > 0 && port <= MOST_PORT) {
                return new Endpoint(host, port);
            }
        } catch (NumberFormatException ignored) {
            // refused below
        }
        throw DeviceException.of("rpc", "connect", "'" + text + "' is not the address of a server: write host:port");
    }

    /**
     * Reads addresses separated by commas.
     *
     * @throws DeviceException if one is none
     */
    public static List<Endpoint> parseAll(String text) {
        List<Endpoint> all = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            if (!part.isBlank()) {
                all.add(parse(part.strip()));
            }
        }
        return all;
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
