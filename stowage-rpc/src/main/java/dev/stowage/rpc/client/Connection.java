package dev.stowage.rpc.client;

import dev.stowage.device.DeviceHealth;
import dev.stowage.error.DeviceLostException;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.Link;
import dev.stowage.rpc.wire.Watch;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A connection to a server, which all devices, buffers and backends of that server use, since its handles are valid on it
 * alone. Requests are carried out in order.
 *
 * <p>Requests without a reply are collected and go out together: when a graph is to run, when a reply is wanted, or when
 * they have become many. Replies are awaited as late as possible, so that a step which writes inputs, runs a graph and
 * reads results costs one round trip.
 *
 * <p>Any failure loses the server for good: every later call fails with its cause. Thread-safe.
 */
final class Connection implements AutoCloseable {

    private static final int COLLECTED_BYTES = 256 << 10;

    private final Endpoint endpoint;
    private final Link link;
    private final Dialect dialect;
    private final DeviceHealth health = new DeviceHealth();
    private final KeptWeights keptWeights;
    private final Inquiries inquiries = new Inquiries(this);
    private final ReentrantLock lock = new ReentrantLock();
    private final ByteBuffer collected = little(COLLECTED_BYTES);
    private final Replies replies = new Replies();
    private final Pieces pieces = new Pieces();

    private Connection(Endpoint endpoint, Link link, Dialect dialect, CacheUse cache) {
        this.endpoint = endpoint;
        this.link = link;
        this.dialect = dialect;
        this.keptWeights = new KeptWeights(this, cache);
    }

    /**
     * Connects and agrees on a version.
     *
     * @throws IOException if there is no server, or one that is not understood; the message says what to do
     */
    static Connection open(Endpoint endpoint, RpcClientOptions options) throws IOException {
        SocketChannel channel = SocketChannel.open();
        boolean connected = false;
        try {
            channel.socket().connect(new InetSocketAddress(endpoint.host(), endpoint.port()), (int)
                    Math.min(options.connectLimit().toMillis(), Integer.MAX_VALUE));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            connected = true;
        } finally {
            if (!connected) {
                channel.close();
            }
        }
        return over(channel, endpoint, options, Watch.SYSTEM);
    }

