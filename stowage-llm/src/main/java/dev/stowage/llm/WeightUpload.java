package dev.stowage.llm;

import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Uploads weights from a file to an asynchronous device. Several threads each read pieces into staging buffers of their own,
 * in host memory that is fast to exchange with the device, and submit them to a stream of their own.
 *
 * <pre>
 *   file ──read──► staging 0 ──submit──► stream of thread 0 ──► device
 *        ──read──► staging 1 ──submit──►
 *        ──read──► staging 0 ──submit──► stream of thread 1 ──► device     a staging buffer is read into again
 *        ──read──► ...                                                     once its transfer is done
 * </pre>
 *
 * A piece has whole rows of one tensor, so that a device can rearrange them. Used by one thread.
 */
final class WeightUpload {

    /** Enough for the speed of a transfer; pinned memory takes long to allocate. */
    private static final long STAGING_BYTES = 2L << 20;

    private final GgufFile file;
    private final Device device;
    private final LongConsumer arrived;
    private final List<Piece> pieces = new ArrayList<>();
    private long stagingBytes;

    /** Rows of a tensor that are read and transferred at once. */
    record Piece(GgufTensor source, BoundTensor target, long at, long bytes) {}

    /**
     * An upload to that device.
     *
     * @param arrived is given the bytes of each piece that has arrived, in this thread
     */
    WeightUpload(Device device, GgufFile file, LongConsumer arrived) {
        this.device = device;
        this.file = file;
        this.arrived = arrived;
    }

    /** Whether weights get faster to memory of that type in this way: the device has to fetch them from the host. */
    static boolean serves(Device device, BufferType type) {
        return !type.isHost()
                && device.capabilities().contains(Capability.ASYNC)
                && device.hostBufferType().isPresent();
    }

    /**
     * Adds the weight of that name; {@link #run()} loads it.
     *
     * @throws InvalidTensorException if the file has another type or shape for it
     */
    void add(Tensor tensor, String name) {
        GgufTensor found = file.contents().tensor(name);
        if (!found.layout().equals(tensor.layout())) {
            throw new InvalidTensorException(tensor.describe() + " is " + found.layout() + " in the file");
        }
        BoundTensor target = BoundTensor.of(tensor);
        long row = Math.max(1, tensor.type().rowBytes(tensor.dim(0)));
        long atOnce = Math.max(1, STAGING_BYTES / row) * row;
        for (long at = 0; at < tensor.byteSize(); at += atOnce) {
            long bytes = Math.min(atOnce, tensor.byteSize() - at);
            pieces.add(new Piece(found, target, at, bytes));
            stagingBytes = Math.max(stagingBytes, bytes);
        }
    }

    /** Loads everything, and returns when it has arrived, or when nothing is under way any more after a failure. */
    void run() {
        new LoadThreads<>(pieces, reports -> new UploadStream(device, file, stagingBytes, reports)).run(arrived);
    }
}
