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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Lends devices of this process to clients of llama.cpp's rpc protocol, each with buffers of its own.
 *
 * <p>The protocol has neither authentication nor encryption: whoever reaches the address can use the devices. All that
 * comes from a client is checked; what is not valid ends its connection and harms no other. Any number of clients are
 * served at once, and take turns on a device.
 */
public final class RpcServer implements AutoCloseable {

    /** Clients that compute have a thread of their own up to so many; more share those of the devices. */
    private static final int MOST_THREADS = 16;

    /** How long closing waits for a graph that is being computed; the clients of the others are gone at once. */
    private static final Duration MOST_WAIT = Duration.ofSeconds(30);

    private final RpcServerOptions options;
    private final List<ServedDevice> devices = new ArrayList<>();
    private final ServerSocketChannel channel;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final ServerMemory memory = new ServerMemory(Runtime.getRuntime().maxMemory() / 4);
    private final Semaphore threads = new Semaphore(MOST_THREADS);
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

    /** The bytes that clients have now: buffers, graphs and scratch memory. */
    public long memoryInUse() {
        return memory.inUse();
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
                String name = String.valueOf(client.getRemoteAddress()).substring(1);
                Thread.ofVirtual().name("stowage-rpc-client").start(() -> begin(link, name));
            } catch (ClosedChannelException closed) {
                return;
            } catch (IOException e) {
                RpcLog.warning("a connection could not be accepted: " + e.getMessage());
            }
        }
    }

    /**
     * Serves a client on a virtual thread, of which there may be thousands, until it computes. Then it gets a thread of its
     * own, if one is left, which the system wakes without a detour when a message comes.
     */
    private void begin(Link link, String client) {
        ServerConnection connection;
        try {
            connection = new ServerConnection(
                    link,
                    options.dialect(),
                    devices,
                    new MemoryShare(options.memory(), memory),
                    new ClientLog(line -> RpcLog.info(client + ": " + line)));
        } catch (OutOfMemoryError e) {
            RpcLog.warning(client + ": there is no memory for another client: " + e.getMessage());
            link.close();
            ended(link);
            return;
        }
        if (serve(connection, link, client, threads::tryAcquire)) {
            Runnable rest = () -> {
                try {
                    serve(connection, link, client, () -> false);
                } finally {
                    threads.release();
                }
            };
            try {
                Thread.ofPlatform().daemon().name("stowage-rpc-" + client).start(rest);
            } catch (OutOfMemoryError e) {
                RpcLog.warning(client + ": it shares the threads of the devices: " + e.getMessage());
                rest.run();
            }
        }
    }

    /** Serves a client; whether there is more to serve, by another thread. */
    private boolean serve(ServerConnection connection, Link link, String client, BooleanSupplier pause) {
        boolean goesOn = false;
        try {
            goesOn = connection.serve(pause);
        } catch (ClosedChannelException closed) {
            // the server is being closed
        } catch (IOException e) {
            RpcLog.info(client + ": " + e.getMessage());
        } catch (StowageException | ArithmeticException | IndexOutOfBoundsException e) {
            RpcLog.warning(client + ": the connection was closed: " + e.getMessage());
        } catch (RuntimeException | Error e) {
            RpcLog.warning(client + ": the connection was closed: " + e);
        } finally {
            if (!goesOn) {
                try {
                    connection.close();
                } finally {
                    ended(link);
                }
            }
        }
        return goesOn;
    }

    private void ended(Link link) {
        links.remove(link);
        synchronized (links) {
            links.notifyAll();
        }
    }

    /** Waits until all that clients had is freed, or a graph takes too long. */
    private void awaitEnds() throws InterruptedException {
        long end = System.nanoTime() + MOST_WAIT.toNanos();
        synchronized (links) {
            while (!links.isEmpty()) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    RpcLog.warning("closing the server: " + links.size() + " clients still compute");
                    return;
                }
                links.wait(left);
            }
        }
    }

    /**
     * Stops listening, ends all connections, waits until what clients had is freed, and closes the backends; the devices stay
     * open. A graph that is being computed is waited for. Closing again has no effect.
     */
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
        try {
            awaitEnds();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        devices.forEach(ServedDevice::close);
    }
}
