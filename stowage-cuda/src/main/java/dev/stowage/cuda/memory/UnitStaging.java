package dev.stowage.cuda.memory;

import java.util.ArrayDeque;
import java.util.function.LongConsumer;

/**
 * Device memory that rows pass through on their way into units and back. Pieces are kept while there are buffers that use
 * them, as loading a model needs one thousands of times. Thread-safe.
 */
final class UnitStaging {

    /** The bytes of a piece; a row that is longer gets a piece of its own. */
    static final long PIECE_BYTES = 16L << 20;

    private final DeviceContext context;
    private final ArrayDeque<Long> idle = new ArrayDeque<>();
    private int buffers;

    UnitStaging(DeviceContext context) {
        this.context = context;
    }

    /** Says that there is one buffer more. */
    synchronized void addBuffer() {
        buffers++;
    }

    /** Says that there is one buffer less; never throws. */
    void removeBuffer() {
        ArrayDeque<Long> unused = new ArrayDeque<>();
        synchronized (this) {
            buffers--;
            if (buffers == 0) {
                unused.addAll(idle);
                idle.clear();
            }
        }
        unused.forEach(address -> context.free(address, PIECE_BYTES));
    }

    /** Does something with that many bytes of device memory. Its work must have ended on return, unless it throws. */
    void use(long bytes, LongConsumer work) {
        long size = Math.max(bytes, PIECE_BYTES);
        long address = take(size);
        boolean isReusable = false;
        try {
            work.accept(address);
            isReusable = size == PIECE_BYTES;
        } finally {
            giveBack(address, size, isReusable);
        }
    }

    private long take(long size) {
        synchronized (this) {
            Long known = size == PIECE_BYTES ? idle.poll() : null;
            if (known != null) {
                return known;
            }
        }
        return context.allocate("staging memory of " + context.name(), size);
    }

    private void giveBack(long address, long size, boolean isReusable) {
        synchronized (this) {
            if (isReusable && buffers > 0) {
                idle.add(address);
                return;
            }
        }
        context.free(address, size);
    }
}
