package dev.stowage.memory;

import dev.stowage.error.ClosedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file that is opened once for everything that is done with it: reads and mappings refer to the same file, even if
 * its path names another one later.
 *
 * <p>A {@link java.nio.channels.FileChannel} would not do for a file that several threads share: it is closed for all
 * of them as soon as one is interrupted while it reads or asks for the size. Nothing here can be interrupted, except
 * mapping, which comes before the file is shared, and {@link ConcurrentReads}, which nothing depends on.
 *
 * <p>Thread-safe. Closing must not race with any use.
 */
public final class OpenFile implements AutoCloseable {

    /** The bytes that are read at once into memory that is not an array. */
    private static final int PIECE = 1 << 20;

    private final Path path;
    private final RandomAccessFile file;
    private final @Nullable Object key;
    private final long sizeWhenOpened;
    private final ConcurrentReads concurrent;
    private volatile boolean closed;

    private OpenFile(Path path, RandomAccessFile file, @Nullable Object key) throws IOException {
        this.path = path;
        this.file = file;
        this.key = key;
        this.sizeWhenOpened = file.length();
        this.concurrent = new ConcurrentReads(path, key);
    }

    /**
     * Opens a file for reading.
     *
     * @throws NoSuchFileException if there is none
     * @throws IOException if it cannot be opened, or is not in the default file system, where files can be mapped
     */
    public static OpenFile open(Path path) throws IOException {
        return open(path, "r");
    }

    /** As {@link #open(Path)}, with a right to write, which a private mapping needs although it never does. */
    static OpenFile openForPrivateMapping(Path path) throws IOException {
        if (!Files.exists(path)) {
            // Opening it for writing would create it.
            throw new NoSuchFileException(path.toString());
        }
        return open(path, "rw");
    }

    private static OpenFile open(Path path, String mode) throws IOException {
        if (!path.getFileSystem().equals(FileSystems.getDefault())) {
            throw new IOException("it is not a file of the default file system: copy it there first");
        }
        @Nullable Object before = keyOf(path);
        RandomAccessFile file = newFile(path, mode);
        try {
            // Where the two differ the path was given to another file meanwhile, and which one was opened is not known.
            @Nullable Object after = keyOf(path);
            return new OpenFile(path, file, Objects.equals(before, after) ? after : new Object());
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    private static RandomAccessFile newFile(Path path, String mode) throws IOException {
        try {
            return new RandomAccessFile(path.toFile(), mode);
        } catch (FileNotFoundException e) {
            // The one exception of this class for every reason; callers distinguish them.
            if (Files.notExists(path)) {
                throw new NoSuchFileException(path.toString());
            }
            boolean allowed = Files.isReadable(path) && (mode.equals("r") || Files.isWritable(path));
            throw allowed ? e : new AccessDeniedException(path.toString());
        }
    }

    /** What the file system knows the file of that path by; null where it has no such thing, or there is no file. */
    static @Nullable Object keyOf(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        } catch (NoSuchFileException _) {
            return null;
        }
    }

    /** The path it was opened by. */
    public Path path() {
        return path;
    }

    /** The bytes it had when it was opened. */
    public long sizeWhenOpened() {
        return sizeWhenOpened;
    }

    /**
     * The bytes it has now, asked of the system each time.
     *
     * @throws ClosedException if it was closed
     */
    public long size() throws IOException {
        requireOpen();
        return file.length();
    }

    /**
     * Whether the path it was opened by has named this very file from then until now, as far as the file system says:
     * for callers that open several files that belong together and must be of one version.
     */
    public boolean isStillAtItsPath() throws IOException {
        requireOpen();
        return Objects.equals(key, keyOf(path));
    }

    /**
     * Reads bytes from {@code position} on into what is left of {@code target}, and says how many: at least one unless
     * nothing is left of the target, or -1 where the file ends before. Threads that read into direct buffers do so at the
     * same time; all others take turns.
     *
     * @throws ClosedException if it was closed
     */
    public int read(ByteBuffer target, long position) throws IOException {
        requireOpen();
        if (!target.hasRemaining()) {
            return 0;
        }
        if (target.hasArray()) {
            int from = target.arrayOffset() + target.position();
            int got = read(target.array(), from, target.remaining(), position);
            target.position(target.position() + Math.max(got, 0));
            return got;
        }
        int read = target.isDirect() ? concurrent.tryRead(target, position) : ConcurrentReads.NOT_READ;
        if (read != ConcurrentReads.NOT_READ) {
            return read;
        }
        byte[] piece = new byte[Math.min(PIECE, target.remaining())];
        int got = read(piece, 0, piece.length, position);
        target.put(piece, 0, Math.max(got, 0));
        return got;
    }

    private int read(byte[] target, int from, int length, long position) throws IOException {
        // The position belongs to the file and not to the call.
        synchronized (file) {
            file.seek(position);
            return file.read(target, from, Math.min(length, PIECE));
        }
    }

    /**
     * Maps a part of the file. A thread that is interrupted already maps nevertheless; one that is interrupted in the
     * middle may fail, and the file is closed then.
     */
    MemorySegment map(MapMode mode, long offset, long length, Arena arena) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            return file.getChannel().map(mode, offset, length, arena);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException(path + " was closed and cannot be read any more");
        }
    }

    /** Closes the file; what is mapped of it stays. Closing again has no effect. */
    @Override
    public void close() {
        closed = true;
        concurrent.close();
        try {
            file.close();
        } catch (IOException _) {
            // Nothing was written, so nothing can be lost.
        }
    }
}
