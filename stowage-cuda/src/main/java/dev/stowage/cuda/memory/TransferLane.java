package dev.stowage.cuda.memory;

import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.driver.Driver.Context;
import dev.stowage.cuda.driver.Driver.EventHandle;
import dev.stowage.cuda.driver.Driver.Stream;
import dev.stowage.memory.RowRange;
import java.lang.foreign.MemorySegment;

/**
 * A stream with two pieces of pinned memory, through which bytes of any host memory go to and from the GPU: while the GPU
 * transfers one piece, the processor copies the other. Host memory is only touched by checked copies, so that an arena
 * that is closed meanwhile is an exception and not a crash. Used by one thread at a time.
 *
 * <pre>
 *   segment ──copy──► chunk 0 ──DMA──► device memory
 *           ──copy──► chunk 1 ──DMA──►                   chunk 0 is filled again once its event is reached
 * </pre>
 */
public final class TransferLane implements AutoCloseable {

    /** The bytes of a piece of pinned memory. */
    static final long CHUNK_BYTES = 4L << 20;

    /** The most bytes between rows of a two-dimensional transfer. */
    static final long MAX_PITCH = Integer.MAX_VALUE;

    private final DeviceContext device;
    private final Driver driver;
    private final Context context;
    private final Stream stream;
    private final MemorySegment pinned;
    private final EventHandle[] done;

    private TransferLane(DeviceContext device, Stream stream, MemorySegment pinned, EventHandle[] done) {
        this.device = device;
        this.driver = device.driver();
        this.context = device.handle();
        this.stream = stream;
        this.pinned = pinned;
        this.done = done;
    }

    static TransferLane open(DeviceContext device) {
        ResourceStack made = new ResourceStack();
        try {
            Stream stream = device.createStream("open");
            made.push(() -> device.destroyStream(stream));
            MemorySegment pinned = device.allocatePinned("pinned memory of " + device.name(), 2 * CHUNK_BYTES);
            made.push(() -> device.freePinned(pinned));
            EventHandle first = device.createEvent("open", false);
            made.push(() -> device.destroyEvent(first));
            EventHandle second = device.createEvent("open", false);
            return new TransferLane(device, stream, pinned, new EventHandle[] {first, second});
        } catch (RuntimeException | Error e) {
            made.close();
            throw e;
        }
    }

    public Stream stream() {
        return stream;
    }

    /** Writes all of a segment to device memory. */
    public void write(long target, MemorySegment source) {
        try (PinnedLease lease = PinnedLease.of(source)) {
            if (lease.isHeld()) {
                driver.memcpyHtoDAsync(context, target, source.address(), source.byteSize(), stream);
            } else {
                writeChunks(target, source);
            }
            driver.streamSynchronize(context, stream);
        }
    }

    private void writeChunks(long target, MemorySegment source) {
        long length = source.byteSize();
        int chunk = 0;
        for (long at = 0; at < length; at += CHUNK_BYTES, chunk++) {
            int half = chunk & 1;
            long bytes = Math.min(CHUNK_BYTES, length - at);
            if (chunk > 1) {
                driver.eventSynchronize(context, done[half]);
            }
            MemorySegment.copy(source, at, pinned, half * CHUNK_BYTES, bytes);
            driver.memcpyHtoDAsync(context, target + at, chunkAddress(half), bytes, stream);
            driver.eventRecord(context, done[half], stream);
        }
    }

    /** Reads device memory into all of a segment. */
    public void read(long source, MemorySegment target) {
        try (PinnedLease lease = PinnedLease.of(target)) {
            if (lease.isHeld()) {
                driver.memcpyDtoHAsync(context, target.address(), source, target.byteSize(), stream);
                driver.streamSynchronize(context, stream);
            } else {
                readChunks(source, target);
            }
        }
    }

