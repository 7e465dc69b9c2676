package dev.stowage.rpc.client;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.OpSupport;
import dev.stowage.rpc.server.RpcServer;
import dev.stowage.rpc.server.RpcServerOptions;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Our server with one device of this process, and our client connected to it. */
public final class Loopback implements AutoCloseable {

    private final DeviceRegistry registry = DeviceRegistry.load();
    private final RpcServer server;
    private final Function<Tensor, OpSupport> claims;
    private final RpcProvider provider;

    public Loopback(String device) throws IOException {
        this(device, options -> options);
    }

    public Loopback(String device, UnaryOperator<RpcServerOptions> options) throws IOException {
        this(device, lent -> lent, options);
    }

    /** A server with a device that is made of one of this process. */
    Loopback(String device, UnaryOperator<Device> lent, UnaryOperator<RpcServerOptions> options) throws IOException {
        server = RpcServer.start(options.apply(RpcServerOptions.of(List.of(lent.apply(registry.device(device))))
                .withPort(0)));
        claims = registry.device(device)::supports;
        provider = connect();
    }

    /** Another client of the server. */
    RpcProvider connect() {
        return new RpcProvider(
                List.of(new Endpoint("127.0.0.1", server.address().getPort())),
                RpcClientOptions.defaults().withClaims(claims));
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
