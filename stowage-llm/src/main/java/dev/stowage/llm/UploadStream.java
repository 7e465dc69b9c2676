package dev.stowage.llm;

import dev.stowage.device.Backend;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.Event;
import dev.stowage.gguf.GgufFile;
import dev.stowage.memory.Buffer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One thread's part of a {@link WeightUpload}: a stream of the device, and two staging buffers, of which one is read into while
 * the other is transferred. Used by that thread.
 */
final class UploadStream implements PieceLoader<WeightUpload.Piece> {

    private static final int SLOTS = 2;

    private final Device device;
    private final GgufFile file;
    private final long stagingBytes;
    private final LongConsumer arrived;
    private final Backend backend;
    private final List<Slot> slots = new ArrayList<>();
    private int next;

    /** A staging buffer. */
    private static final class Slot implements AutoCloseable {

        private final Buffer buffer;
        private final @Nullable Event transferred;
        /** The bytes of it that are being transferred. */
        private long underWay;

        Slot(Buffer buffer, @Nullable Event transferred) {
            this.buffer = buffer;
            this.transferred = transferred;
        }

        @Override
        public void close() {
            if (transferred != null) {
                transferred.close();
            }
            buffer.close();
        }
    }

    /**
     * A stream of that device.
     *
     * @param stagingBytes the bytes of the largest piece
     * @param arrived is given the bytes of each piece that has arrived
     */
    UploadStream(Device device, GgufFile file, long stagingBytes, LongConsumer arrived) {
        this.device = device;
        this.file = file;
        this.stagingBytes = stagingBytes;
        this.arrived = arrived;
        this.backend = device.open();
    }

    /** Reads a piece and submits it. */
    @Override
    public void load(WeightUpload.Piece piece) {
        Slot slot = free();
        MemorySegment bytes = slot.buffer.segment().asSlice(0, piece.bytes());
        file.read(piece.source(), piece.at(), bytes);
        backend.setAsync(piece.target(), piece.at(), bytes);
        slot.underWay = piece.bytes();
        if (slot.transferred != null) {
            backend.record(slot.transferred);
        }
    }

    /** The next staging buffer, once nothing of it is being transferred any more. */
    private Slot free() {
        Slot slot = next < slots.size() ? slots.get(next) : newSlot();
        next = (next + 1) % SLOTS;
        if (slot.underWay > 0 && slot.transferred != null) {
            slot.transferred.synchronize();
            hasArrived(slot);
        } else if (slot.underWay > 0) {
            finish();
        }
        return slot;
    }

    private Slot newSlot() {
        Buffer buffer = device.hostBufferType().orElseThrow().allocate(stagingBytes);
        try {
            boolean hasEvents = device.capabilities().contains(Capability.EVENTS);
            slots.add(new Slot(buffer, hasEvents ? device.createEvent() : null));
        } catch (RuntimeException | Error e) {
            buffer.close();
            throw e;
        }
        return slots.getLast();
    }

    /** Waits until everything has arrived. */
    @Override
    public void finish() {
        backend.synchronize();
        slots.forEach(this::hasArrived);
    }

    private void hasArrived(Slot slot) {
        long bytes = slot.underWay;
        slot.underWay = 0;
        if (bytes > 0) {
            arrived.accept(bytes);
        }
    }

    /** Waits for the device, which reads the staging buffers until it is done, and releases everything. */
    @Override
    public void close() {
        try {
            backend.close();
        } finally {
            slots.forEach(Slot::close);
            slots.clear();
        }
    }
}