    /** As {@link #open}, over a channel that is connected; it is closed where that fails. */
    static Connection over(SocketChannel channel, Endpoint endpoint, RpcClientOptions options, Watch watch)
            throws IOException {
        Dialect dialect = Greeting.exchange(channel, options.connectLimit(), watch);
        return new Connection(endpoint, new Link(channel, options.transferLimit(), watch), dialect, options.cache());
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    Endpoint endpoint() {
        return endpoint;
    }

    Dialect dialect() {
        return dialect;
    }

    DeviceHealth health() {
        return health;
    }

    /** What the server says of its devices. */
    Inquiries inquiries() {
        return inquiries;
    }

    /** The weights that the server may have kept. */
    KeptWeights keptWeights() {
        return keptWeights;
    }

    /** How often a reply was waited for, where those that came together count once. */
    long roundTrips() {
        lock.lock();
        try {
            return replies.roundTrips();
        } finally {
            lock.unlock();
        }
    }

    // ---- requests

    /** A request without a reply, or whose reply is empty. */
    void tell(Command command, int bytes, Consumer<ByteBuffer> payload) {
        run(command, () -> {
            begin(command, bytes, payload);
            awaitNothing(command);
        });
    }

    /** As {@link #tell} for a request that is followed by work of the server, which should begin now. */
    void tellAndFlush(Command command, int bytes, Consumer<ByteBuffer> payload) {
        run(command, () -> {
            begin(command, bytes, payload);
            awaitNothing(command);
            flush();
        });
    }

    /** A request whose payload ends with bytes that are not copied. */
    void tell(Command command, int bytes, Consumer<ByteBuffer> payload, MemorySegment rest) {
        run(command, () -> {
            if (rest.byteSize() + bytes + Command.HEADER_BYTES <= COLLECTED_BYTES / 4) {
                ByteBuffer out = head(command, bytes + rest.byteSize(), bytes + (int) rest.byteSize());
                payload.accept(out);
                MemorySegment.copy(rest, 0, MemorySegment.ofBuffer(out), 0, rest.byteSize());
                out.position(out.position() + (int) rest.byteSize());
            } else {
                // A server that waits for its replies to be taken would not read the bytes.
                settleLocked();
                payload.accept(head(command, bytes + rest.byteSize(), bytes));
                pieces.send(link, collected.flip(), rest);
                collected.clear();
            }
            awaitNothing(command);
        });
    }

    /** A request with a reply of that many bytes, which is awaited. */
    ByteBuffer ask(Command command, int bytes, Consumer<ByteBuffer> payload, int replyBytes) {
        ByteBuffer[] answer = new ByteBuffer[1];
        run(command, () -> {
            begin(command, bytes, payload);
            replies.await(command, replyBytes, from -> {
                ByteBuffer copy = ByteBuffer.allocate(replyBytes).order(ByteOrder.LITTLE_ENDIAN);
                answer[0] = copy.put(from.receive(replyBytes)).flip();
            });
            settleLocked();
        });
        return answer[0];
    }

    /** A request that is answered with yes or no. */
    boolean askWhether(Command command, int bytes, Consumer<ByteBuffer> payload) {
        byte answer = ask(command, bytes, payload, 1).get(0);
        if (answer != 0 && answer != 1) {
            throw nonsense(command, (answer & 0xff) + ", which is neither 0 nor 1");
        }
        return answer == 1;
    }

    /** A request with a reply that fills a segment when {@link #settle()} is called, or before. */
    void fetch(Command command, int bytes, Consumer<ByteBuffer> payload, MemorySegment target) {
        run(command, () -> {
            settleIfMany();
            begin(command, bytes, payload);
            replies.await(command, target.byteSize(), from -> pieces.receive(from, target));
            flush();
        });
    }

    /** Sends what has been collected. */
    void flushNow() {
        run(Command.GRAPH_COMPUTE, this::flush);
    }

    /** Waits for all replies that are on their way. */
    void settle() {
        run(Command.GET_TENSOR, this::settleLocked);
    }

    private interface Exchange {
        void run() throws IOException;
    }

    private void run(Command command, Exchange exchange) {
        lock.lock();
        try {
            health.require("rpc " + endpoint, command.name());
            exchange.run();
        } catch (IOException e) {
            lose(e);
            throw DeviceLostException.of("rpc " + endpoint, command.name(), e);
        } catch (RuntimeException | Error e) {
            // What was sent or read of a message is not known, unless nothing was because the server is lost.
            if (health.lossCause().isEmpty()) {
                lose(new IOException("a request failed on this side: " + e, e));
            }
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Loses the server because an answer cannot be right.
     *
     * @return what to throw
     */
    DeviceLostException nonsense(Command command, String answer) {
        IOException cause = new IOException("it answers " + command + " with " + answer);
        lock.lock();
        try {
            lose(cause);
        } finally {
            lock.unlock();
        }
        return DeviceLostException.of("rpc " + endpoint, command.name(), cause);
    }

    private void lose(IOException cause) {
        String why = cause.getMessage() == null ? "the connection was closed" : cause.getMessage();
        health.lose(new IOException("the server " + endpoint + " is gone: " + why, cause));
        replies.forget();
        link.close();
    }

    private void begin(Command command, int bytes, Consumer<ByteBuffer> payload) throws IOException {
        payload.accept(head(command, bytes, bytes));
    }

    /** Writes the header of a request with {@code size} bytes, and makes room for so many that follow it at once. */
    private ByteBuffer head(Command command, long size, int room) throws IOException {
        int needed = Command.HEADER_BYTES + room;
        if (needed > COLLECTED_BYTES) {
            throw new IllegalArgumentException(command + " with " + room + " bytes in one piece");
        }
        if (collected.remaining() < needed) {
            flush();
        }
        return collected.put((byte) command.number()).putLong(size);
    }

    private void awaitNothing(Command command) throws IOException {
        if (command.isAnswered(dialect)) {
            replies.await(command, 0, _ -> {});
            settleIfMany();
        }
    }

    private void settleIfMany() throws IOException {
        if (replies.areMany()) {
            settleLocked();
        }
    }

    private void flush() throws IOException {
        collected.flip();
        link.send(collected);
        collected.clear();
    }

    private void settleLocked() throws IOException {
        flush();
        replies.settle(link);
    }

    /** Ends the connection, and with it all that it had on the server. */
    @Override
    public void close() {
        health.lose(new IOException("the connection to " + endpoint + " was closed on this side"));
        link.close();
    }
}
