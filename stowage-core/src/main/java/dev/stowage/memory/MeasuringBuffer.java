package dev.stowage.memory;

import dev.stowage.error.AccessException;
import java.lang.foreign.MemorySegment;

/**
 * A buffer without memory, made by {@link MeasuringBufferType}: tensors can be placed in it under all the rules of a
 * buffer, but there are no bytes to read or write. Thread-safe.
 */
final class MeasuringBuffer extends Buffer {

    private final MeasuringBufferType type;

    MeasuringBuffer(MeasuringBufferType type, long size) {
        super(type, size);
        this.type = type;
    }

    /** An address with no more than the required alignment, so that a plan that relies on more fails. */
    @Override
    protected long baseAddress() {
        return type.alignment();
    }

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        throw noMemory("write", source.byteSize(), offset);
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        throw noMemory("read", target.byteSize(), offset);
    }

    @Override
    protected void doMemset(long offset, long length, byte value) {
        throw noMemory("fill", length, offset);
    }

    @Override
    protected void doClose() {
        type.released(size());
    }

    private AccessException noMemory(String verb, long length, long offset) {
        return new AccessException("cannot " + verb + " " + length + " bytes at byte " + offset + " of the buffer "
                + this + ": it only measures and has no memory; bind to a real buffer type to compute");
    }
}
