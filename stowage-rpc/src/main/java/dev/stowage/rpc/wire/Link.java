package dev.stowage.rpc.wire;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection: whole messages in, whole messages out, each within a time limit. A transfer that takes longer
 * closes the connection, so that no thread waits for a peer that hangs. One thread at a time.
 *
 * <p>A transfer notes when it began, and one thread looks at all links from time to time: a timer for each of the many
 * short transfers would cost more than they do.
 */
public final class Link implements AutoCloseable {

    private static final int INITIAL_BYTES = 64 << 10;

    /** A transfer is ended at most this part of its limit late, or a second where that is less. */
    private static final int LOOKS_PER_LIMIT = 16;

    private static final long MOST_BETWEEN_LOOKS = TimeUnit.SECONDS.toNanos(1);

    /** No transfer is under way. */
    private static final long IDLE = Long.MIN_VALUE;

    private final SocketChannel channel;
    private final Duration limit;
    private final Watch clock;
    private final @Nullable Future<?> watch;
    private volatile long began = IDLE;
    private ByteBuffer in = ByteBuffer.allocate(0);
    private volatile boolean late;

    /**
     * A connection over a blocking channel.
     *
     * @param limit how long one transfer may take; zero for no limit
     */
    public Link(SocketChannel channel, Duration limit) {
        this(channel, limit, Watch.SYSTEM);
    }

    /** As {@link #Link(SocketChannel, Duration)}, by another clock. */
    public Link(SocketChannel channel, Duration limit, Watch clock) {
        this.channel = channel;
        this.limit = limit;
        this.clock = clock;
        this.watch = limit.isZero() ? null : watch();
    }

    private Future<?> watch() {
        long pause = Math.clamp(limit.toNanos() / LOOKS_PER_LIMIT, 1, MOST_BETWEEN_LOOKS);
        return clock.look(this::look, pause);
    }

    private void look() {
        long start = began;
        if (start != IDLE && clock.nanoTime() - start > limit.toNanos()) {
            late = true;
            close();
        }
    }

    private void begin() {
        long now = clock.nanoTime();
        began = now == IDLE ? now + 1 : now;
    }

    /**
     * Reads what has come into what remains of a buffer, and waits for the first byte without a limit, as a server waits
     * for requests.
     *
     * @return how many bytes, or -1 where the peer has closed the connection
     */
    public int receiveSome(ByteBuffer target) throws IOException {
        return channel.read(target);
    }

    /**
     * Reads at least that many bytes into what remains of a buffer, and what has come besides.
     *
     * @throws EOFException if the peer closes the connection before as many have come
     */
    public void receiveAtLeast(ByteBuffer target, int bytes) throws IOException {
        int end = target.position() + bytes;
        begin();
        try {
            while (target.position() < end) {
                if (channel.read(target) < 0) {
                    throw new EOFException("the connection was closed with " + (end - target.position())
                            + " bytes of a message still to come");
                }
            }
        } catch (ClosedChannelException e) {
            throw late ? tooLate(e) : e;
        } finally {
            began = IDLE;
        }
    }

    /**
     * The next bytes, little-endian; the buffer is used again for the next.
     *
     * @throws EOFException if the peer closes the connection before all have come
     */
    public ByteBuffer receive(int bytes) throws IOException {
        if (in.capacity() < bytes) {
            in = ByteBuffer.allocateDirect(Math.max(bytes, INITIAL_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
        }
        in.clear().limit(bytes);
        receive(in);
        return in.flip();
    }

    /** Fills what remains of a buffer. */
    public void receive(ByteBuffer target) throws IOException {
        receiveAtLeast(target, target.remaining());
    }

    /** Sends what remains of the buffers, one after the other. */
    public void send(ByteBuffer... parts) throws IOException {
        long left = 0;
        for (ByteBuffer part : parts) {
            left += part.remaining();
        }
        begin();
        try {
            while (left > 0) {
                left -= channel.write(parts);
            }
        } catch (ClosedChannelException e) {
            throw late ? tooLate(e) : e;
        } finally {
            began = IDLE;
        }
    }

    private IOException tooLate(ClosedChannelException cause) {
        IOException late = new SocketTimeoutException("no progress within " + limit.toMillis() + " ms");
        late.initCause(cause);
        return late;
    }

    /** Whether this end is still open. */
    public boolean isOpen() {
        return channel.isOpen();
    }

    /** Ends the watch over this end without closing the channel, which another link then uses. */
    public void release() {
        if (watch != null) {
            watch.cancel(false);
        }
    }

    /** Closes the connection; transfers under way fail. Closing again has no effect. */
    @Override
    public void close() {
        release();
        try {
            channel.close();
        } catch (IOException ignored) {
            // it is gone either way
        }
    }
}
