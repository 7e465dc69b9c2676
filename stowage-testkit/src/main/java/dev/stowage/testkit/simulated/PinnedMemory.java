package dev.stowage.testkit.simulated;

import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The host memory that is fast to exchange with a simulated device: plain memory that is known to be taken from there. */
final class PinnedMemory implements BufferType {

    private final HostBufferType memory;
    private final List<Buffer> given = new ArrayList<>();

    PinnedMemory(String name) {
        this.memory = HostBufferType.standard().withName(name);
    }

    @Override
    public String name() {
        return memory.name();
    }

    @Override
    public long alignment() {
        return memory.alignment();
    }

    @Override
    public long maxBufferSize() {
        return memory.maxBufferSize();
    }

    @Override
    public boolean isHost() {
        return true;
    }

    @Override
    public synchronized Buffer allocate(long size) {
        Buffer buffer = memory.allocate(size);
        given.removeIf(Buffer::isClosed);
        given.add(buffer);
        return buffer;
    }

    /** Whether those bytes are in a buffer that was taken here and is open. */
    synchronized boolean holds(MemorySegment bytes) {
        return bytes.isNative() && given.stream().anyMatch(buffer -> holds(buffer, bytes));
    }

    private static boolean holds(Buffer buffer, MemorySegment bytes) {
        long offset = buffer.isClosed() ? -1 : bytes.address() - buffer.address();
        return offset >= 0 && offset + bytes.byteSize() <= buffer.size();
    }

    /** How many buffers were taken and are not closed. */
    synchronized int openBuffers() {
        return (int) given.stream().filter(buffer -> !buffer.isClosed()).count();
    }

    @Override
    public String toString() {
        return name();
    }
}
