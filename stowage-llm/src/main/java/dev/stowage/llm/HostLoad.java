package dev.stowage.llm;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;

/** Reads weights from a file into host memory, in pieces that several threads read at once. Used by one thread. */
final class HostLoad implements AutoCloseable {

    private static final long PIECE_BYTES = 16L << 20;

    private final GgufFile file;
    private final LongConsumer arrived;
    private final ReaderThreads threads = new ReaderThreads();
    private final Deque<Piece> reading = new ArrayDeque<>();

    /** Bytes that are being read. */
    private record Piece(long bytes, Future<?> read) {}

    /**
     * Loads from that file.
     *
     * @param arrived is given the bytes of each piece that has arrived
     */
    HostLoad(GgufFile file, LongConsumer arrived) {
        this.file = file;
        this.arrived = arrived;
    }

    /** Whether the bytes of a buffer are those of its tensors, so that they can be read to where they belong. */
    static boolean serves(Buffer buffer) {
        return buffer.hasSegment() && !buffer.isReadOnly();
    }

    /**
     * Has the weight of that name read into a tensor; {@link #finish()} waits for it.
     *
     * @throws InvalidTensorException if the file has another type or shape for it
     */
    void load(Tensor tensor, String name) {
        GgufTensor found = file.contents().tensor(name);
        if (!found.layout().equals(tensor.layout())) {
            throw new InvalidTensorException(tensor.describe() + " is " + found.layout() + " in the file");
        }
        MemorySegment all = Buffer.of(tensor).segment().asSlice(tensor.storageOffset(), tensor.byteSize());
        for (long at = 0; at < all.byteSize(); at += PIECE_BYTES) {
            long from = at;
            MemorySegment piece = all.asSlice(at, Math.min(PIECE_BYTES, all.byteSize() - at));
            reading.add(new Piece(piece.byteSize(), threads.submit(() -> file.read(found, from, piece))));
        }
    }

    /** Waits until everything has been read. */
    void finish() {
        while (!reading.isEmpty()) {
            Piece piece = reading.removeFirst();
            Background.await(piece.read());
            arrived.accept(piece.bytes());
        }
    }

    /** Gives up what has not been read yet, and waits for the threads, which write into memory of the caller. */
    @Override
    public void close() {
        reading.forEach(piece -> piece.read().cancel(false));
        threads.close();
    }
}
