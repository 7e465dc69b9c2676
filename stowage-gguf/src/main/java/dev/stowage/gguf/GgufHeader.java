package dev.stowage.gguf;

import dev.stowage.error.MalformedDataException;
import dev.stowage.memory.OpenFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * The header of one file: everything but the data of its tensors, which need not be present.
 *
 * @param file the file
 * @param version 2 or 3
 * @param metadata the entries of this file; those of a split model are in its first
 * @param alignment what the offsets of tensors are multiples of, a power of two
 * @param tensors the tensors of this file, in its order
 * @param dataOffset the byte of the file at which the data of tensors begins
 * @param fileSize the bytes the file had when it was read
 */
public record GgufHeader(
        Path file,
        int version,
        GgufMetadata metadata,
        long alignment,
        List<GgufTensor> tensors,
        long dataOffset,
        long fileSize) {

    /** The alignment of files that do not say theirs. */
    public static final int DEFAULT_ALIGNMENT = 32;

    public GgufHeader {
        tensors = List.copyOf(tensors);
    }

    /**
     * Reads the head of one file. The data may be missing or cut short.
     *
     * @throws MalformedDataException if the file cannot be read or is not a GGUF file; the message names byte and field
     */
    public static GgufHeader read(Path file) {
        try (OpenFile opened = open(file)) {
            return read(opened, 0);
        } catch (IOException e) {
            throw new MalformedDataException(file + " cannot be read: " + e, e);
        }
    }

    static GgufHeader read(OpenFile file, int part) throws IOException {
        long size = file.size();
        return new HeaderReader(
                        file.path(), new GgufInput(file::read, file.path().toString(), size), part)
                .read(size);
    }

    /** Opens a file for reading, unless it is something else: a pipe, say, could block for ever. */
    static OpenFile open(Path file) {
        try {
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                throw new MalformedDataException(
                        file + " is " + (Files.isDirectory(file) ? "a directory" : "not a regular file"));
            }
            return OpenFile.open(file);
        } catch (NoSuchFileException e) {
            throw new MalformedDataException("no such file: " + file, e);
        } catch (IOException e) {
            throw new MalformedDataException(file + " cannot be read: " + e, e);
        }
    }

    /** The bytes of all tensors from the first to the last, gaps between them included. */
    public long dataBytes() {
        return tensors.stream().mapToLong(GgufTensor::end).max().orElse(0);
    }

    /**
     * Checks that the file has the data of all tensors.
     *
     * @throws MalformedDataException if it does not; the message names the first tensor that is missing
     */
    public void requireData() {
        requireData(fileSize);
    }

    void requireData(long sizeNow) {
        for (GgufTensor tensor : tensors) {
            requireData(tensor, sizeNow);
        }
    }

    /** Checks that the file, of which is known how long it is at this moment, has the data of a tensor. */
    void requireData(GgufTensor tensor, long sizeNow) {
        if (sizeNow - dataOffset < tensor.end()) {
            throw new MalformedDataException(file + ", byte " + (dataOffset + tensor.offset()) + ", data of tensor '"
                    + Printable.brief(tensor.name())
                    + "': it needs " + tensor.byteSize() + " bytes, but the file ends at byte " + sizeNow
                    + (sizeNow < fileSize
                            ? ": it had " + fileSize + " bytes when it was opened and was cut short since"
                            : ": it is cut short or not yet complete, and "
                                    + (dataOffset + dataBytes() - sizeNow) + " of its "
                                    + (dataOffset + dataBytes()) + " bytes are missing"));
        }
    }
}
