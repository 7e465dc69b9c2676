package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/**
 * A part of a file as a buffer: its bytes are read from the file when they are first touched, and weights are stored in
 * it without being loaded. The file stays open as long as the buffer does, and the bytes are those of the file that was
 * opened, whichever file the path names later.
 *
 * <p>Offsets are relative to the first byte mapped, and alignment is counted from the beginning of the file: a tensor
 * that the file has at a multiple of the alignment can be placed whatever part of the file is mapped.
 *
 * <h2>Files that change</h2>
 *
 * <p>A mapping is the file itself and not a copy. Writing to the file changes the tensors, and truncating it removes
 * bytes: those up to the end of the last page read as zero, and those after it are a fault (SIGBUS on Unix). {@link
 * #requireIntact()} asks the system for the size of the file, which takes about a microsecond, and refuses what was
 * truncated. Every transfer out of and into this buffer and every {@link #segment()} is preceded by it. What remains is
 * a file that is truncated after that check, while bytes are being accessed in place:
 *
 * <table>
 * <caption>Accesses to bytes that are gone, on HotSpot (JDK 25)</caption>
 * <tr><th>access</th><th>outcome</th></tr>
 * <tr><td>{@link #get}, {@link #getRows}, {@link Buffer#copy}</td><td>{@link AccessException} or, where other memory
 *     copies, {@link InternalError}</td></tr>
 * <tr><td>{@link MemorySegment} {@code get}, {@code copy}, {@code toArray}</td><td>{@link InternalError}</td></tr>
 * <tr><td>{@link MemorySegment#mismatch(MemorySegment)}, vectors loaded by compiled code</td><td>the process
 *     ends</td></tr>
 * </table>
 *
 * <p>HotSpot makes an error of a fault in compiled code only where the compiled method has a scalar access to native
 * memory as well, on which nothing here relies. Replace files by renaming a new one over them, which never harms a
 * mapping; where a file may be truncated while it is in use, load its tensors into memory instead of mapping it.
 *
 * <p>Thread-safe. Accesses to the same bytes must be ordered by the caller; closing may race with any
 * use.
 */
public final class MappedBuffer extends HostBuffer {

    private final OpenFile file;

    /** The first byte of the file after those that are mapped. */
    private final long end;

    private MappedBuffer(OpenFile file, long end, long alignment, MemorySegment segment, Arena arena) {
        super(foreignType(alignment).withName("mapped"), segment, arena);
        this.file = file;
        this.end = end;
    }

    /**
     * Maps {@code length} bytes from {@code offset} on, for reading; tensors in it are aligned to
     * {@value HostBuffer#FOREIGN_ALIGNMENT} bytes.
     *
     * @throws AccessException if the file does not have these bytes
     * @throws AllocationException if the file cannot be opened or mapped
     */
    public static MappedBuffer map(Path path, long offset, long length) {
        return map(path, offset, length, FOREIGN_ALIGNMENT);
    }

    /** As {@link #map(Path, long, long)}, with another alignment of the tensors in it. */
    public static MappedBuffer map(Path path, long offset, long length, long alignment) {
        return open(path, offset, length, alignment, MapMode.READ_ONLY, OpenFile::open);
    }

    /**
     * As {@link #map(Path, long, long, long)}, of a file that is open already. The buffer owns the file from now on and
     * closes it when it is closed; if this fails the file stays the caller's.
     *
     * @throws AccessException if the file does not have these bytes
     * @throws AllocationException if the file cannot be mapped
     * @throws ClosedException if the file was closed
     */
    public static MappedBuffer map(OpenFile file, long offset, long length, long alignment) {
        Alignment.requirePowerOfTwo(alignment, "mapped");
        try {
            return map(file, offset, length, alignment, MapMode.READ_ONLY);
        } catch (IOException e) {
            throw notMapped(file.path(), offset, length, e);
        }
    }

