package dev.stowage.rpc.client;

import dev.stowage.error.StowageException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A server, connected or not, and its devices. Thread-safe. */
final class RemoteServer {

    private static final Map<Endpoint, RemoteServer> SHARED = new HashMap<>();

    private final int number;
    private final Endpoint endpoint;
    private final RpcClientOptions options;
    private final Connector connector;

    /** How many providers share this; guarded by {@link #SHARED}. */
    private int owners = 1;

    private @Nullable Connection connection;
    private List<RpcDevice> devices = List.of();
    private String problem = "";

    /** Makes connections to a server. */
    interface Connector {
        Connection open(Endpoint endpoint, RpcClientOptions options) throws IOException;
    }

    RemoteServer(int number, Endpoint endpoint, RpcClientOptions options) {
        this(number, endpoint, options, Connection::open);
    }

    /** A server that is reached in another way than by its address. */
    RemoteServer(int number, Endpoint endpoint, RpcClientOptions options, Connector connector) {
        this.number = number;
        this.endpoint = endpoint;
        this.options = options;
        this.connector = connector;
    }

    /** Servers that all providers made from the system property share, one connection each. */
    static List<RemoteServer> shared(List<Endpoint> endpoints, RpcClientOptions options) {
        List<RemoteServer> servers = new ArrayList<>();
        synchronized (SHARED) {
            for (Endpoint endpoint : endpoints) {
                RemoteServer server = SHARED.get(endpoint);
                if (server == null || server.number != servers.size()) {
                    server = new RemoteServer(servers.size(), endpoint, options);
                    SHARED.put(endpoint, server);
                } else {
                    server.owners++;
                }
                servers.add(server);
            }
        }
        return servers;
    }

    /** Connects unless it is connected; where that fails, {@link #problem()} says why. */
    synchronized void connect() {
        if (connection != null && connection.health().lossCause().isEmpty()) {
            return;
        }
        disconnect();
        try {
            connection = connector.open(endpoint, options);
            devices = find(connection, number, options);
            problem = "";
        } catch (IOException e) {
            disconnect();
            problem = "the server " + endpoint + " cannot be used: " + explain(e);
        } catch (StowageException e) {
            disconnect();
            problem = "the server " + endpoint + " cannot be used: " + e.getMessage();
        }
    }

    /**
     * The devices of a server.
     *
     * @throws StowageException if what it says of them cannot be right
     */
    static List<RpcDevice> find(Connection open, int server, RpcClientOptions options) {
        int count = open.inquiries().deviceCount();
        List<RpcDevice> found = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            found.add(new RpcDevice("rpc" + server + "." + i, open, i, options::claims));
        }
        return List.copyOf(found);
    }

    private static String explain(IOException e) {
        return switch (e) {
            case UnknownHostException _ -> "there is no machine of that name";
            case SocketTimeoutException _ ->
                "it does not answer; another client may hold it, since llama.cpp's server serves one at a time";
            case ConnectException _ -> "nothing listens there; start rpc-server or stowage rpc-serve on that machine";
            default -> String.valueOf(e.getMessage());
        };
    }

    synchronized List<RpcDevice> devices() {
        return devices;
    }

    /** Why it cannot be used; empty where it can. */
    synchronized String problem() {
        return problem;
    }

    /** Ends the connection when the last provider that shares it has said so. */
    void release() {
        synchronized (SHARED) {
            if (--owners > 0) {
                return;
            }
            SHARED.remove(endpoint, this);
        }
        disconnect();
    }

    private synchronized void disconnect() {
        if (connection != null) {
            connection.close();
        }
        connection = null;
        devices = List.of();
    }
}
