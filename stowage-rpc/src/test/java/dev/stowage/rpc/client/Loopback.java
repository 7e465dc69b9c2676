package dev.stowage.rpc.client;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.rpc.server.RpcServer;
import dev.stowage.rpc.server.RpcServerOptions;
import java.io.IOException;
import java.util.List;
import java.util.function.UnaryOperator;

/** Our server with one device of this process, and our client connected to it. */
public final class Loopback implements AutoCloseable {

    private final DeviceRegistry registry = DeviceRegistry.load();
    private final RpcServer server;
    private final RpcProvider provider;

    public Loopback(String device) throws IOException {
        this(device, options -> options);
    }

    public Loopback(String device, UnaryOperator<RpcServerOptions> options) throws IOException {
        server = RpcServer.start(options.apply(
                RpcServerOptions.of(List.of(registry.device(device))).withPort(0)));
        provider = new RpcProvider(
                List.of(new Endpoint("127.0.0.1", server.address().getPort())),
                RpcClientOptions.defaults().withClaims(registry.device(device)::supports));
    }

    public RpcServer server() {
        return server;
    }

    public RpcProvider provider() {
        return provider;
    }

    public Device local(String name) {
        return registry.device(name);
    }

    /** The device of the server. */
    public Device remote() {
        return provider.devices().getFirst();
    }

    @Override
    public void close() {
        provider.close();
        server.close();
        registry.close();
    }
}
