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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Uploads weights from a file to an asynchronous device. Pieces are read into staging buffers by a few threads, in host
 * memory that is fast to exchange with the device, while earlier ones are transferred.
 *
 * <pre>
 *   file ──read──► staging 0 ──submit──► device
 *        ──read──► staging 1 ──submit──► device      a staging buffer is read into again
 *        ──read──► ...                               once its transfer is done
 * </pre>
 *
 * A piece has whole rows of one tensor, so that a device can rearrange them; pieces are submitted in order. Used by one
 * thread.
 */
final class WeightUpload implements AutoCloseable {

    private static final long STAGING_BYTES = 4L << 20;
    /** One thread copies slower than a device takes, and a few are as fast as memory. */
    private static final int MAX_READERS = 6;

    private final GgufFile file;
    private final Backend backend;
    private final LongConsumer arrived;
    private final List<Slot> slots = new ArrayList<>();
    /** Pieces that are being read, in the order in which they will be submitted. */
    private final Deque<Piece> reading = new ArrayDeque<>();

    private final int readers = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MAX_READERS);
    private final ExecutorService threads = Executors.newFixedThreadPool(
            readers, Thread.ofPlatform().daemon().name("stowage-upload-", 0).factory());

    private int next;

    /** A staging buffer. */
    private static final class Slot {

        private final Buffer buffer;
        private final @Nullable Event transferred;
        /** The bytes of it that are being transferred. */
        private long underWay;

        Slot(Buffer buffer, @Nullable Event transferred) {
            this.buffer = buffer;
            this.transferred = transferred;
        }
    }

    /** Bytes of a tensor that are being read into a staging buffer. */
    private record Piece(Slot slot, BoundTensor target, long at, MemorySegment bytes, Future<?> read) {}

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
            upload.allocateStaging(device, tensors);
            return upload;
        } catch (RuntimeException | Error e) {
            upload.close(e);
            throw e;
        }
    }

    private void allocateStaging(Device device, List<Tensor> tensors) {
        long longestRow =
                tensors.stream().mapToLong(WeightUpload::rowBytes).max().orElse(0);
        long bytes = tensors.stream().mapToLong(Tensor::byteSize).max().orElse(0);
        long size = Math.max(longestRow, Math.min(bytes, STAGING_BYTES));
        BufferType type = device.hostBufferType().orElseThrow();
        // As many are being read as there are readers, and as many transferred.
        for (int i = 0; i < 2 * readers; i++) {
            Buffer buffer = type.allocate(size);
            slots.add(new Slot(buffer, null));
            if (device.capabilities().contains(Capability.EVENTS)) {
                slots.set(i, new Slot(buffer, device.createEvent()));
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
            Slot slot = free();
            long bytes = Math.min(slot.buffer.size() / row * row, tensor.byteSize() - at);
            MemorySegment piece = slot.buffer.segment().asSlice(0, bytes);
            long from = at;
            reading.add(new Piece(slot, target, at, piece, threads.submit(() -> file.read(found, from, piece))));
            at += bytes;
        }
    }

    /** The next staging buffer, once nothing of it is being read or transferred any more. */
    private Slot free() {
        if (reading.size() >= readers) {
            submitFirst();
        }
        Slot slot = slots.get(next);
        next = (next + 1) % slots.size();
        if (slot.underWay > 0 && slot.transferred != null) {
            slot.transferred.synchronize();
            hasArrived(slot);
        } else if (slot.underWay > 0) {
            finish();
        }
        return slot;
    }

    /** Waits until the first piece has been read, and submits it. */
    private void submitFirst() {
        Piece piece = reading.removeFirst();
        await(piece.read());
        backend.setAsync(piece.target(), piece.at(), piece.bytes());
        Slot slot = piece.slot();
        slot.underWay = piece.bytes().byteSize();
        if (slot.transferred != null) {
            backend.record(slot.transferred);
        }
    }

    private static void await(Future<?> read) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    read.get();
                    return;
                } catch (InterruptedException _) {
                    // Reading goes on, and so does its staging buffer: the interrupt is restored when it is done.
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw new IllegalStateException(e);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits until everything has arrived. */
    void finish() {
        while (!reading.isEmpty()) {
            submitFirst();
        }
        backend.synchronize();
        slots.forEach(this::hasArrived);
    }

    private void hasArrived(Slot slot) {
        long bytes = slot.underWay;
        slot.underWay = 0;
        arrived.accept(bytes);
    }

    /** Waits for the readers and the device, and releases everything. */
    @Override
    public void close() {
        // Readers write into the staging buffers and the backend reads them until they are done.
        threads.close();
        try {
            backend.close();
        } finally {
            reading.clear();
            for (Slot slot : slots) {
                if (slot.transferred != null) {
                    slot.transferred.close();
                }
                slot.buffer.close();
            }
            slots.clear();
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