    /**
     * Maps {@code length} bytes from {@code offset} on, for reading and writing; what is written stays in this buffer
     * and never reaches the file. The file must nevertheless be one that this process may write.
     *
     * @throws AccessException if the file does not have these bytes
     * @throws AllocationException if the file cannot be opened or mapped
     */
    public static MappedBuffer mapPrivately(Path path, long offset, long length) {
        return mapPrivately(path, offset, length, FOREIGN_ALIGNMENT);
    }

    /** As {@link #mapPrivately(Path, long, long)}, with another alignment of the tensors in it. */
    public static MappedBuffer mapPrivately(Path path, long offset, long length, long alignment) {
        return open(path, offset, length, alignment, MapMode.PRIVATE, OpenFile::openForPrivateMapping);
    }

    /** A way to open a file. */
    @FunctionalInterface
    private interface Opening {
        OpenFile open(Path path) throws IOException;
    }

    private static MappedBuffer open(
            Path path, long offset, long length, long alignment, MapMode mode, Opening opening) {
        Alignment.requirePowerOfTwo(alignment, "mapped");
        try {
            OpenFile file = opening.open(path);
            try {
                return map(file, offset, length, alignment, mode);
            } catch (IOException | RuntimeException | Error e) {
                file.close();
                throw e;
            }
        } catch (IOException e) {
            throw notMapped(path, offset, length, e);
        }
    }

    private static MappedBuffer map(OpenFile file, long offset, long length, long alignment, MapMode mode)
            throws IOException {
        requireRange(file.path(), offset, length, file.size());
        Arena arena = Arena.ofShared();
        try {
            MemorySegment segment = file.map(mode, offset, length, arena);
            return new MappedBuffer(file, offset + length, alignment, segment, arena);
        } catch (IOException | RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    private static AllocationException notMapped(Path path, long offset, long length, IOException e) {
        return new AllocationException(
                "cannot map " + length + " bytes at byte " + offset + " of " + path + ": " + e,
                "mapped",
                length,
                -1,
                e);
    }

    private static void requireRange(Path path, long offset, long length, long fileSize) {
        if (offset < 0 || length < 0 || length > fileSize - offset) {
            throw new AccessException("cannot map " + length + " bytes at byte " + offset + " of " + path
                    + ", which has " + fileSize + " bytes");
        }
    }

    /** The file whose bytes these are. */
    public Path path() {
        return file.path();
    }

    /**
     * Checks that the file still has every byte that is mapped: to be called before bytes are accessed in place, once
     * for any number of accesses. It costs a call of the system, and nothing else changes.
     *
     * @throws AccessException if the file was truncated; the message says what size it had and has
     * @throws ClosedException if this buffer is closed
     */
    public void requireIntact() {
        requireOpen();
        checkSize();
    }

    private void checkSize() {
        if (size() == 0) {
            return;
        }
        long now;
        try {
            now = file.size();
        } catch (IOException e) {
            throw new AccessException("the size of " + path() + ", which is mapped, cannot be had any more: " + e);
        }
        if (now < end) {
            throw new AccessException(path() + " was truncated while it was mapped up to byte " + end + ": it had "
                    + file.sizeWhenOpened() + " bytes when it was opened and has " + now
                    + " now. Restore the file and open it again; where it may be truncated while it is in use, load the"
                    + " tensors into memory instead of mapping it");
        }
    }

    /** Checks that no bytes are missing, once per run or transfer. */
    @Override
    protected void onAcquire() {
        checkSize();
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        copyOut(tensor, offset, target);
    }

    /** Copies bytes of a file that was intact a moment ago. */
    void copyOut(BoundTensor tensor, long offset, MemorySegment target) {
        try {
            super.doGet(tensor, offset, target);
        } catch (InternalError e) {
            requireIntact();
            throw e;
        }
    }

    @Override
    protected void doClose() {
        try {
            super.doClose();
        } finally {
            file.close();
        }
    }

    @Override
    public String toString() {
        return super.toString() + " of " + path();
    }
}
