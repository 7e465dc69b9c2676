package dev.stowage.cuda;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver.EventHandle;
import dev.stowage.cuda.driver.Driver.Stream;
import dev.stowage.cuda.memory.DeviceContext;
import dev.stowage.device.Event;
import dev.stowage.error.ClosedException;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;

/** A mark in a stream, with the time by the GPU's clock when it was reached. */
final class CudaEvent implements Event {

    private static final double NANOS_PER_MILLISECOND = 1e6;

    private final CudaDevice device;
    private final DeviceContext context;
    private final EventHandle handle;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean recorded;

    CudaEvent(CudaDevice device) {
        this.device = device;
        this.context = device.context();
        this.handle = context.createEvent("createEvent", true);
    }

    @Override
    public CudaDevice device() {
        return device;
    }

    /** Moves the mark to the end of a stream of the same device. */
    void record(Stream stream) {
        requireUsable();
        try {
            context.driver().eventRecord(context.handle(), handle, stream);
            recorded = true;
        } catch (CudaException e) {
            throw context.failure("record", e);
        }
    }

    /** Has a stream, of this or another device, wait for the mark. */
    void await(DeviceContext waiting, Stream stream) {
        requireUsable();
        if (recorded) {
            try {
                waiting.driver().streamWaitEvent(waiting.handle(), stream, handle);
            } catch (CudaException e) {
                throw waiting.failure("await", e);
            }
        }
    }

    @Override
    public void synchronize() {
        requireUsable();
        if (recorded) {
            try {
                context.driver().eventSynchronize(context.handle(), handle);
            } catch (CudaException e) {
                throw context.failure("event", e);
            }
        }
    }

    @Override
    public boolean isDone() {
        requireUsable();
        try {
            return !recorded || context.driver().eventQuery(context.handle(), handle);
        } catch (CudaException e) {
            throw context.failure("event", e);
        }
    }

    @Override
    public OptionalLong nanosSince(Event start) {
        requireUsable();
        if (!(start instanceof CudaEvent from) || !from.device.equals(device) || !recorded || !from.recorded) {
            return OptionalLong.empty();
        }
        if (!from.isDone() || !isDone()) {
            return OptionalLong.empty();
        }
        try {
            double milliseconds = context.driver().eventElapsedTime(context.handle(), from.handle, handle);
            return OptionalLong.of(Math.round(milliseconds * NANOS_PER_MILLISECOND));
        } catch (CudaException e) {
            throw context.failure("event", e);
        }
    }

    private void requireUsable() {
        context.require("event");
        if (closed.get()) {
            throw new ClosedException("the event of device '" + device.name() + "' is closed; create another");
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            context.destroyEvent(handle);
        }
    }
}
