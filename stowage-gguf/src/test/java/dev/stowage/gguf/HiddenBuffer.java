package dev.stowage.gguf;

import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import java.lang.foreign.MemorySegment;

/** Memory that only transfers reach, as that of a graphics card. */
final class HiddenBuffer extends Buffer {

    private final byte[] bytes;
    private long largestWrite;

    HiddenBuffer(long size) {
        super(HostBufferType.standard(), size);
        this.bytes = new byte[Math.toIntExact(size)];
    }

    byte[] bytes() {
        return bytes;
    }

    long largestWrite() {
        return largestWrite;
    }

    @Override
    protected long baseAddress() {
        return 4096;
    }

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        largestWrite = Math.max(largestWrite, source.byteSize());
        MemorySegment.copy(source, 0, MemorySegment.ofArray(bytes), offset, source.byteSize());
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        MemorySegment.copy(MemorySegment.ofArray(bytes), offset, target, 0, target.byteSize());
    }

    @Override
    protected void doMemset(long offset, long length, byte value) {
        MemorySegment.ofArray(bytes).asSlice(offset, length).fill(value);
    }

    @Override
    protected void doClose() {}
}
