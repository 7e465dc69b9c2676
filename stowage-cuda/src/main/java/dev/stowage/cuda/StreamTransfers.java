package dev.stowage.cuda;

import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.driver.Driver.Context;
import dev.stowage.cuda.driver.Driver.Stream;
import dev.stowage.cuda.memory.DeviceContext;
import dev.stowage.cuda.memory.HostSegments;
import dev.stowage.cuda.memory.PinnedBuffer;
import dev.stowage.cuda.memory.StagingRing;
import dev.stowage.cuda.program.HostWrite;
import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.BufferLeases;
import dev.stowage.memory.RowRange;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Transfers between host memory and a GPU in the order of a stream. Pinned memory is used in place, under a lease until
 * the stream has been waited for; all other memory goes through a {@link StagingRing}, which touches it only within calls
 * of the backend. Used by one thread at a time.
 */
final class StreamTransfers implements AutoCloseable {

    private final Driver driver;
    private final Context context;
    private final Stream stream;
    private final StagingRing staging;
    private final HostWrite deferred;
    private final BufferLeases leases = new BufferLeases();
    private @Nullable PinnedBuffer last;

    StreamTransfers(DeviceContext device, Stream stream) {
        this.driver = device.driver();
        this.context = device.handle();
        this.stream = stream;
        this.staging = new StagingRing(device, stream);
        this.deferred = new HostWrite(driver, context, stream);
    }

    /**
     * Whether a segment can be written later, by any thread.
     *
     * @throws AccessException if it cannot be written at all
     */
    static boolean canReadInto(BoundTensor tensor, MemorySegment target) {
        if (target.isReadOnly()) {
            throw new AccessException("cannot read " + tensor.describe() + " into a read-only segment of "
                    + target.byteSize() + " bytes");
        }
        return HostSegments.isShared(target);
    }

    /** Whether such rows of device memory can be transferred in one call. */
    static boolean canTransfer(RowRange onDevice) {
        return StagingRing.fits(onDevice);
    }

    /** The write that waits for a program; everything else that goes into the stream must submit it first. */
    HostWrite deferred() {
        return deferred;
    }

    /** As {@link #write}, but a small one of pinned memory may wait for the next program. */
    void writeBeforeProgram(long target, MemorySegment source) {
        long bytes = source.byteSize();
        if (source.isNative() && HostWrite.accepts(target, source.address(), bytes) && isLeased(source)) {
            deferred.defer(target, source.address(), bytes);
        } else {
            write(target, source);
        }
    }

    void write(long target, MemorySegment source) {
        deferred.submit();
        long bytes = source.byteSize();
        if (bytes > 0 && isLeased(source)) {
            driver.memcpyHtoDAsync(context, target, source.address(), bytes, stream);
        } else {
            staging.write(target, source);
        }
    }

    void read(long source, MemorySegment target) {
        deferred.submit();
        long bytes = target.byteSize();
        if (bytes > 0 && isLeased(target)) {
            driver.memcpyDtoHAsync(context, target.address(), source, bytes, stream);
        } else {
            staging.read(source, target);
        }
    }

    void writeRows(long base, RowRange target, MemorySegment source, RowRange from) {
        deferred.submit();
        if (target.byteSize() > 0) {
            staging.writeRows(base, target, source, from);
        }
    }

    void readRows(long base, RowRange source, MemorySegment target, RowRange to) {
        deferred.submit();
        if (source.byteSize() > 0) {
            staging.readRows(base, source, target, to);
        }
    }

    /** Whether a segment is pinned memory, which then has a lease. The buffer of the last transfer is tried first. */
    private boolean isLeased(MemorySegment segment) {
        PinnedBuffer owner = last;
        if (owner == null || owner.isClosed() || !owner.contains(segment)) {
            owner = PinnedBuffer.owner(segment);
            last = owner;
        }
        if (owner == null) {
            return false;
        }
        leases.add(owner);
        return true;
    }

    /** Has what was read arrive at its targets; the stream has been waited for. */
    void complete() {
        leases.releaseAll();
        try {
            staging.complete();
        } catch (IllegalStateException e) {
            ClosedException failure = new ClosedException("the segment of a transfer was freed before it was done ("
                    + e.getMessage() + "): keep its arena open until synchronize()");
            failure.initCause(e);
            throw failure;
        }
    }

    /** Forgets what was to be read, because the stream has failed. */
    void drop() {
        deferred.drop();
        staging.drop();
        leases.releaseAll();
    }

    /** Releases the memory; the stream is done. */
    @Override
    public void close() {
        last = null;
        deferred.drop();
        leases.releaseAll();
        staging.close();
    }
}
