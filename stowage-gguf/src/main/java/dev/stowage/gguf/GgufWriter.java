package dev.stowage.gguf;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.error.MalformedDataException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes a file: first what it is to hold, then the data of its tensors, in any order and from any number of threads.
 * Everything goes into a file beside the target, which takes the target's name only when {@link #finish()} finds it
 * complete; until then the target stays as it was, and without it nothing is left over.
 *
 * {@snippet class="dev.stowage.gguf.GgufSnippetTest" region="write"}
 *
 * <p>Files are of version 3. Tensors are stored in the order given, each at the next multiple of the alignment, which
 * is that of the metadata or {@value GgufHeader#DEFAULT_ALIGNMENT}.
 */
public final class GgufWriter implements AutoCloseable {

    private static final AtomicLong SERIALS = new AtomicLong();

    private final Path target;
    private final Path unfinished;
    private final FileChannel channel;
    private final long dataOffset;
    private final Map<String, GgufTensor> tensors = new HashMap<>();
    private final Map<String, AtomicLong> written = new HashMap<>();
    private volatile boolean done;

    private GgufWriter(Path target, Path unfinished, FileChannel channel, List<GgufTensor> tensors, long dataOffset) {
        this.target = target;
        this.unfinished = unfinished;
        this.channel = channel;
        this.dataOffset = dataOffset;
        for (GgufTensor tensor : tensors) {
            this.tensors.put(tensor.name(), tensor);
            this.written.put(tensor.name(), new AtomicLong());
        }
    }

    /**
     * Begins a file.
     *
     * @throws MalformedDataException if the metadata has an alignment that is none
     * @throws InvalidTensorException if two tensors have one name
     * @throws UncheckedIOException if the file cannot be written
     */
    public static GgufWriter create(Path file, GgufMetadata metadata, List<TensorSpec> specs) {
        long alignment = alignment(metadata);
        List<GgufTensor> tensors = placed(specs, alignment);
        byte[] head = HeaderWriter.bytes(metadata, tensors, alignment);
        try {
            requireReplaceable(file);
            // A link stays, and what it points to is replaced.
            Path target = Files.exists(file) ? file.toRealPath() : file;
            Path unfinished = target.resolveSibling(target.getFileName() + "."
                    + ProcessHandle.current().pid() + "-" + SERIALS.getAndIncrement() + ".part");
            FileChannel channel = FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            // For a process that is ended from outside; a file that has its name by then is no longer meant.
            unfinished.toFile().deleteOnExit();
            GgufWriter writer = new GgufWriter(target, unfinished, channel, tensors, head.length);
            try {
                Pieces.write(channel, 0, MemorySegment.ofArray(head));
                writer.stretch(head.length, tensors, alignment);
            } catch (IOException | RuntimeException | Error e) {
                writer.giveUp(e);
                throw e;
            }
            return writer;
        } catch (IOException e) {
            throw failure(file, e);
        }
    }

    private static long alignment(GgufMetadata metadata) {
        GgufValue value =
                metadata.find(GgufMetadata.ALIGNMENT).orElseGet(() -> GgufValue.uint32(GgufHeader.DEFAULT_ALIGNMENT));
        if (value instanceof GgufValue.Whole(GgufType type, long alignment)
                && type == GgufType.UINT32
                && alignment >= Long.BYTES
                && Long.bitCount(alignment) == 1) {
            return alignment;
        }
        throw new MalformedDataException("the key '" + GgufMetadata.ALIGNMENT + "' must be a power of two of at least "
                + Long.BYTES + " and type u32, not " + value.display() + " and " + value.type());
    }

    private static List<GgufTensor> placed(List<TensorSpec> specs, long alignment) {
        List<GgufTensor> tensors = new ArrayList<>();
        Map<String, TensorSpec> names = new HashMap<>();
        long offset = 0;
        for (TensorSpec spec : specs) {
            if (names.put(spec.name(), spec) != null) {
                throw new InvalidTensorException("there are two tensors with the name '" + spec.name() + "'");
            }
            tensors.add(new GgufTensor(spec, 0, offset));
            if (spec.byteSize() > Long.MAX_VALUE - 2 * alignment - offset) {
                throw new InvalidTensorException(
                        "tensor " + spec.describe() + " takes the file past the bytes that a file can have");
            }
            offset = Math.ceilDiv(offset + spec.byteSize(), alignment) * alignment;
        }
        return tensors;
    }

    private static void requireReplaceable(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new IOException("there is no directory " + folder);
        }
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new IOException("it is " + (Files.isDirectory(file) ? "a directory" : "not a regular file"));
        }
    }

    /** Makes the file as long as it will be, which also finds out whether it is too long for its file system. */
    private void stretch(long headBytes, List<GgufTensor> all, long alignment) throws IOException {
        if (!all.isEmpty()) {
            long end = headBytes + Math.ceilDiv(all.getLast().end(), alignment) * alignment;
            if (end > headBytes) {
                Pieces.write(channel, end - 1, MemorySegment.ofArray(new byte[1]));
            }
        }
    }

    /** The tensors with their places, by name. */
    public Map<String, GgufTensor> tensors() {
        return Map.copyOf(tensors);
    }

    /**
     * Writes bytes of a tensor's data, each byte once. May be called from many threads at a time.
     *
     * @throws AccessException if there is no such tensor, or it has no such bytes
     * @throws UncheckedIOException if they cannot be written
     */
    public void write(String name, long offset, MemorySegment bytes) {
        requireUnfinished();
        GgufTensor tensor = tensors.get(name);
        AtomicLong count = written.get(name);
        if (tensor == null || count == null) {
            throw new AccessException("there is no tensor '" + name + "' in " + target);
        }
        if (offset < 0 || bytes.byteSize() > tensor.byteSize() - offset) {
            throw new AccessException("cannot write " + bytes.byteSize() + " bytes at byte " + offset + " of tensor "
                    + tensor.spec().describe() + ", which has " + tensor.byteSize());
        }
        try {
            Pieces.write(channel, dataOffset + tensor.offset() + offset, bytes);
        } catch (IOException e) {
            throw failure(target, e);
        }
        count.addAndGet(bytes.byteSize());
    }

    /**
     * Gives the complete file its name.
     *
     * @throws AccessException if bytes of a tensor were not written
     * @throws UncheckedIOException if the file cannot be completed or moved
     */
    public void finish() {
        requireUnfinished();
        for (GgufTensor tensor : tensors.values()) {
            AtomicLong count = written.get(tensor.name());
            if (count == null || count.get() != tensor.byteSize()) {
                throw new AccessException("of tensor " + tensor.spec().describe() + " " + count + " bytes were written,"
                        + " but it has " + tensor.byteSize());
            }
        }
        try {
            channel.force(true);
            channel.close();
            move();
            done = true;
        } catch (IOException e) {
            throw failure(target, e);
        }
    }

    private void move() throws IOException {
        try {
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException _) {
            Files.move(unfinished, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private void requireUnfinished() {
        if (done) {
            throw new ClosedException(target + " is finished or was given up, and cannot be written to any more");
        }
    }

    /** Gives up, unless the file is finished: takes away what was written. */
    @Override
    public void close() {
        if (done) {
            return;
        }
        done = true;
        try {
            channel.close();
            Files.deleteIfExists(unfinished);
        } catch (IOException e) {
            throw failure(target, e);
        }
    }

    private void giveUp(Throwable reason) {
        try {
            close();
        } catch (RuntimeException e) {
            reason.addSuppressed(e);
        }
    }

    private static UncheckedIOException failure(Path file, IOException e) {
        return new UncheckedIOException(new IOException("cannot write " + file + ": " + reason(e), e));
    }

    /** The message of many of these is the name of a file and nothing else. */
    private static String reason(IOException e) {
        return switch (e) {
            case AccessDeniedException _ -> "access denied";
            case NoSuchFileException _ -> "no file can be made there";
            default -> e.getMessage() == null ? e.toString() : e.getMessage();
        };
    }
}
