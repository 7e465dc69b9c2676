package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * A part of a file as a buffer: its bytes are read from the file when they are first touched, and weights lie in it
 * without being loaded. The mapping keeps the file's contents reachable until the buffer is closed; the file must not
 * be cut short in the meantime, as the JVM then fails on the bytes that are gone.
 *
 * <p>Offsets are relative to the first byte mapped, and alignment is counted from the beginning of the file: a tensor
 * that the file has at a multiple of the alignment can be placed whatever part of the file is mapped.
 *
 * <p>May be used from any thread. Accesses to the same bytes are for the caller to order, and closing must not race
 * with any use.
 */
public final class MappedBuffer extends HostBuffer {

    private final Path path;

    private MappedBuffer(Path path, long alignment, MemorySegment segment, Arena arena) {
        super(foreignType(alignment).withName("mapped"), segment, arena);
        this.path = path;
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
        return open(path, offset, length, alignment, MapMode.READ_ONLY, Set.of(StandardOpenOption.READ));
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
        return open(
                path,
                offset,
                length,
                alignment,
                MapMode.PRIVATE,
                Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    private static MappedBuffer open(
            Path path, long offset, long length, long alignment, MapMode mode, Set<StandardOpenOption> options) {
        Alignment.requirePowerOfTwo(alignment, "mapped");
        Arena arena = Arena.ofShared();
        try (FileChannel file = FileChannel.open(path, options)) {
            requireRange(path, offset, length, file.size());
            MemorySegment segment = file.map(mode, offset, length, arena);
            return new MappedBuffer(path, alignment, segment, arena);
        } catch (IOException e) {
            arena.close();
            throw new AllocationException(
                    "cannot map " + length + " bytes at byte " + offset + " of " + path + ": " + e,
                    "mapped",
                    length,
                    -1,
                    e);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    private static void requireRange(Path path, long offset, long length, long fileSize) {
        if (offset < 0 || length < 0 || length > fileSize - offset) {
            throw new AccessException("cannot map " + length + " bytes at byte " + offset + " of " + path
                    + ", which has " + fileSize + " bytes");
        }
    }

    /** The file whose bytes these are. */
    public Path path() {
        return path;
    }

    @Override
    public String toString() {
        return super.toString() + " of " + path;
    }
}
