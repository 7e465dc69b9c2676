package dev.stowage.cli.option;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.error.DeviceException;
import dev.stowage.rpc.client.CacheUse;
import dev.stowage.rpc.client.Endpoint;
import dev.stowage.rpc.client.RpcProvider;
import java.util.ArrayList;
import java.util.List;

/**
 * The servers that the command line names. The system property that {@link RpcProvider} reads has them, so that every
 * registry of the process knows them.
 */
public final class RpcServers {

    /** The option that names servers. */
    public static final String OPTION = "--rpc";

    /** The option that says whether servers are asked for weights that they have kept. */
    public static final String CACHE_OPTION = "--rpc-cache";

    private static final String SCHEME = "rpc:";

    private RpcServers() {}

    /** Whether an argument names servers, so that devices can be looked for only when all of them have been read. */
    public static boolean isNamedIn(String argument) {
        return argument.startsWith(OPTION) || argument.contains(SCHEME);
    }

    /** Whether the name of a device stands for all devices of a server. */
    static boolean isServer(String name) {
        return name.startsWith(SCHEME);
    }

    /**
     * Adds servers, separated by commas, to those that registries ask.
     *
     * @throws DeviceException if one is not an address
     */
    public static void add(String servers) {
        List<Endpoint> all = new ArrayList<>(named());
        for (Endpoint endpoint : Endpoint.parseAll(servers)) {
            if (!all.contains(endpoint)) {
                all.add(endpoint);
            }
        }
        System.setProperty(
                RpcProvider.SERVERS_PROPERTY,
                String.join(",", all.stream().map(Endpoint::toString).toList()));
    }

    /**
     * Says whether servers are asked for weights that they have kept.
     *
     * @throws DeviceException if it is not one of the words for that
     */
    public static void setCache(String use) {
        System.setProperty(RpcProvider.CACHE_PROPERTY, CacheUse.named(use).toString());
    }

    private static List<Endpoint> named() {
        return Endpoint.parseAll(System.getProperty(RpcProvider.SERVERS_PROPERTY, ""));
    }

    /**
     * The devices that a name stands for: one, or all of a server.
     *
     * @throws DeviceException if there is none
     */
    public static List<Device> devices(String name, DeviceRegistry registry) {
        if (!isServer(name)) {
            return List.of(registry.device(name));
        }
        String prefix = "rpc" + named().indexOf(Endpoint.parse(name)) + ".";
        List<Device> found = registry.devices().stream()
                .filter(device -> device.name().startsWith(prefix))
                .toList();
        // Where the server cannot be used, the registry says why.
        return found.isEmpty() ? List.of(registry.device(prefix + "0")) : found;
    }
}
