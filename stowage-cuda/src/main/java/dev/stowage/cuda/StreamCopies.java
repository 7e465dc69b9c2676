package dev.stowage.cuda;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.driver.Driver.EventHandle;
import dev.stowage.cuda.driver.Driver.Stream;
import dev.stowage.cuda.memory.DeviceContext;
import dev.stowage.cuda.memory.PlainBuffer;
import dev.stowage.memory.BoundTensor;

/**
 * Copies of device memory in the order of two streams.
 *
 * <pre>
 *   producer  ── work ── computed ●                  ── waits for copied ── later work
 *                                  ╲                  ╱
 *   consumer  ── work ── waits for computed ── copy ● copied
 * </pre>
 *
 * The producer waits because its later work may change what is being read.
 */
final class StreamCopies implements AutoCloseable {

    private final CudaDevice device;
    private final DeviceContext context;
    private final Driver driver;
    private final Stream stream;
    private final EventHandle computed;
    private final EventHandle copied;

    private StreamCopies(CudaDevice device, Stream stream, EventHandle computed, EventHandle copied) {
        this.device = device;
        this.context = device.context();
        this.driver = context.driver();
        this.stream = stream;
        this.computed = computed;
        this.copied = copied;
    }

    static StreamCopies open(CudaDevice device, Stream stream) {
        DeviceContext context = device.context();
        EventHandle computed = context.createEvent("open", false);
        try {
            return new StreamCopies(device, stream, computed, context.createEvent("open", false));
        } catch (RuntimeException | Error e) {
            context.destroyEvent(computed);
            throw e;
        }
    }

    /** Whether two tensors share some of their bytes, but not all. */
    static boolean overlapInPart(PlainBuffer source, BoundTensor from, PlainBuffer target, BoundTensor to) {
        long distance = Math.abs(source.deviceAddress() + from.offset() - target.deviceAddress() - to.offset());
        return distance > 0 && distance < from.byteSize();
    }

    /** Copies a tensor that the stream of {@code producer} computes, in this stream. */
    void copy(StreamCopies producer, PlainBuffer source, BoundTensor from, PlainBuffer target, BoundTensor to) {
        device.enableCopiesFrom(source.context());
        boolean isOther = !producer.stream.equals(stream);
        if (isOther) {
            producer.signal();
            driver.streamWaitEvent(context.handle(), stream, producer.computed);
        }
        driver.memcpyDtoDAsync(
                context.handle(),
                target.deviceAddress() + to.offset(),
                source.deviceAddress() + from.offset(),
                to.byteSize(),
                stream);
        if (isOther) {
            driver.eventRecord(context.handle(), copied, stream);
            producer.await(copied);
        }
    }

    /** Records that what was submitted so far has been computed. A failure is one of this device, not of the other. */
    private void signal() {
        try {
            driver.eventRecord(context.handle(), computed, stream);
        } catch (CudaException e) {
            throw context.failure("copy", e);
        }
    }

    /** Has later work of this stream wait until the copy is over. */
    private void await(EventHandle over) {
        try {
            driver.streamWaitEvent(context.handle(), stream, over);
        } catch (CudaException e) {
            throw context.failure("copy", e);
        }
    }

    @Override
    public void close() {
        context.destroyEvent(computed);
        context.destroyEvent(copied);
    }
}
