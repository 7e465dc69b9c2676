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
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One end of a connection: whole messages in, whole messages out, each within a time limit. A transfer that takes longer
 * closes the connection, so that no thread waits for a peer that hangs. One thread at a time.
 */
public final class Link implements AutoCloseable {

    private static final int INITIAL_BYTES = 64 << 10;

    private static final ScheduledThreadPoolExecutor WATCH = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("stowage-rpc-limits").factory());

    static {
        WATCH.setRemoveOnCancelPolicy(true);
    }

    private final SocketChannel channel;
    private final Duration limit;
    private ByteBuffer in = ByteBuffer.allocateDirect(INITIAL_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private volatile boolean late;

    /**
     * A connection over a blocking channel.
     *
     * @param limit how long one transfer may take; zero for no limit
     */
    public Link(SocketChannel channel, Duration limit) {
        this.channel = channel;
        this.limit = limit;
    }

    /**
     * The next byte, or -1 where the peer has closed the connection; waits for it without a limit, as a server waits for
     * requests.
     */
    public int receiveByte() throws IOException {
        ByteBuffer one = in.clear().limit(1);
        return channel.read(one) < 0 ? -1 : in.get(0) & 0xff;
    }

    /**
     * The next bytes, little-endian; the buffer is used again for the next.
     *
     * @throws EOFException if the peer closes the connection before all have come
     */
    public ByteBuffer receive(int bytes) throws IOException {
        if (in.capacity() < bytes) {
            in = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
        }
        in.clear().limit(bytes);
        receive(in);
        return in.flip();
    }

    /** Fills what remains of a buffer. */
    public void receive(ByteBuffer target) throws IOException {
        Future<?> watch = watch();
        try {
            while (target.hasRemaining()) {
                if (channel.read(target) < 0) {
                    throw new EOFException("the connection was closed with " + target.remaining()
                            + " bytes of a message still to come");
                }
            }
        } catch (ClosedChannelException e) {
            throw late ? tooLate(e) : e;
        } finally {
            watch.cancel(false);
        }
    }

    /** Sends what remains of the buffers, one after the other. */
    public void send(ByteBuffer... parts) throws IOException {
        long left = 0;
        for (ByteBuffer part : parts) {
            left += part.remaining();
        }
        Future<?> watch = watch();
        try {
            while (left > 0) {
                left -= channel.write(parts);
            }
        } catch (ClosedChannelException e) {
            throw late ? tooLate(e) : e;
        } finally {
            watch.cancel(false);
        }
    }

    private Future<?> watch() {
        if (limit.isZero()) {
            return java.util.concurrent.CompletableFuture.completedFuture(null);
        }
        return WATCH.schedule(
                () -> {
                    late = true;
                    close();
                },
                limit.toNanos(),
                TimeUnit.NANOSECONDS);
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

    /** Closes the connection; transfers under way fail. Closing again has no effect. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException ignored) {
            // it is gone either way
        }
    }
}
