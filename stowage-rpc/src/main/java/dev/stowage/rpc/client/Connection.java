package dev.stowage.rpc.client;

import dev.stowage.device.DeviceHealth;
import dev.stowage.error.DeviceLostException;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.Link;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
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
    private static final int PIECE_BYTES = 4 << 20;
    private static final int MOST_AWAITED = 256;

    private final Endpoint endpoint;
    private final Link link;
    private final Dialect dialect;
    private final DeviceHealth health = new DeviceHealth();
    private final KeptWeights keptWeights;
    private final ReentrantLock lock = new ReentrantLock();
    private final ByteBuffer collected = little(COLLECTED_BYTES);
    private final Deque<Reply> awaited = new ArrayDeque<>();
    private ByteBuffer piece = little(0);
    private long roundTrips;

    /** What is done with a reply of that many bytes; -1 for any. */
    private record Reply(long bytes, Receiver receiver) {}

    private interface Receiver {
        void receive(Link link, long bytes) throws IOException;
    }

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
        Link link = new Link(channel, options.transferLimit());
        boolean agreed = false;
        try {
            channel.socket().connect(new InetSocketAddress(endpoint.host(), endpoint.port()), (int)
                    options.connectLimit().toMillis());
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Dialect dialect = hello(link);
            agreed = true;
            return new Connection(endpoint, link, dialect, options.cache());
        } finally {
            if (!agreed) {
                link.close();
            }
        }
    }

    private static Dialect hello(Link link) throws IOException {
        ByteBuffer request = little(Command.HEADER_BYTES + 24);
        request.put((byte) Command.HELLO.number()).putLong(24).clear();
        link.send(request);
        long size = link.receive(Long.BYTES).getLong(0);
        if (!Command.HELLO.acceptsReply(size)) {
            throw new IOException("it greets with " + Long.toUnsignedString(size)
                    + " bytes: it is older than version 4.0 of the protocol, or no rpc server; update it");
        }
        ByteBuffer reply = link.receive((int) size);
        Dialect dialect = Dialect.find(reply.get(0), reply.get(1), reply.get(2));
        if (dialect == null) {
            throw new IOException("it speaks version " + reply.get(0) + "." + reply.get(1) + "." + reply.get(2)
                    + " of the protocol, which is not known; known are " + Dialect.known());
        }
        return dialect;
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

    /** The weights that the server may have kept. */
    KeptWeights keptWeights() {
        return keptWeights;
    }

    /** How often a reply was waited for, where those that came together count once. */
    long roundTrips() {
        lock.lock();
        try {
            return roundTrips;
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
                sendPieces(rest);
            }
            awaitNothing(command);
        });
    }

    /** A request with a reply of that many bytes, which is awaited. */
    ByteBuffer ask(Command command, int bytes, Consumer<ByteBuffer> payload, int replyBytes) {
        ByteBuffer[] answer = new ByteBuffer[1];
        run(command, () -> {
            begin(command, bytes, payload);
            awaited.add(new Reply(replyBytes, (from, size) -> {
                ByteBuffer copy = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
                answer[0] = copy.put(from.receive((int) size)).flip();
            }));
            settleLocked();
        });
        return answer[0];
    }

    /** A request with a reply that fills a segment when {@link #settle()} is called, or before. */
    void fetch(Command command, int bytes, Consumer<ByteBuffer> payload, MemorySegment target) {
        run(command, () -> {
            settleIfMany();
            begin(command, bytes, payload);
            awaited.add(new Reply(target.byteSize(), (from, _) -> receivePieces(from, target)));
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
        } finally {
            lock.unlock();
        }
    }

    private void lose(IOException cause) {
        health.lose(new IOException("the server " + endpoint + " is gone: " + cause.getMessage(), cause));
        awaited.clear();
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
            awaited.add(new Reply(0, (_, _) -> {}));
            settleIfMany();
        }
    }

    /** A server whose replies are not taken stops reading at some point, and nothing more could be sent. */
    private void settleIfMany() throws IOException {
        if (awaited.size() >= MOST_AWAITED) {
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
        if (awaited.isEmpty()) {
            return;
        }
        roundTrips++;
        while (!awaited.isEmpty()) {
            long size = link.receive(Long.BYTES).getLong(0);
            Reply reply = awaited.remove();
            if (size != reply.bytes) {
                throw new IOException("a reply of " + Long.toUnsignedString(size) + " bytes came where " + reply.bytes
                        + " were expected");
            }
            reply.receiver.receive(link, size);
        }
    }

    private ByteBuffer piece() {
        if (piece.capacity() == 0) {
            piece = little(PIECE_BYTES);
        }
        return piece;
    }

    /** Sends what was collected and then these bytes: from where they are if that is native memory, else through a piece. */
    private void sendPieces(MemorySegment from) throws IOException {
        ByteBuffer before = collected.flip();
        for (long at = 0; at < from.byteSize(); ) {
            long length = Math.min(PIECE_BYTES, from.byteSize() - at);
            MemorySegment part = from.asSlice(at, length);
            link.send(before, part.isNative() ? part.asByteBuffer() : copied(part));
            at += length;
        }
        collected.clear();
    }

    private ByteBuffer copied(MemorySegment part) {
        ByteBuffer copy = piece().clear().limit((int) part.byteSize());
        MemorySegment.copy(part, 0, MemorySegment.ofBuffer(copy), 0, part.byteSize());
        return copy;
    }

    private void receivePieces(Link from, MemorySegment target) throws IOException {
        for (long at = 0; at < target.byteSize(); ) {
            long length = Math.min(PIECE_BYTES, target.byteSize() - at);
            MemorySegment part = target.asSlice(at, length);
            if (part.isNative()) {
                from.receive(part.asByteBuffer());
            } else {
                ByteBuffer copy = piece().clear().limit((int) length);
                from.receive(copy);
                MemorySegment.copy(MemorySegment.ofBuffer(copy.flip()), 0, part, 0, length);
            }
            at += length;
        }
    }

    /** Ends the connection, and with it all that it had on the server. */
    @Override
    public void close() {
        link.close();
    }
}
