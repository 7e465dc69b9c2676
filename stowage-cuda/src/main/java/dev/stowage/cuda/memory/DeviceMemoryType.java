package dev.stowage.cuda.memory;

import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;

/** The memory of one GPU. */
public final class DeviceMemoryType implements BufferType {

    /** That of ggml's CUDA backend, so that plans are the same; kernels rely on it for vector loads. */
    public static final long ALIGNMENT = 128;

    private final DeviceContext context;

    /** The memory of that GPU. */
    public DeviceMemoryType(DeviceContext context) {
        this.context = context;
    }

    @Override
    public String name() {
        return context.name();
    }

    @Override
    public long alignment() {
        return ALIGNMENT;
    }

    @Override
    public Buffer allocate(long size) {
        long address = context.allocate(name(), size);
        return new PlainBuffer(this, context, address, size);
    }

    @Override
    public String toString() {
        return name();
    }
}
