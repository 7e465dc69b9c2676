package dev.stowage.cuda.program;

import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.memory.DeviceContext;

/**
 * The scratch memory of a stream, shared by all its programs, which run one after the other. It grows to what the
 * largest needs; programs notice that it has moved. Used by one thread at a time.
 */
public final class ScratchPool implements AutoCloseable {

    private final DeviceContext context;
    private final Driver.Stream stream;
    private long address;
    private long bytes;

    /** Empty scratch memory for a stream. */
    public ScratchPool(DeviceContext context, Driver.Stream stream) {
        this.context = context;
        this.stream = stream;
    }

    /**
     * The address of at least that much memory; what it held is lost if it has to grow.
     *
     * @throws dev.stowage.error.AllocationException if there is too little; what was there stays
     */
    public long reserve(long needed) {
        if (needed > bytes) {
            context.driver().streamSynchronize(context.handle(), stream);
            long larger = context.allocate("scratch memory of " + context.name(), needed);
            context.free(address, bytes);
            address = larger;
            bytes = needed;
        }
        return address;
    }

    /** How much memory is taken. */
    public long bytes() {
        return bytes;
    }

    /** Frees the memory; nothing in the stream may use it any more. Never throws. */
    @Override
    public void close() {
        context.free(address, bytes);
        address = 0;
        bytes = 0;
    }
}
