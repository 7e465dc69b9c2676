package dev.stowage.cpu.weights;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** A buffer whose matrices have their rows interleaved; see {@link Interleaving}. */
final class InterleavedBuffer extends Buffer {

    private final Buffer memory;

    InterleavedBuffer(BufferType type, Buffer memory) {
        super(type, memory.size());
        this.memory = memory;
    }

    @Override
    protected long baseAddress() {
        return memory.address();
    }

    @Override
    protected void initialize(Tensor tensor) {
        interleaving(tensor);
    }

    @Override
    protected void write(Tensor tensor, long offset, MemorySegment source) {
        interleaving(tensor).write(address(tensor), offset - tensor.storageOffset(), source);
    }

    @Override
    protected void read(Tensor tensor, long offset, MemorySegment target) {
        interleaving(tensor).read(address(tensor), offset - tensor.storageOffset(), target);
    }

    private long address(Tensor tensor) {
        return memory.address() + tensor.storageOffset();
    }

    private static Interleaving interleaving(Tensor tensor) {
        if (tensor.isView()) {
            throw new InvalidTensorException(tensor.describe()
                    + " is a view of weights whose rows are interleaved, which only whole matrices can be: keep '"
                    + tensor.viewSource().name() + "' in ordinary memory of the device");
        }
        return Interleaving.of(tensor.layout())
                .orElseThrow(() -> new InvalidTensorException(tensor.describe()
                        + " cannot be kept with its rows interleaved: ask Device.weightsType() where its layout goes"));
    }

    @Override
    protected void fill(long offset, long length, byte value) {
        memory.segment().asSlice(offset, length).fill(value);
    }

    @Override
    protected void fill(Tensor tensor, long offset, long length, byte value) {
        interleaving(tensor).fill(address(tensor), offset - tensor.storageOffset(), length, value);
    }

    @Override
    protected void release() {
        memory.close();
    }
}
