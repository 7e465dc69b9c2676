package dev.stowage.cuda.memory;

import dev.stowage.error.AllocationException;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Pinned host memory of one GPU. */
public final class PinnedType implements BufferType {

    private final DeviceContext context;
    /** Closed buffers whose segments were still in use. */
    private final ConcurrentLinkedQueue<PinnedBuffer> busy = new ConcurrentLinkedQueue<>();

    /** Memory that is fast to exchange with that GPU. */
    public PinnedType(DeviceContext context) {
        this.context = context;
    }

    DeviceContext context() {
        return context;
    }

    @Override
    public String name() {
        return context.name() + " pinned";
    }

    @Override
    public long alignment() {
        return HostBufferType.STANDARD_ALIGNMENT;
    }

    @Override
    public boolean isHost() {
        return true;
    }

    @Override
    public Buffer allocate(long size) {
        if (size < 0) {
            throw new AllocationException("cannot allocate " + size + " bytes of " + name(), name(), size, -1);
        }
        freeBusy();
        if (size == 0) {
            return new PinnedBuffer(this, MemorySegment.NULL, 0);
        }
        MemorySegment memory = context.allocatePinned(name(), size);
        try {
            return new PinnedBuffer(this, memory, size);
        } catch (RuntimeException | Error e) {
            context.freePinned(memory);
            throw e;
        }
    }

    /** Frees the memory of a closed buffer: now, or with a later one if its segment is in use. */
    void free(PinnedBuffer buffer) {
        freeBusy();
        if (!buffer.tryFree()) {
            busy.add(buffer);
        }
    }

    private void freeBusy() {
        for (int waiting = busy.size(); waiting > 0; waiting--) {
            PinnedBuffer next = busy.poll();
            if (next != null && !next.tryFree()) {
                busy.add(next);
            }
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
