package dev.stowage.llm.fit;

import dev.stowage.error.AccessException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.BufferUsage;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * A buffer of the type that a tensor will be stored in, without memory. A scheduler asks devices about the types of
 * buffers, so with these it decides as it will once the tensors are loaded.
 */
final class PlannedBuffer extends Buffer {

    private PlannedBuffer(BufferType type, long size) {
        super(type, size);
    }

    /** Gives a tensor a buffer of its own; there is nothing to close, as there is no memory to give back. */
    static void place(Tensor tensor, BufferType type, BufferUsage usage) {
        Buffer buffer = new PlannedBuffer(type, type.allocationSize(tensor));
        buffer.setUsage(usage);
        buffer.place(tensor, 0);
    }

    @Override
    protected long baseAddress() {
        return type().alignment();
    }

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        throw noMemory("write");
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        throw noMemory("read");
    }

    @Override
    protected void doMemset(long offset, long length, byte value) {
        throw noMemory("fill");
    }

    @Override
    protected void doClose() {}

    private AccessException noMemory(String verb) {
        return new AccessException("cannot " + verb + " bytes of the buffer " + this
                + ": it is planned and has no memory; open the model");
    }
}
