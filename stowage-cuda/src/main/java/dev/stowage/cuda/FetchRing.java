package dev.stowage.cuda;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.driver.Driver.Context;
import dev.stowage.cuda.driver.Driver.EventHandle;
import dev.stowage.cuda.driver.Driver.Stream;
import dev.stowage.cuda.memory.DeviceContext;
import dev.stowage.cuda.memory.ResourceStack;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Device memory that is filled from pinned host memory by a stream of its own, from its first byte to its last and then from
 * the first again, in chunks. A chunk is copied to its target in the stream that it is for, and its memory is filled again
 * after that.
 *
 * <pre>
 *   fetching  ── chunk 0 ── chunk 1 ── chunk 2 ── waits until chunk 0 was copied ── chunk 3 ──
 *                       ╲          ╲
 *   stream    ── earlier work ── chunk 0 to its target ── chunk 1 to its target ── work ──
 * </pre>
 *
 * Used by one thread at a time.
 */
final class FetchRing implements AutoCloseable {

    private static final long ALIGNMENT = 256;

    private final DeviceContext device;
    private final Driver driver;
    private final Context context;
    private final Stream stream;
    private final long size;
    private final int mostChunks;
    private final ResourceStack resources = new ResourceStack();
    private final long memory;
    private final Stream fetching;

    /** The chunks whose memory was not given to another one yet, from the oldest on. */
    private final Deque<Chunk> chunks = new ArrayDeque<>();

    private final Deque<Chunk> spare = new ArrayDeque<>();

    /** The last chunk whose memory is free once it was copied, unless the fetching stream waits for that already. */
    private @Nullable Chunk released;

    /** Where the next chunk begins, counted over all rounds. */
    private long end;

    /** Bytes of the ring, with the events that say that they have arrived, and that they were copied to their target. */
    static final class Chunk {
        private final EventHandle arrived;
        private final EventHandle copied;
        private long start;
        private long bytes;
        private boolean isPending;
        private boolean isCopied;

        private Chunk(EventHandle arrived, EventHandle copied) {
            this.arrived = arrived;
            this.copied = copied;
        }

        long bytes() {
            return bytes;
        }
    }

    /**
     * Takes memory and a stream from the driver.
     *
     * @param stream the stream that bytes are fetched for
     * @throws dev.stowage.error.AllocationException if there is too little memory
     */
    FetchRing(DeviceContext device, Stream stream, long size, int mostChunks) {
        this.device = device;
        this.driver = device.driver();
        this.context = device.handle();
        this.stream = stream;
        this.size = size;
        this.mostChunks = mostChunks;
        try {
            this.memory = device.allocate("staging memory of " + device.name(), size);
            resources.push(() -> device.free(memory, size));
            this.fetching = device.createStream("copy");
            resources.push(() -> device.destroyStream(fetching));
        } catch (RuntimeException | Error e) {
            resources.close();
            throw e;
        }
    }

    /**
     * Submits the fetching of bytes, of which there are no more than the ring has.
     *
     * @return null if chunks that are still to be copied are in the way
     */
    @Nullable
    Chunk fetch(long source, long bytes) {
        long start = end % size + bytes > size ? Math.ceilDiv(end, size) * size : end;
        if (!release(start + bytes - size)) {
            return null;
        }
        Chunk chunk = spare.isEmpty() ? newChunk() : spare.pop();
        try {
            if (released != null) {
                driver.streamWaitEvent(context, fetching, released.copied);
                released = null;
            }
            driver.memcpyHtoDAsync(context, memory + start % size, source, bytes, fetching);
            driver.eventRecord(context, chunk.arrived, fetching);
        } catch (CudaException e) {
            spare.push(chunk);
            throw e;
        }
        chunk.start = start;
        chunk.bytes = bytes;
        chunk.isPending = true;
        chunk.isCopied = false;
        chunks.addLast(chunk);
        end = Math.ceilDiv(start + bytes, ALIGNMENT) * ALIGNMENT;
        return chunk;
    }

    /** Makes the memory before {@code first} free, and a chunk; says whether that was possible. */
    private boolean release(long first) {
        while (!chunks.isEmpty() && (chunks.getFirst().start < first || chunks.size() >= mostChunks)) {
            Chunk oldest = chunks.getFirst();
            if (oldest.isPending) {
                return false;
            }
            chunks.removeFirst();
            spare.addLast(oldest);
            if (oldest.isCopied) {
                released = oldest;
            }
        }
        return true;
    }

    private Chunk newChunk() {
        EventHandle arrived = device.createEvent("copy", false);
        resources.push(() -> device.destroyEvent(arrived));
        EventHandle copied = device.createEvent("copy", false);
        resources.push(() -> device.destroyEvent(copied));
        return new Chunk(arrived, copied);
    }

    /** Submits the copying of a chunk to its target, once it has arrived; after that its memory is filled again. */
    void copy(Chunk chunk, long target) {
        driver.streamWaitEvent(context, stream, chunk.arrived);
        driver.memcpyDtoDAsync(context, target, memory + chunk.start % size, chunk.bytes, stream);
        driver.eventRecord(context, chunk.copied, stream);
        chunk.isPending = false;
        chunk.isCopied = true;
    }

    /** Gives up what was fetched and is still to be copied. */
    void discard() {
        chunks.forEach(chunk -> chunk.isPending = false);
    }

    /** Waits until nothing is being fetched. */
    void synchronize() {
        driver.streamSynchronize(context, fetching);
    }

    /** Gives everything back; both streams are done. Never throws. */
    @Override
    public void close() {
        resources.close();
    }
}
