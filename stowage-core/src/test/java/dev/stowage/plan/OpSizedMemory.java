package dev.stowage.plan;

import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Tensor;

/**
 * Memory in which a tensor takes more bytes than it has, and how many depends on the name of its op: two tensors of the same layout
 * then differ in size, as with devices that keep work space after some results.
 *
 * @param step the bytes between one size and the next
 */
record OpSizedMemory(String name, long alignment, long maxBufferSize, long step) implements BufferType {

    @Override
    public long allocationSize(Tensor tensor) {
        return tensor.byteSize() + tensor.op().name().length() % 3 * step;
    }

    @Override
    public Buffer allocate(long size) {
        return MeasuringBufferType.of(name, alignment).allocate(size);
    }
}