    /** Fetches a chunk while the one before is copied. */
    private void readChunks(long source, MemorySegment target) {
        long length = target.byteSize();
        long chunks = Math.ceilDiv(length, CHUNK_BYTES);
        fetch(source, 0, length);
        for (int chunk = 0; chunk < chunks; chunk++) {
            if (chunk + 1 < chunks) {
                fetch(source, chunk + 1, length);
            }
            driver.eventSynchronize(context, done[chunk & 1]);
            long at = chunk * CHUNK_BYTES;
            MemorySegment.copy(pinned, (chunk & 1) * CHUNK_BYTES, target, at, Math.min(CHUNK_BYTES, length - at));
        }
    }

    private void fetch(long source, int chunk, long length) {
        int half = chunk & 1;
        long at = chunk * CHUNK_BYTES;
        driver.memcpyDtoHAsync(context, chunkAddress(half), source + at, Math.min(CHUNK_BYTES, length - at), stream);
        driver.eventRecord(context, done[half], stream);
    }

    private long chunkAddress(int half) {
        return pinned.address() + half * CHUNK_BYTES;
    }

    /** Writes rows of a segment to rows of the memory at {@code base}. */
    public void writeRows(long base, RowRange target, MemorySegment source, RowRange from) {
        long atOnce = rowsAtOnce(target);
        if (atOnce == 0) {
            for (long row = 0; row < target.rows(); row++) {
                write(base + target.start(row), source.asSlice(from.start(row), from.rowBytes()));
            }
            return;
        }
        long rowBytes = target.rowBytes();
        for (long first = 0; first < target.rows(); first += atOnce) {
            long rows = Math.min(atOnce, target.rows() - first);
            for (long row = 0; row < rows; row++) {
                MemorySegment.copy(source, from.start(first + row), pinned, row * rowBytes, rowBytes);
            }
            driver.memcpy2DAsync(
                    context,
                    true,
                    base + target.start(first),
                    pitch(target),
                    pinned.address(),
                    rowBytes,
                    rowBytes,
                    rows,
                    stream);
            driver.streamSynchronize(context, stream);
        }
    }

    /** Reads rows of the memory at {@code base} into rows of a segment. */
    public void readRows(long base, RowRange source, MemorySegment target, RowRange to) {
        long atOnce = rowsAtOnce(source);
        if (atOnce == 0) {
            for (long row = 0; row < source.rows(); row++) {
                read(base + source.start(row), target.asSlice(to.start(row), to.rowBytes()));
            }
            return;
        }
        long rowBytes = source.rowBytes();
        for (long first = 0; first < source.rows(); first += atOnce) {
            long rows = Math.min(atOnce, source.rows() - first);
            driver.memcpy2DAsync(
                    context,
                    false,
                    pinned.address(),
                    rowBytes,
                    base + source.start(first),
                    pitch(source),
                    rowBytes,
                    rows,
                    stream);
            driver.streamSynchronize(context, stream);
            for (long row = 0; row < rows; row++) {
                MemorySegment.copy(pinned, row * rowBytes, target, to.start(first + row), rowBytes);
            }
        }
    }

    /** How many rows go through pinned memory in one transfer; 0 if they are too long or too far apart for that. */
    private long rowsAtOnce(RowRange onDevice) {
        return onDevice.stride() > MAX_PITCH ? 0 : pinned.byteSize() / onDevice.rowBytes();
    }

    /** A single row may have any stride; the driver wants one that is no shorter than the row. */
    private static long pitch(RowRange rows) {
        return Math.max(rows.stride(), rows.rowBytes());
    }

    /** Sets bytes of device memory. */
    public void fill(long target, long bytes, byte value) {
        driver.memsetD8Async(context, target, value, bytes, stream);
        driver.streamSynchronize(context, stream);
    }

    /** Copies bytes of device memory, of this GPU or from another. */
    public void copy(long target, long source, long bytes) {
        driver.memcpyDtoDAsync(context, target, source, bytes, stream);
        driver.streamSynchronize(context, stream);
    }

    /** Releases everything; never throws. */
    @Override
    public void close() {
        for (EventHandle event : done) {
            device.destroyEvent(event);
        }
        device.destroyStream(stream);
        device.freePinned(pinned);
    }
}
