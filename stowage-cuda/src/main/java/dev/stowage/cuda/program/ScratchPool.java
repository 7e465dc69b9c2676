package dev.stowage.cuda.program;

import dev.stowage.cuda.driver.Driver;

/**
 * The scratch memory of a stream, shared by all its programs, which run one after the other. It grows to what the
 * largest needs; programs notice that it has moved. Used by one thread at a time.
 */
public final class ScratchPool implements AutoCloseable {

    private final Driver driver;
    private final Driver.Context context;
    private final Driver.Stream stream;
    private long address;
    private long bytes;

    /** Empty scratch memory for a stream. */
    public ScratchPool(Driver driver, Driver.Context context, Driver.Stream stream) {
        this.driver = driver;
        this.context = context;
        this.stream = stream;
    }

    /** The address of at least that much memory; what it held is lost if it has to grow. */
    long reserve(long needed) {
        if (needed > bytes) {
            driver.streamSynchronize(context, stream);
            // The larger one first: if there is no memory, what was there stays.
            long larger = driver.memAlloc(context, needed);
            long before = address;
            address = larger;
            bytes = needed;
            if (before != 0) {
                driver.memFree(context, before);
            }
        }
        return address;
    }

    /** How much memory is taken. */
    public long bytes() {
        return bytes;
    }

    /** Frees the memory; nothing in the stream may use it any more. */
    @Override
    public void close() {
        if (address != 0) {
            long before = address;
            address = 0;
            bytes = 0;
            driver.memFree(context, before);
        }
    }
}
