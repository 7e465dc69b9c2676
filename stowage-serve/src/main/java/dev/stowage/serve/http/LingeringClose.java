package dev.stowage.serve.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * Closes a connection in a way that its client sees the last answer. The system resets a connection that is closed while its
 * client still sends, and a reset overtakes an answer that has not been read. So nothing more is sent, what still comes is read
 * and forgotten, and the connection is closed when the client has closed it, or after a short time.
 */
final class LingeringClose {

    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final long LOOK_MILLIS = 5;
    private static final int PIECE = 16 << 10;

    /** With more than these, connections are closed at once. */
    private static final Semaphore SOME = new Semaphore(64);

    private LingeringClose() {}

    /** Closes a connection that does not block, now or soon. */
    static void close(SocketChannel channel, Runnable close) {
        if (!channel.isOpen() || hasEnded(channel, ByteBuffer.allocate(PIECE)) || !SOME.tryAcquire()) {
            close.run();
            return;
        }
        Thread.ofVirtual().name("stowage-http-close").start(() -> {
            try {
                awaitEnd(channel);
            } finally {
                SOME.release();
                close.run();
            }
        });
    }

    private static void awaitEnd(SocketChannel channel) {
        long start = System.nanoTime();
        ByteBuffer piece = ByteBuffer.allocate(PIECE);
        try {
            channel.shutdownOutput();
            while (!hasEnded(channel, piece) && System.nanoTime() - start < LONGEST.toNanos()) {
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (IOException _) {
            // It is closed already.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads what has come; says whether the client has closed its side. */
    private static boolean hasEnded(SocketChannel channel, ByteBuffer piece) {
        try {
            int count = channel.read(piece.clear());
            while (count > 0) {
                count = channel.read(piece.clear());
            }
            return count < 0;
        } catch (IOException _) {
            return true;
        }
    }
}
