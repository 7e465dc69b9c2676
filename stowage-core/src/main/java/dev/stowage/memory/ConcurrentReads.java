package dev.stowage.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Reads of a file that any number of threads make at the same time, straight into native memory. They go through a channel
 * of their own, opened when first needed. An interrupt closes a channel for all threads that read from it; then they are
 * not served, the caller reads in another way, and a later read opens another channel.
 *
 * <p>Thread-safe. Closing must not race with any use.
 */
final class ConcurrentReads implements AutoCloseable {

    /** The answer where a read was not possible; nothing has been read then. */
    static final int NOT_READ = Integer.MIN_VALUE;

    private final Path path;
    private final @Nullable Object key;
    private volatile @Nullable FileChannel channel;
    private volatile boolean isElsewhere;

    /**
     * Reads of the file that the path named.
     *
     * @param key what the file system knows the file by; without it there is no telling whether the path still names it
     */
    ConcurrentReads(Path path, @Nullable Object key) {
        this.path = path;
        this.key = key;
        this.isElsewhere = key == null;
    }

    /**
     * Reads bytes from {@code position} on into a direct buffer.
     *
     * @return how many were read, -1 where the file ends before, or {@link #NOT_READ}
     */
    int tryRead(ByteBuffer target, long position) throws IOException {
        if (isElsewhere || Thread.currentThread().isInterrupted()) {
            return NOT_READ;
        }
        FileChannel open = channel;
        if (open == null) {
            open = open();
        }
        if (open == null) {
            return NOT_READ;
        }
        int before = target.position();
        try {
            return open.read(target, position);
        } catch (ClosedChannelException _) {
            // It may have read before it noticed that it was closed.
            target.position(before);
            forget(open);
            return NOT_READ;
        }
    }

    /** Opens the file again, unless its path names another one by now; that is not tried twice. */
    private synchronized @Nullable FileChannel open() throws IOException {
        FileChannel known = channel;
        if (known != null || isElsewhere) {
            return known;
        }
        FileChannel opened = null;
        try {
            if (isAtItsPath()) {
                opened = FileChannel.open(path, StandardOpenOption.READ);
                if (isAtItsPath()) {
                    channel = opened;
                    return opened;
                }
            }
        } catch (IOException | SecurityException _) {
            // It was opened before, and is read in the other way.
        }
        isElsewhere = true;
        if (opened != null) {
            opened.close();
        }
        return null;
    }

    private boolean isAtItsPath() throws IOException {
        return key != null && key.equals(OpenFile.keyOf(path));
    }

    private synchronized void forget(FileChannel closed) {
        if (closed.equals(channel)) {
            channel = null;
        }
    }

    @Override
    public synchronized void close() {
        isElsewhere = true;
        FileChannel open = channel;
        channel = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException _) {
                // Nothing was written, so nothing can be lost.
            }
        }
    }
}
