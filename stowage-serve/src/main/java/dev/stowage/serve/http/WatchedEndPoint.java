package dev.stowage.serve.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * A connection that can be asked whether its client is still there while a request is answered, which only reading shows.
 * What a client sends meanwhile, as with pipelining, is kept for the next request.
 */
final class WatchedEndPoint extends SocketChannelEndPoint {

    private static final int MOST_EARLY = 8 << 10;

    /** What was read too early, ready to be read from; nothing is allocated for most connections. */
    private ByteBuffer early = BufferUtil.EMPTY_BUFFER;

    private final SelectionKey key;

    WatchedEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler) {
        super(channel, selector, key, scheduler);
        this.key = key;
    }

    @Override
    public void doClose() {
        key.cancel();
        LingeringClose.close(getChannel(), super::doClose);
    }

    /** Whether the client has closed the connection; false as long as it sends what nobody has read yet. */
    synchronized boolean isPeerGone() {
        if (!isOpen()) {
            return true;
        }
        if (early.hasRemaining()) {
            return false;
        }
        ByteBuffer buffer = ByteBuffer.allocate(MOST_EARLY);
        try {
            int count = getChannel().read(buffer);
            if (count > 0) {
                early = buffer.flip();
            }
            return count < 0;
        } catch (IOException _) {
            return true;
        }
    }

    @Override
    public synchronized int fill(ByteBuffer buffer) throws IOException {
        if (early.hasRemaining()) {
            return BufferUtil.append(buffer, early);
        }
        return super.fill(buffer);
    }
}
