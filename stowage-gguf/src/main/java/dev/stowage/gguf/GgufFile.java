package dev.stowage.gguf;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.HostBuffer;
import dev.stowage.memory.MappedBuffer;
import dev.stowage.memory.OpenFile;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A model opened with its data. The data is mapped: a tensor of the file is used in place, and its bytes are read
 * when they are first touched. Weights for other memory are {@linkplain #load(Tensor) loaded} instead, in pieces.
 *
 * {@snippet class="dev.stowage.gguf.GgufSnippetTest" region="load"}
 *
 * <p>The file must stay as it is while it is open; another may be renamed over it. Whenever a tensor is asked for,
 * placed or loaded, its file is checked to be still long enough, and loading never fails worse than with an exception.
 * What happens to code that computes on mapped bytes of a file that is truncated after that check is described at
 * {@link MappedBuffer}: the process may end. Where files may be truncated while they are in use, load all tensors.
 *
 * <p>May be used from any thread, interrupted or not, and closing must not race with any use.
 */
public final class GgufFile implements AutoCloseable {

    private final GgufContents contents;
    private final List<OpenFile> files;
    private final List<MappedBuffer> buffers = new ArrayList<>();
    private volatile boolean closed;

    private GgufFile(GgufContents contents, List<OpenFile> files) {
        this.contents = contents;
        this.files = List.copyOf(files);
    }

    /**
     * Opens a model with its data. Of a split model any part may be named, and all of them are opened. Header and data
     * are those of the same file, whatever happens to the path meanwhile.
     *
     * @throws MalformedDataException if a file is missing, is not a GGUF file or lacks data, or parts do not belong
     *     together or were replaced while they were opened
     * @throws AllocationException if a file cannot be mapped
     */
    public static GgufFile open(Path file) {
        List<OpenFile> files = new ArrayList<>();
        try {
            return map(GgufContents.read(file, files), files);
        } catch (RuntimeException | Error e) {
            GgufContents.closeAll(files);
            throw e;
        }
    }

    /** Maps the data of a model whose files are open; if it fails they are still to be closed. */
    static GgufFile map(GgufContents contents, List<OpenFile> files) {
        GgufFile opened = new GgufFile(contents, files);
        try {
            opened.map();
            return opened;
        } catch (RuntimeException | Error e) {
            opened.closeBuffers();
            throw e;
        }
    }

    private void map() {
        contents.requireData();
        for (int i = 0; i < files.size(); i++) {
            GgufHeader part = contents.parts().get(i);
            long bytes = part.dataBytes();
            long alignment = Math.min(part.alignment(), HostBuffer.FOREIGN_ALIGNMENT);
            MappedBuffer buffer;
            try {
                buffer = MappedBuffer.map(files.get(i), bytes == 0 ? 0 : part.dataOffset(), bytes, alignment);
            } catch (AccessException e) {
                throw new MalformedDataException(part.file() + " was cut short while it was opened", e);
            }
            buffer.setUsage(BufferUsage.WEIGHTS);
            buffers.add(buffer);
        }
    }

    /** What the model says of itself. */
    public GgufContents contents() {
        return contents;
    }

    /** The metadata of the model. */
    public GgufMetadata metadata() {
        return contents.metadata();
    }

    /** The mapped data, a buffer for each part of the model. They are closed with this file. */
    public List<MappedBuffer> buffers() {
        return List.copyOf(buffers);
    }

    /**
     * The mapped data that a tensor of the model is stored in.
     *
     * @throws MalformedDataException if there is none of that name
     */
    public MappedBuffer bufferOf(String name) {
        return buffers.get(contents.tensor(name).part());
    }

    /**
     * A tensor of the model, in place: a new leaf with the tensor's name, marked as a weight, that is stored in the
     * mapped file.
     *
     * @throws MalformedDataException if there is none of that name, or its file has become too short
     */
    public Tensor tensor(String name) {
        Tensor tensor = contents.tensor(name).newWeight();
        place(tensor);
        return tensor;
    }

    /**
     * Places a tensor of the caller, with the name, type and shape of one of the model, in the mapped file.
     *
     * @throws MalformedDataException if the model has none of that name, or its file has become too short
     * @throws InvalidTensorException if the model's has another type or shape
     */
    public void place(Tensor tensor) {
        place(tensor, tensor.name());
    }

    /** As {@link #place(Tensor)}, for a tensor that goes by another name than the model's. */
    public void place(Tensor tensor, String name) {
        GgufTensor found = usable(tensor, name);
        buffers.get(found.part()).place(tensor, found.offset());
    }

    /**
     * Copies the data of the model's tensor of that name, type and shape into a tensor that is stored in other memory,
     * of whichever device.
     *
     * @throws MalformedDataException if the model has none of that name, or its file has become too short
     * @throws InvalidTensorException if the model's has another type or shape
     * @throws AccessException if the tensor has no place yet, or cannot be written
     */
    public void load(Tensor tensor) {
        load(tensor, tensor.name());
    }

    /** As {@link #load(Tensor)}, for a tensor that goes by another name than the model's. */
    public void load(Tensor tensor, String name) {
        GgufTensor found = usable(tensor, name);
        Buffer target = Buffer.of(tensor);
        if (target.hasSegment() && !target.isReadOnly()) {
            MemorySegment all = target.segment().asSlice(tensor.storageOffset(), tensor.byteSize());
            read(found, 0, all);
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(Math.clamp(found.byteSize(), 1, Pieces.SIZE));
            for (long at = 0; at < found.byteSize(); at += Pieces.SIZE) {
                MemorySegment part = piece.asSlice(0, Math.min(Pieces.SIZE, found.byteSize() - at));
                read(found, at, part);
                target.set(tensor, at, part);
            }
        }
    }

    /**
     * Reads bytes of a tensor's data into memory, past the mapping: for callers that read a model once.
     *
     * @throws AccessException if the tensor does not have that many bytes from the offset on, or the memory is
     *     read-only
     * @throws MalformedDataException if the file cannot be read or has become too short
     */
    public void read(GgufTensor tensor, long offset, MemorySegment target) {
        requireOpen();
        if (offset < 0 || target.byteSize() > tensor.byteSize() - offset) {
            throw new AccessException("cannot read " + target.byteSize() + " bytes at byte " + offset + " of tensor "
                    + tensor.spec().describe() + ", which has " + tensor.byteSize());
        }
        if (target.isReadOnly()) {
            throw new AccessException("cannot read tensor " + tensor.spec().describe() + " into read-only memory");
        }
        GgufHeader part = contents.parts().get(tensor.part());
        OpenFile file = files.get(tensor.part());
        long start = part.dataOffset() + tensor.offset() + offset;
        try {
            long got = Pieces.read(file, start, target);
            if (got < target.byteSize()) {
                part.requireData(tensor, file.size());
                throw new MalformedDataException(part.file() + ", byte " + (start + got) + ", data of tensor '"
                        + Printable.brief(tensor.name()) + "': the file ended here for a moment");
            }
        } catch (IOException e) {
            throw new MalformedDataException(
                    part.file() + ", byte " + start + ", data of tensor '" + Printable.brief(tensor.name())
                            + "': it cannot be read: " + e,
                    e);
        }
    }

    private GgufTensor usable(Tensor tensor, String name) {
        requireOpen();
        GgufTensor found = contents.tensor(name);
        if (!found.layout().equals(tensor.layout())) {
            throw new InvalidTensorException(tensor.describe() + " is " + found.layout() + " in "
                    + contents.parts().get(found.part()).file());
        }
        GgufHeader part = contents.parts().get(found.part());
        try {
            part.requireData(found, files.get(found.part()).size());
        } catch (IOException e) {
            throw new MalformedDataException(part.file() + " cannot be read: " + e, e);
        }
        return found;
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException(contents.parts().getFirst().file() + " was closed and cannot be used any more");
        }
    }

    /** Ends the mappings and closes the files; tensors that are stored in them cannot be used any more. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            closeBuffers();
        }
    }

    /** Each closes its file with it. */
    private void closeBuffers() {
        buffers.forEach(MappedBuffer::close);
    }
}
