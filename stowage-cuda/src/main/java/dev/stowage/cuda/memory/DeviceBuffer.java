package dev.stowage.cuda.memory;

import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;

/** Memory of a GPU. */
public abstract class DeviceBuffer extends Buffer {

    DeviceBuffer(BufferType type, long size) {
        super(type, size);
    }

    /** The address of the first byte in the memory of the GPU. */
    public abstract long deviceAddress();
}
