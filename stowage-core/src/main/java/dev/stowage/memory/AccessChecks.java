package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** What a {@link Buffer} checks before a hook of the device is called: places, ranges, rows and segments. */
final class AccessChecks {

    /** A thread that owns no arena: memory that it may access, any thread may. */
    private static final Thread ANY_THREAD = Thread.ofPlatform().unstarted(() -> {});

    private AccessChecks() {}

    /** Throws if {@code tensor} is stored elsewhere. */
    static void requireIn(Buffer buffer, BoundTensor tensor) {
        if (!tensor.isIn(buffer)) {
            throw new AccessException(tensor.describe() + " is stored in another buffer, of "
                    + tensor.buffer().name() + ", and not in this one, " + buffer + ": ask Buffer.of(tensor)");
        }
    }

    /** Throws if the buffer is closed, or the tensor could not be stored at that offset of it. */
    static void requirePlaceable(Buffer buffer, Tensor tensor, long offset) {
        buffer.requireOpen();
        if (tensor.isView()) {
            throw new InvalidTensorException(tensor.describe() + " is a view and is stored where its source is: place "
                    + tensor.viewSource().describe() + " instead");
        }
        BufferType type = buffer.type();
        long address = buffer.baseAddress() + offset;
        long needed = type.allocationSize(tensor);
        if (offset < 0 || offset > buffer.size() - needed) {
            throw new AccessException(tensor.describe() + " takes " + needed + " bytes and does not fit at offset "
                    + offset + " of the buffer " + buffer);
        }
        if (!Alignment.isMultiple(address, type.alignment())) {
            throw new AccessException(tensor.describe() + " cannot be stored at offset " + offset + " of the buffer "
                    + buffer + ": address " + address + " is not a multiple of " + type.alignment());
        }
    }

    /** Throws if the tensor is stored elsewhere, or does not have these bytes. */
    static void requireRange(Buffer buffer, String verb, BoundTensor tensor, long offset, long length) {
        requireIn(buffer, tensor);
        if (offset < 0 || length < 0 || length > tensor.byteSize() - offset) {
            throw new AccessException("cannot " + verb + " " + length + " bytes at byte " + offset + " of "
                    + tensor.describe() + ", which has " + tensor.byteSize() + " bytes");
        }
    }

    /** Throws if the tensor is stored elsewhere, or the rows of the two cannot be exchanged. */
    static void requireRows(
            Buffer buffer,
            String verb,
            BoundTensor tensor,
            RowRange inTensor,
            MemorySegment segment,
            RowRange inSegment) {
        requireIn(buffer, tensor);
        requireUsable(segment);
        if (inTensor.rows() != inSegment.rows() || inTensor.rowBytes() != inSegment.rowBytes()) {
            throw new AccessException("cannot " + verb + " " + tensor.describe() + ": " + inTensor.rows() + " rows of "
                    + inTensor.rowBytes() + " bytes on one side, " + inSegment.rows() + " of " + inSegment.rowBytes()
                    + " on the other");
        }
        if (inTensor.end() > tensor.byteSize() || inSegment.end() > segment.byteSize()) {
            throw new AccessException("cannot " + verb + " rows up to byte " + inTensor.end() + " of "
                    + tensor.describe() + ", which has " + tensor.byteSize() + " bytes, and up to byte "
                    + inSegment.end() + " of a segment of " + segment.byteSize());
        }
    }

    /** Throws if {@code segment} cannot be written with bytes of {@code tensor}. */
    static void requireTarget(BoundTensor tensor, MemorySegment segment) {
        requireUsable(segment);
        if (segment.isReadOnly()) {
            throw new AccessException("cannot read " + tensor.describe() + " into a read-only segment of "
                    + segment.byteSize() + " bytes");
        }
    }

    /** Throws if the calling thread cannot reach the bytes of {@code segment}, or no thread can any more. */
    static void requireUsable(MemorySegment segment) {
        if (!segment.scope().isAlive()) {
            throw new ClosedException("the segment of " + segment.byteSize() + " bytes belongs to a closed arena");
        }
        if (!segment.isAccessibleBy(Thread.currentThread())) {
            throw new AccessException("the segment of " + segment.byteSize()
                    + " bytes is confined to another thread: take it from a shared arena");
        }
    }

    /** Whether any thread may reach the bytes by address: outside the Java heap, and not confined to a thread. */
    static boolean isReachedByAddress(MemorySegment segment) {
        return segment.isNative() && segment.isAccessibleBy(ANY_THREAD);
    }

    /** The failure of a transfer whose foreign memory was freed by its owner while it was under way. */
    static ClosedException freed(IllegalStateException cause) {
        ClosedException failure = new ClosedException("the memory of a transfer was freed while it was under way ("
                + cause.getMessage() + "): close arenas when nothing uses their segments any more");
        failure.initCause(cause);
        return failure;
    }
}
