package dev.stowage.plan;

import dev.stowage.error.AllocationException;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import java.util.ArrayList;
import java.util.List;

/** Host memory that refuses one buffer on demand and remembers all that it gave. */
final class RefusingMemory implements BufferType {

    private final String name;
    private final long maxBufferSize;
    private final List<Buffer> given = new ArrayList<>();
    private int untilRefusal = Integer.MAX_VALUE;

    RefusingMemory(String name, long maxBufferSize) {
        this.name = name;
        this.maxBufferSize = maxBufferSize;
    }

    /** After {@code granted} more buffers one is refused. */
    void refuseAfter(int granted) {
        untilRefusal = granted;
    }

    List<Buffer> openBuffers() {
        return given.stream().filter(buffer -> !buffer.isClosed()).toList();
    }

    int givenBuffers() {
        return given.size();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long alignment() {
        return 32;
    }

    @Override
    public long maxBufferSize() {
        return maxBufferSize;
    }

    @Override
    public boolean isHost() {
        return true;
    }

    @Override
    public Buffer allocate(long size) {
        if (untilRefusal-- == 0) {
            untilRefusal = Integer.MAX_VALUE;
            throw new AllocationException("no more " + name, name, size, 0);
        }
        Buffer buffer = HostBufferType.standard().withAlignment(alignment()).allocate(size);
        given.add(buffer);
        return buffer;
    }
}
