package dev.stowage.rpc.client;

import dev.stowage.device.Availability;
import dev.stowage.device.BackendProvider;
import dev.stowage.device.Device;
import java.util.ArrayList;
import java.util.List;

/**
 * The devices of servers that speak llama.cpp's rpc protocol, as devices of this process: device 1 of the first server is
 * {@code rpc0.1}.
 *
 * <p>{@link java.util.ServiceLoader} finds it with the servers of the system property {@value #SERVERS_PROPERTY}. A server
 * that is lost is connected to again when the devices are asked for again. Providers made from the property share one
 * connection to each server, since llama.cpp's serves one client at a time. Thread-safe.
 */
public final class RpcProvider implements BackendProvider {

    /** The system property with the addresses of servers, separated by commas. */
    public static final String SERVERS_PROPERTY = "stowage.rpc";

    /** The system property that says whether servers are asked for weights which they have kept: a {@link CacheUse}. */
    public static final String CACHE_PROPERTY = "stowage.rpc.cache";

    private final List<RemoteServer> servers;

    /** The servers of the system property. */
    public RpcProvider() {
        this.servers = RemoteServer.shared(
                Endpoint.parseAll(System.getProperty(SERVERS_PROPERTY, "")),
                RpcClientOptions.defaults()
                        .withCache(CacheUse.named(System.getProperty(CACHE_PROPERTY, CacheUse.AUTO.name()))));
    }

    /** These servers. */
    public RpcProvider(List<Endpoint> endpoints) {
        this(endpoints, RpcClientOptions.defaults());
    }

    /** These servers, with time limits. */
    public RpcProvider(List<Endpoint> endpoints, RpcClientOptions options) {
        this.servers = new ArrayList<>();
        for (Endpoint endpoint : endpoints) {
            servers.add(new RemoteServer(servers.size(), endpoint, options));
        }
    }

    @Override
    public String name() {
        return "rpc";
    }

    @Override
    public String version() {
        return "4.0-7.0";
    }

    @Override
    public synchronized Availability probe() {
        if (servers.isEmpty()) {
            return Availability.unavailable(
                    "no servers are named: give --rpc HOST:PORT, or set " + SERVERS_PROPERTY + " to it");
        }
        servers.forEach(RemoteServer::connect);
        List<String> problems = new ArrayList<>();
        servers.stream()
                .filter(server -> !server.problem().isEmpty())
                .forEach(server -> problems.add(server.problem()));
        boolean any = servers.stream().anyMatch(server -> !server.devices().isEmpty());
        return any
                ? new Availability(true, String.join("; ", problems))
                : Availability.unavailable(String.join("; ", problems));
    }

    @Override
    public synchronized List<Device> devices() {
        servers.forEach(RemoteServer::connect);
        List<Device> all = new ArrayList<>();
        servers.forEach(server -> all.addAll(server.devices()));
        return all;
    }

    /** Ends the connections. */
    @Override
    public synchronized void close() {
        servers.forEach(RemoteServer::release);
    }
}
