package dev.stowage.serve.http;

import dev.stowage.serve.wire.ApiError;
import java.io.IOException;
import java.net.BindException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * An HTTP server: a few threads of the platform that watch connections, and a virtual thread for each request that is being
 * answered.
 */
public final class HttpServer implements AutoCloseable {

    private static final int PLATFORM_THREADS = 8;

    /**
     * Not a pool: what is wrong with one connection must not reach another. Where Jetty refuses bytes that are not HTTP, a
     * second thread may read on from that connection into a buffer that the first has given back; from a pool another
     * connection had it by then, with its request in it. Next to an answer of a model an allocation takes no time.
     */
    private static final ByteBufferPool BUFFERS = new ByteBufferPool.NonPooling();

    private final Server server;
    private final ServerConnector connector;
    private final ExecutorService virtualThreads;
    private final Exchanges exchanges;

    private HttpServer(String host, int port, Router router, HttpLimits limits) {
        virtualThreads = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("stowage-http-", 0).factory());
        QueuedThreadPool pool = new QueuedThreadPool(PLATFORM_THREADS, 2);
        pool.setName("stowage-http");
        pool.setDaemon(true);
        pool.setReservedThreads(0);
        pool.setVirtualThreadsExecutor(virtualThreads);
        server = new Server(pool, null, BUFFERS);
        server.setStopTimeout(0);
        server.setErrorHandler(new JsonErrors());
        exchanges = new Exchanges(router, limits);
        server.setHandler(exchanges);
        connector = connector(limits);
        connector.setHost(host);
        connector.setPort(port);
        connector.setIdleTimeout(limits.idle().toMillis());
        server.addConnector(connector);
        server.addBean(new NetworkConnectionLimit(limits.connections(), connector));
    }

    private ServerConnector connector(HttpLimits limits) {
        HttpConfiguration http = new HttpConfiguration();
        http.setRequestHeaderSize(limits.headerBytes());
        http.setSendServerVersion(false);
        // Direct ones are dear to allocate, and not pooled.
        http.setUseInputDirectByteBuffers(false);
        http.setUseOutputDirectByteBuffers(false);
        return new ServerConnector(server, 1, 1, new HttpConnectionFactory(http)) {
            @Override
            protected SocketChannelEndPoint newEndPoint(
                    SocketChannel channel, ManagedSelector selector, SelectionKey key) {
                WatchedEndPoint endPoint = new WatchedEndPoint(channel, selector, key, getScheduler());
                endPoint.setIdleTimeout(getIdleTimeout());
                return endPoint;
            }
        };
    }

    /**
     * Starts a server; it takes requests when this returns.
     *
     * @throws BindException if the address cannot be listened on
     * @throws IOException if it cannot be started otherwise
     */
    public static HttpServer start(String host, int port, Router router, HttpLimits limits) throws IOException {
        HttpServer started = new HttpServer(host, port, router, limits);
        try {
            started.server.start();
            return started;
        } catch (Exception e) {
            started.close();
            if (e instanceof IOException known) {
                throw e.getCause() instanceof BindException cause ? cause : known;
            }
            throw new IOException("the HTTP server could not be started: " + e, e);
        }
    }

    /** The port that it listens on. */
    public int port() {
        return connector.getLocalPort();
    }

    /** Where connections get memory for what they read and write. */
    ByteBufferPool buffers() {
        return connector.getByteBufferPool();
    }

    /** Accepts no more connections, and answers what comes over those there are with an error. */
    public void refuse() {
        exchanges.refuse();
        connector.close();
    }

    /** Waits until all requests have been answered; says whether they have been. */
    public boolean awaitIdle(Duration atMost) throws InterruptedException {
        return exchanges.awaitNone(atMost);
    }

    /** How many requests are being answered. */
    public int active() {
        return exchanges.active();
    }

    /** Ends all connections and threads. Closing twice is fine. */
    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw ApiError.failed("the HTTP server did not stop: " + e);
        } finally {
            virtualThreads.shutdownNow();
        }
    }
}
