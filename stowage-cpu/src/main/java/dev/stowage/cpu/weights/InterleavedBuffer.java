package dev.stowage.cpu.weights;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** A buffer whose matrices have their rows interleaved; see {@link Interleaving}. */
final class InterleavedBuffer extends Buffer {

    private final InterleavedType form;
    private final Buffer memory;

    InterleavedBuffer(InterleavedType type, Buffer memory) {
        super(type, memory.size());
        this.form = type;
        this.memory = memory;
    }

    @Override
    protected long baseAddress() {
        return memory.address();
    }

    @Override
    protected void doInitialize(BoundTensor tensor) {
        interleaving(tensor);
    }

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        interleaving(tensor).write(address(tensor), offset - tensor.offset(), source);
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        interleaving(tensor).read(address(tensor), offset - tensor.offset(), target);
    }

    /** How matrices are interleaved here. */
    InterleavedType form() {
        return form;
    }

    private long address(BoundTensor tensor) {
        return memory.address() + tensor.offset();
    }

    private Interleaving interleaving(BoundTensor bound) {
        Tensor tensor = bound.tensor();
        if (tensor.isView()) {
            throw new InvalidTensorException(tensor.describe()
                    + " is a view of weights whose rows are interleaved, which only whole matrices can be: keep '"
                    + tensor.viewSource().name() + "' in ordinary memory of the device");
        }
        return form.interleaving(tensor.layout())
                .orElseThrow(() -> new InvalidTensorException(tensor.describe()
                        + " cannot be kept with its rows interleaved: ask Device.weightsType() where its layout goes"));
    }

    @Override
    protected void doMemset(long offset, long length, byte value) {
        memory.segment().asSlice(offset, length).fill(value);
    }

    @Override
    protected void doMemset(BoundTensor tensor, long offset, long length, byte value) {
        interleaving(tensor).fill(address(tensor), offset - tensor.offset(), length, value);
    }

    @Override
    protected void doClose() {
        memory.close();
    }
}
