package dev.stowage.rpc.server;

import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.error.StowageException;
import dev.stowage.rpc.wire.Link;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lends devices of this process to clients of llama.cpp's rpc protocol, each with buffers of its own.
 *
 * <p>The protocol has neither authentication nor encryption: whoever reaches the address can use the devices. All that
 * comes from a client is checked; what is not valid ends its connection and harms no other. Any number of clients are
 * served at once, and take turns on a device.
 */
public final class RpcServer implements AutoCloseable {

    private final RpcServerOptions options;
    private final List<ServedDevice> devices = new ArrayList<>();
    private final ServerSocketChannel channel;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicLong memoryInUse = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Thread acceptor;

    private RpcServer(RpcServerOptions options) throws IOException {
        this.options = options;
        this.channel = ServerSocketChannel.open();
        boolean started = false;
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.bind(new InetSocketAddress(options.host(), options.port()));
            for (Device device : options.devices()) {
                devices.add(new ServedDevice(device, BackendOptions.defaults().withThreads(options.threads())));
            }
            started = true;
        } finally {
            if (!started) {
                channel.close();
                devices.forEach(ServedDevice::close);
            }
        }
        this.acceptor = Thread.ofPlatform().name("stowage-rpc-accept").start(this::accept);
    }

    /**
     * Opens the devices and listens.
     *
     * @throws IOException if the address cannot be listened on
     * @throws StowageException if a device cannot be opened
     */
    public static RpcServer start(RpcServerOptions options) throws IOException {
        return new RpcServer(options);
    }

    /** The address that clients connect to, with the port that was found where 0 was asked for. */
    public InetSocketAddress address() {
        try {
            return (InetSocketAddress) channel.getLocalAddress();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many clients are connected now. */
    public int clients() {
        return links.size();
    }

    /** The bytes of the buffers that clients have now. */
    public long memoryInUse() {
        return memoryInUse.get();
    }

    /** Waits until the server is closed. */
    public void await() throws InterruptedException {
        acceptor.join();
    }

    private void accept() {
        while (channel.isOpen()) {
            try {
                SocketChannel client = channel.accept();
                client.setOption(StandardSocketOptions.TCP_NODELAY, true);
                Link link = new Link(client, options.transferLimit());
                links.add(link);
                Thread.ofVirtual().name("stowage-rpc-client").start(() -> serve(link, String.valueOf(client)));
            } catch (ClosedChannelException closed) {
                return;
            } catch (IOException e) {
                RpcLog.warning("a connection could not be accepted: " + e.getMessage());
            }
        }
    }

    private void serve(Link link, String client) {
        try (ServerConnection connection = new ServerConnection(
                link, options.dialect(), devices, new MemoryShare(options.memory(), memoryInUse))) {
            connection.serve();
        } catch (ClosedChannelException closed) {
            // the server is being closed
        } catch (IOException e) {
            RpcLog.info(client + ": " + e.getMessage());
        } catch (StowageException | ArithmeticException | IndexOutOfBoundsException e) {
            RpcLog.warning(client + ": the connection was closed: " + e.getMessage());
        } catch (RuntimeException | Error e) {
            RpcLog.warning(client + ": the connection was closed: " + e);
        } finally {
            links.remove(link);
        }
    }

    /** Stops listening, ends all connections and closes the backends; the devices stay open. Closing again has no effect. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            channel.close();
            acceptor.join();
        } catch (IOException e) {
            RpcLog.warning("closing the server: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        links.forEach(Link::close);
        devices.forEach(ServedDevice::close);
    }
}
