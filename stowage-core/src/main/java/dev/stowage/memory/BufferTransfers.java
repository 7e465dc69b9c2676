package dev.stowage.memory;

import java.lang.foreign.MemorySegment;

/**
 * The synchronous transfers of a {@link Buffer}: each holds a lease, checks its arguments, and calls the hook of the
 * same name unless there is nothing to move.
 */
final class BufferTransfers {

    private BufferTransfers() {}

    static void clear(Buffer buffer, byte value) {
        buffer.acquire();
        try {
            buffer.requireWritable();
            if (buffer.size() > 0) {
                buffer.doMemset(0, buffer.size(), value);
            }
        } catch (IllegalStateException e) {
            throw AccessChecks.freed(e);
        } finally {
            buffer.releaseLease();
        }
    }

    static void set(Buffer buffer, BoundTensor tensor, long offset, MemorySegment source) {
        buffer.acquire();
        try {
            buffer.requireWritable();
            AccessChecks.requireRange(buffer, "write", tensor, offset, source.byteSize());
            AccessChecks.requireUsable(source);
            if (source.byteSize() > 0) {
                buffer.doSet(tensor, tensor.offset() + offset, source);
            }
        } catch (IllegalStateException e) {
            throw AccessChecks.freed(e);
        } finally {
            buffer.releaseLease();
        }
    }

    static void get(Buffer buffer, BoundTensor tensor, long offset, MemorySegment target) {
        buffer.acquire();
        try {
            AccessChecks.requireRange(buffer, "read", tensor, offset, target.byteSize());
            AccessChecks.requireTarget(tensor, target);
            if (target.byteSize() > 0) {
                buffer.doGet(tensor, tensor.offset() + offset, target);
            }
        } catch (IllegalStateException e) {
            throw AccessChecks.freed(e);
        } finally {
            buffer.releaseLease();
        }
    }

    static void memset(Buffer buffer, BoundTensor tensor, long offset, long length, byte value) {
        buffer.acquire();
        try {
            buffer.requireWritable();
            AccessChecks.requireRange(buffer, "fill", tensor, offset, length);
            if (length > 0) {
                buffer.doMemset(tensor, tensor.offset() + offset, length, value);
            }
        } catch (IllegalStateException e) {
            throw AccessChecks.freed(e);
        } finally {
            buffer.releaseLease();
        }
    }

    static void setRows(Buffer buffer, BoundTensor tensor, RowRange target, MemorySegment source, RowRange from) {
        buffer.acquire();
        try {
            buffer.requireWritable();
            AccessChecks.requireRows(buffer, "write", tensor, target, source, from);
            if (!target.isEmpty()) {
                buffer.doSetRows(tensor, target.movedBy(tensor.offset()), source, from);
            }
        } catch (IllegalStateException e) {
            throw AccessChecks.freed(e);
        } finally {
            buffer.releaseLease();
        }
    }

    static void getRows(Buffer buffer, BoundTensor tensor, RowRange source, MemorySegment target, RowRange to) {
        buffer.acquire();
        try {
            AccessChecks.requireRows(buffer, "read", tensor, source, target, to);
            AccessChecks.requireTarget(tensor, target);
            if (!source.isEmpty()) {
                buffer.doGetRows(tensor, source.movedBy(tensor.offset()), target, to);
            }
        } catch (IllegalStateException e) {
            throw AccessChecks.freed(e);
        } finally {
            buffer.releaseLease();
        }
    }
}
