package dev.stowage.cuda;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver.Stream;
import dev.stowage.cuda.memory.DeviceContext;
import dev.stowage.cuda.memory.PinnedBuffer;
import dev.stowage.error.AllocationException;
import dev.stowage.memory.BufferLeases;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Copies weights from pinned host memory for the work of a stream. Their targets cannot be written before the stream is
 * there, as earlier work may use the same memory; so bytes are fetched into a {@link FetchRing} while the stream is at
 * earlier work, and copied to their target from there, which takes a fraction of the time.
 *
 * <p>What is going to be copied can be announced: it is fetched then, in that order, as far as there is room. Nothing is
 * taken from the driver before the first weight. Used by one thread at a time.
 */
final class WeightFetches implements AutoCloseable {

    /** The memory of the ring, and the bytes that are fetched at once: fast enough, and others need not wait for long. */
    static final long RING_BYTES = 128L << 20;

    static final long CHUNK_BYTES = 8L << 20;
    private static final int MOST_CHUNKS = 64;

    private final DeviceContext device;
    private final Stream stream;
    private final long ringBytes;
    private final long chunkBytes;

    /** What was announced and not copied yet. Only the last may have bytes that are not being fetched. */
    private final Deque<Announced> announced = new ArrayDeque<>();

    /** Keeps the pinned memory of what is being fetched. */
    private final BufferLeases leases = new BufferLeases();

    private @Nullable FetchRing ring;
    private boolean isRefused;
    /** Whether something may be being fetched that the stream does not wait for. */
    private boolean isAdrift;

    /** A weight that will be copied: where it is, and the chunks of it so far. */
    private static final class Announced {
        private final PinnedBuffer buffer;
        private final long source;
        private final long bytes;
        private final Deque<FetchRing.Chunk> chunks = new ArrayDeque<>();
        private long fetched;

        Announced(PinnedBuffer buffer, long source, long bytes) {
            this.buffer = buffer;
            this.source = source;
            this.bytes = bytes;
        }

        boolean is(PinnedBuffer other, long address, long length) {
            return buffer == other && source == address && bytes == length;
        }
    }

    WeightFetches(DeviceContext device, Stream stream) {
        this(device, stream, RING_BYTES, CHUNK_BYTES);
    }

    /** With a ring of another size, for tests. */
    WeightFetches(DeviceContext device, Stream stream, long ringBytes, long chunkBytes) {
        this.device = device;
        this.stream = stream;
        this.ringBytes = ringBytes;
        this.chunkBytes = chunkBytes;
    }

    /**
     * Has bytes fetched that will be copied after those that were announced before.
     *
     * @return whether all of them are being fetched; if not, it may be tried again
     */
    boolean announce(PinnedBuffer buffer, long source, long bytes) {
        FetchRing open = ring();
        if (open == null) {
            return false;
        }
        Announced last = announced.peekLast();
        if (last == null || last.fetched == last.bytes || !last.is(buffer, source, bytes)) {
            if (last != null && last.fetched < last.bytes) {
                return false;
            }
            last = new Announced(buffer, source, bytes);
            leases.add(buffer);
            announced.addLast(last);
        }
        try {
            return fetch(open, last);
        } catch (RuntimeException | Error e) {
            cancel();
            throw e;
        }
    }

    private boolean fetch(FetchRing open, Announced weight) {
        while (weight.fetched < weight.bytes) {
            long length = Math.min(chunkBytes, weight.bytes - weight.fetched);
            FetchRing.Chunk chunk = open.fetch(weight.source + weight.fetched, length);
            if (chunk == null) {
                return false;
            }
            weight.chunks.addLast(chunk);
            weight.fetched += length;
        }
        return true;
    }

    /** Submits the copying of bytes that stay as they are until the stream has been waited for. */
    void copy(long target, PinnedBuffer buffer, long source, long bytes) {
        leases.add(buffer);
        FetchRing open = ring();
        if (open == null) {
            device.driver().memcpyHtoDAsync(device.handle(), target, source, bytes, stream);
            return;
        }
        Announced first = announced.peekFirst();
        if (first != null && first.is(buffer, source, bytes)) {
            announced.removeFirst();
        } else {
            if (first != null) {
                cancel();
            }
            first = new Announced(buffer, source, bytes);
        }
        try {
            copy(open, first, target);
        } catch (RuntimeException | Error e) {
            cancel();
            throw e;
        }
    }

    /** Copies what has been fetched, and what is still to be fetched: then nothing else has been announced. */
    private void copy(FetchRing open, Announced weight, long target) {
        long at = 0;
        while (at < weight.bytes) {
            FetchRing.Chunk chunk = weight.chunks.pollFirst();
            if (chunk == null) {
                long length = Math.min(chunkBytes, weight.bytes - at);
                chunk = open.fetch(weight.source + at, length);
            }
            if (chunk == null) {
                throw new IllegalStateException("the ring has no room at byte " + at + " of " + weight.bytes);
            }
            open.copy(chunk, target + at);
            at += chunk.bytes();
        }
    }

    /** Forgets what was announced. */
    void cancel() {
        announced.clear();
        if (ring != null) {
            ring.discard();
            isAdrift = true;
        }
    }

    /** The ring, or null where the device has no memory for it, which is not tried twice. */
    private @Nullable FetchRing ring() {
        if (ring == null && !isRefused) {
            try {
                ring = new FetchRing(device, stream, ringBytes, MOST_CHUNKS);
            } catch (AllocationException _) {
                isRefused = true;
            }
        }
        return ring;
    }

    /** Says that the stream has been waited for. What was announced is still being fetched; all else is done. */
    void synchronize() {
        if (!announced.isEmpty()) {
            return;
        }
        if (isAdrift && ring != null) {
            ring.synchronize();
            isAdrift = false;
        }
        leases.releaseAll();
    }

    /** Waits for what is being fetched, if the device is not lost, and gives everything back; the stream is done. */
    @Override
    public void close() {
        FetchRing open = ring;
        ring = null;
        announced.clear();
        if (open != null) {
            try {
                if (device.health().lossCause().isEmpty()) {
                    open.synchronize();
                }
            } catch (CudaException _) {
                // It is of no use to anyone any more, and the stream goes now.
            } finally {
                open.close();
            }
        }
        leases.releaseAll();
    }
}
