package dev.stowage.cuda.memory;

import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.driver.Driver.Context;
import dev.stowage.cuda.driver.Driver.EventHandle;
import dev.stowage.cuda.driver.Driver.Stream;
import dev.stowage.memory.RowRange;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Pinned memory that transfers of one stream go through without waiting: what is written is copied here at once; what is
 * read arrives here and is copied to its target when the stream is waited for, or when the memory is needed again. The
 * blocks are used in turn, and taken from the driver when first needed.
 *
 * <pre>
 *   block 0  [ token | positions | mask ......... ]  full: its event is recorded
 *   block 1  [ token | logits ◄── .... free ..... ]  in use
 *   block 2, 3                                       not allocated yet
 * </pre>
 *
 * Used by one thread at a time.
 */
public final class StagingRing implements AutoCloseable {

    private static final long BLOCK_BYTES = 4L << 20;
    private static final int BLOCKS = 4;

    private final DeviceContext device;
    private final Driver driver;
    private final Context context;
    private final Stream stream;
    private final @Nullable StagingBlock[] blocks = new StagingBlock[BLOCKS];
    private int current;

    /** Staging memory of a stream, nothing of which is taken yet. */
    public StagingRing(DeviceContext device, Stream stream) {
        this.device = device;
        this.driver = device.driver();
        this.context = device.handle();
        this.stream = stream;
    }

    /** Submits the writing of all of a segment, whose bytes are taken now. */
    public void write(long target, MemorySegment source) {
        long length = source.byteSize();
        for (long at = 0; at < length; ) {
            StagingBlock block = blockWith(Math.min(length - at, BLOCK_BYTES));
            long bytes = Math.min(length - at, block.free());
            long place = block.take(bytes);
            MemorySegment.copy(source, at, block.memory(), place, bytes);
            driver.memcpyHtoDAsync(context, target + at, block.address(place), bytes, stream);
            at += bytes;
        }
    }

    /** Submits the reading of device memory into all of a segment, which has the bytes after {@link #complete()}. */
    public void read(long source, MemorySegment target) {
        long length = target.byteSize();
        for (long at = 0; at < length; ) {
            StagingBlock block = blockWith(Math.min(length - at, BLOCK_BYTES));
            long bytes = Math.min(length - at, block.free());
            long place = block.take(bytes);
            driver.memcpyDtoHAsync(context, block.address(place), source + at, bytes, stream);
            block.expect(place, target, at, bytes);
            at += bytes;
        }
    }

    /** Whether rows can go through here in one piece. */
    public static boolean fits(RowRange onDevice) {
        return onDevice.byteSize() <= BLOCK_BYTES && onDevice.stride() <= TransferLane.MAX_PITCH;
    }

    /** Submits the writing of rows that {@linkplain #fits fit}. */
    public void writeRows(long base, RowRange target, MemorySegment source, RowRange from) {
        long rowBytes = target.rowBytes();
        StagingBlock block = blockWith(target.byteSize());
        long place = block.take(target.byteSize());
        for (long row = 0; row < target.rows(); row++) {
            MemorySegment.copy(source, from.start(row), block.memory(), place + row * rowBytes, rowBytes);
        }
        long pitch = Math.max(target.stride(), rowBytes);
        driver.memcpy2DAsync(
                context,
                true,
                base + target.offset(),
                pitch,
                block.address(place),
                rowBytes,
                rowBytes,
                target.rows(),
                stream);
    }

    /** Submits the reading of rows that {@linkplain #fits fit}. */
    public void readRows(long base, RowRange source, MemorySegment target, RowRange to) {
        long rowBytes = source.rowBytes();
        StagingBlock block = blockWith(source.byteSize());
        long place = block.take(source.byteSize());
        long pitch = Math.max(source.stride(), rowBytes);
        driver.memcpy2DAsync(
                context,
                false,
                block.address(place),
                rowBytes,
                base + source.offset(),
                pitch,
                rowBytes,
                source.rows(),
                stream);
        for (long row = 0; row < source.rows(); row++) {
            block.expect(place + row * rowBytes, target, to.start(row), rowBytes);
        }
    }

    /** The current block, or the next one if it has less room than that. */
    private StagingBlock blockWith(long bytes) {
        StagingBlock block = blocks[current];
        if (block != null && block.free() >= bytes) {
            return block;
        }
        if (block != null) {
            driver.eventRecord(context, block.event(), stream);
            block.submitted();
            current = (current + 1) % BLOCKS;
        }
        StagingBlock next = blocks[current];
        if (next == null) {
            next = allocate();
            blocks[current] = next;
        } else if (next.isSubmitted()) {
            driver.eventSynchronize(context, next.event());
            next.complete();
        }
        return next;
    }

    private StagingBlock allocate() {
        EventHandle event = device.createEvent("stage", false);
        try {
            return new StagingBlock(device.allocatePinned("pinned memory of " + device.name(), BLOCK_BYTES), event);
        } catch (RuntimeException | Error e) {
            device.destroyEvent(event);
            throw e;
        }
    }

    /** Copies what was read to its targets; the stream has been waited for. */
    public void complete() {
        RuntimeException first = null;
        for (int i = 0; i < BLOCKS; i++) {
            StagingBlock block = blocks[(current + 1 + i) % BLOCKS];
            if (block != null) {
                try {
                    block.complete();
                } catch (RuntimeException e) {
                    first = first == null ? e : first;
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Forgets what was to be read, because the stream has failed. */
    public void drop() {
        for (StagingBlock block : blocks) {
            if (block != null) {
                block.clear();
            }
        }
    }

    /** Releases the memory; the stream is done. Never throws. */
    @Override
    public void close() {
        for (int i = 0; i < BLOCKS; i++) {
            StagingBlock block = blocks[i];
            blocks[i] = null;
            if (block != null) {
                device.destroyEvent(block.event());
                device.freePinned(block.memory());
            }
        }
    }
}
