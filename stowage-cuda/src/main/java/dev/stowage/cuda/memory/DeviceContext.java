package dev.stowage.cuda.memory;

import dev.stowage.cuda.driver.CudaErrors;
import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.driver.Driver.Context;
import dev.stowage.cuda.driver.Driver.EventHandle;
import dev.stowage.cuda.driver.Driver.MemoryInfo;
import dev.stowage.cuda.driver.Driver.Stream;
import dev.stowage.device.DeviceHealth;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.error.StowageException;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One GPU in this process: its context in the driver, its health, and everything that is taken from the driver for it.
 * Resources are made and released here, so that they are counted, failures become exceptions of the device interface,
 * and releasing never throws. The context is made when it is first needed, as it costs time and device memory. Thread-safe.
 *
 * <p>Releasing the context in the driver frees all memory of it, pinned host memory included, which the processor may
 * still be reading. It is therefore released when the last pinned memory is, if that is after {@link #close()}.
 */
public final class DeviceContext implements AutoCloseable {

    private final Driver driver;
    private final int index;
    private final String name;
    private final DeviceHealth health = new DeviceHealth();
    private final LiveResources live = new LiveResources();
    private final TransferLanes lanes = new TransferLanes(this);

    private volatile @Nullable Context handle;
    private volatile boolean closed;

    /** The GPU of that number, called {@code name} in messages. */
    public DeviceContext(Driver driver, int index, String name) {
        this.driver = driver;
        this.index = index;
        this.name = name;
    }

    public Driver driver() {
        return driver;
    }

    /** The number of the GPU in the driver. */
    public int index() {
        return index;
    }

    public String name() {
        return name;
    }

    public DeviceHealth health() {
        return health;
    }

    /** What is taken from the driver now. */
    public LiveResources live() {
        return live;
    }

    /** The streams that transfers of buffers go through. */
    public TransferLanes lanes() {
        return lanes;
    }

    /**
     * The context, made now if it was not needed before.
     *
     * @throws StowageException if the device is lost or closed, or the driver cannot make it
     */
    public Context handle() {
        Context known = handle;
        return known != null ? known : retain();
    }

    private synchronized Context retain() {
        requireOpen();
        Context known = handle;
        if (known == null) {
            try {
                known = driver.primaryContextRetain(index);
            } catch (CudaException e) {
                throw failure("open", e);
            }
            handle = known;
        }
        return known;
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException("device '" + name + "' is closed; look for devices again");
        }
    }

    /**
     * Checks that the device can be used.
     *
     * @throws DeviceLostException if it is lost
     * @throws ClosedException if it is closed
     */
    public void require(String call) {
        health.require(name, call);
        requireOpen();
    }

    /** Whether the driver must not be called any more: what it had is gone, or goes with the context. */
    private boolean isGone() {
        return closed || health.lossCause().isPresent();
    }

    /**
     * What a failure of the driver is for the caller of a device: the loss of the device where nothing works after it.
     *
     * @param call what the device was asked to do
     * @param tensor what it was about, described; null for nothing in particular
     */
    public StowageException failure(String call, @Nullable String tensor, CudaException e) {
        if (CudaErrors.isSticky(e.code())) {
            health.lose(e);
        }
        Throwable loss = health.lossCause().orElse(null);
        if (loss != null) {
            return DeviceLostException.of(name, call, loss);
        }
        String what = String.valueOf(e.getMessage());
        DeviceException failure =
                tensor == null ? DeviceException.of(name, call, what) : DeviceException.of(name, call, tensor, what);
        return failure.because(e);
    }

    /** As the other, about no tensor in particular. */
    public StowageException failure(String call, CudaException e) {
        return failure(call, null, e);
    }

    /** Free and total bytes of the GPU. */
    public MemoryInfo memoryInfo() {
        require("memory");
        try {
            return driver.memGetInfo(handle());
        } catch (CudaException e) {
            throw failure("memory", e);
        }
    }

    /**
     * Device memory.
     *
     * @param kind what it is for, such as the name of a buffer type
     * @return its address; 0 for 0 bytes
     * @throws AllocationException if it is not to be had; nothing has changed then
     */
    public long allocate(String kind, long bytes) {
        require("allocate");
        if (bytes < 0) {
            throw new AllocationException("cannot allocate " + bytes + " bytes of " + kind, kind, bytes, -1);
        }
        if (bytes == 0) {
            return 0;
        }
        long address;
        try {
            address = driver.memAlloc(handle(), bytes);
        } catch (CudaException e) {
            throw OutOfMemory.isMeantBy(e) ? OutOfMemory.ofDevice(this, kind, bytes, e) : failure("allocate", e);
        }
        live.deviceAllocations.incrementAndGet();
        live.deviceBytes.addAndGet(bytes);
        return address;
    }

    /** Gives device memory back; never throws. */
    public void free(long address, long bytes) {
        if (bytes > 0) {
            live.deviceAllocations.decrementAndGet();
            live.deviceBytes.addAndGet(-bytes);
            release((context, memory) -> driver.memFree(context, memory), address);
        }
    }

    /**
     * Pinned host memory, which the GPU reads and writes directly.
     *
     * @throws AllocationException if it is not to be had
     */
    public MemorySegment allocatePinned(String kind, long bytes) {
        require("allocate");
        MemorySegment memory;
        try {
            memory = driver.memHostAlloc(handle(), bytes);
        } catch (CudaException e) {
            throw OutOfMemory.isMeantBy(e) ? OutOfMemory.ofHost(kind, bytes, e) : failure("allocate", e);
        }
        live.pinnedAllocations.incrementAndGet();
        return memory;
    }

    /** Gives pinned memory back; never throws. */
    public void freePinned(MemorySegment memory) {
        release((context, segment) -> driver.memFreeHost(context, segment), memory);
        live.pinnedAllocations.decrementAndGet();
        if (closed) {
            releaseContextIfUnused();
        }
    }

    /** A stream of work. */
    public Stream createStream(String call) {
        require(call);
        try {
            Stream stream = driver.streamCreate(handle());
            live.streams.incrementAndGet();
            return stream;
        } catch (CudaException e) {
            throw failure(call, e);
        }
    }

    /** Gives a stream back, whose work is done; never throws. */
    public void destroyStream(Stream stream) {
        live.streams.decrementAndGet();
        release((context, handleOfStream) -> driver.streamDestroy(context, handleOfStream), stream);
    }

    /** An event, with the time it is reached at if it is {@code timed}. */
    public EventHandle createEvent(String call, boolean timed) {
        require(call);
        try {
            EventHandle event = driver.eventCreate(handle(), timed);
            live.events.incrementAndGet();
            return event;
        } catch (CudaException e) {
            throw failure(call, e);
        }
    }

    /** Gives an event back; never throws. */
    public void destroyEvent(EventHandle event) {
        live.events.decrementAndGet();
        release((context, handleOfEvent) -> driver.eventDestroy(context, handleOfEvent), event);
    }

    /**
     * Gives something back. What the driver says is of no use to a caller that has no use for the resource, except that
     * it may say that the device is lost.
     */
    private <T> void release(BiConsumer<Context, T> call, T resource) {
        Context context = handle;
        if (context == null || isGone()) {
            return;
        }
        try {
            call.accept(context, resource);
        } catch (CudaException e) {
            if (CudaErrors.isSticky(e.code())) {
                health.lose(e);
            }
        }
    }

    /** Releases the context, and with it all memory of the GPU that is still taken. Closing again has no effect. */
    @Override
    public void close() {
        lanes.close();
        closed = true;
        releaseContextIfUnused();
    }

    private synchronized void releaseContextIfUnused() {
        Context context = handle;
        if (context != null && live.pinnedAllocations() == 0) {
            handle = null;
            try {
                driver.primaryContextRelease(index);
            } catch (CudaException ignored) {
                // It is gone.
            }
        }
    }
}
