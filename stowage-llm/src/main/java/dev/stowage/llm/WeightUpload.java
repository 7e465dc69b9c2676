package dev.stowage.llm;

import dev.stowage.device.Backend;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.Event;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Uploads weights from a file to an asynchronous device: a piece is read into one staging
 * buffer, in host memory that is fast to exchange with the device, while the one before goes up from the other.
 *
 * <pre>
 *   file ──read──► staging 0 ──submit──► device
 *        ──read──► staging 1 ──submit──► device      staging 0 is read into again once its transfer is done
 * </pre>
 *
 * A piece has whole rows of one tensor, so that a device can rearrange them. Used by one thread.
 */
final class WeightUpload implements AutoCloseable {

    private static final long STAGING_BYTES = 4L << 20;

    private final GgufFile file;
    private final Backend backend;
    private final LongConsumer arrived;
    private final @Nullable Buffer[] staging = new Buffer[2];
    private final @Nullable Event[] events = new Event[2];
    /** By staging buffer the bytes of it that are on their way. */
    private final long[] underWay = new long[2];

    private int next;

    private WeightUpload(GgufFile file, Backend backend, LongConsumer arrived) {
        this.file = file;
        this.backend = backend;
        this.arrived = arrived;
    }

    /** Whether weights get faster to memory of that type in this way: the device has to fetch them from the host. */
    static boolean serves(Device device, BufferType type) {
        return !type.isHost()
                && device.capabilities().contains(Capability.ASYNC)
                && device.hostBufferType().isPresent();
    }

    /**
     * An upload of such tensors.
     *
     * @param arrived is given the bytes of each piece that has arrived
     */
    static WeightUpload to(Device device, GgufFile file, List<Tensor> tensors, LongConsumer arrived) {
        WeightUpload upload = new WeightUpload(file, device.open(), arrived);
        try {
            upload.takeStaging(device, tensors);
            return upload;
        } catch (RuntimeException | Error e) {
            upload.close(e);
            throw e;
        }
    }

    private void takeStaging(Device device, List<Tensor> tensors) {
        long longestRow =
                tensors.stream().mapToLong(WeightUpload::rowBytes).max().orElse(0);
        long bytes = tensors.stream().mapToLong(Tensor::byteSize).max().orElse(0);
        long size = Math.max(longestRow, Math.min(bytes, STAGING_BYTES));
        BufferType type = device.hostBufferType().orElseThrow();
        for (int i = 0; i < staging.length; i++) {
            staging[i] = type.allocate(size);
            if (device.capabilities().contains(Capability.EVENTS)) {
                events[i] = device.createEvent();
            }
        }
    }

    private static long rowBytes(Tensor tensor) {
        return tensor.type().rowBytes(tensor.dim(0));
    }

    /**
     * Submits the weight of that name, which arrives in order; {@link #finish()} waits for it.
     *
     * @throws InvalidTensorException if the file has another type or shape for it
     */
    void load(Tensor tensor, String name) {
        GgufTensor found = file.contents().tensor(name);
        if (!found.layout().equals(tensor.layout())) {
            throw new InvalidTensorException(tensor.describe() + " is " + found.layout() + " in the file");
        }
        BoundTensor target = BoundTensor.of(tensor);
        long row = Math.max(1, rowBytes(tensor));
        for (long at = 0; at < tensor.byteSize(); ) {
            Buffer buffer = free(next);
            long bytes = Math.min(buffer.size() / row * row, tensor.byteSize() - at);
            MemorySegment piece = buffer.segment().asSlice(0, bytes);
            file.read(found, at, piece);
            backend.setAsync(target, at, piece);
            submitted(next, bytes);
            next = 1 - next;
            at += bytes;
        }
    }

    private void submitted(int number, long bytes) {
        underWay[number] = bytes;
        Event event = events[number];
        if (event != null) {
            backend.record(event);
        }
    }

    /** A staging buffer, once nothing of it is on its way any more. */
    private Buffer free(int number) {
        Event event = events[number];
        if (underWay[number] > 0 && event != null) {
            event.synchronize();
            hasArrived(number);
        } else if (underWay[number] > 0) {
            finish();
        }
        Buffer buffer = staging[number];
        if (buffer == null) {
            throw new IllegalStateException("an upload that was not begun");
        }
        return buffer;
    }

    /** Waits until everything submitted has arrived. */
    void finish() {
        backend.synchronize();
        hasArrived(0);
        hasArrived(1);
    }

    private void hasArrived(int number) {
        long bytes = underWay[number];
        underWay[number] = 0;
        arrived.accept(bytes);
    }

    /** Waits for the device, and gives everything back. */
    @Override
    public void close() {
        // The backend first: it reads the staging buffers until it is done.
        try {
            backend.close();
        } finally {
            for (int i = 0; i < staging.length; i++) {
                Event event = events[i];
                Buffer buffer = staging[i];
                events[i] = null;
                staging[i] = null;
                if (event != null) {
                    event.close();
                }
                if (buffer != null) {
                    buffer.close();
                }
            }
        }
    }

    private void close(Throwable because) {
        try {
            close();
        } catch (RuntimeException | Error e) {
            because.addSuppressed(e);
        }
    }
}
