package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.program.Launch;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;

/**
 * An operand or a result as a kernel sees it: an address and a layout, which need not be that of the tensor.
 *
 * @param address the address of the first byte in the memory of the GPU
 */
record Operand(long address, Layout layout) {

    /** What a thread loads and stores at once. */
    private static final int VECTOR_BYTES = 16;

    static Operand of(BoundTensor tensor) {
        return new Operand(DeviceAddress.of(tensor), tensor.layout());
    }

    /** The same memory with other dimensions and strides. */
    Operand with(Shape shape, Strides strides) {
        return new Operand(address, Layout.strided(layout.type(), shape, strides));
    }

    /** What begins so many bytes after the first, with the same dimensions and strides. */
    Operand from(long offset) {
        return new Operand(address + offset, layout);
    }

    ElementType type() {
        return layout.type();
    }

    long dim(int i) {
        return layout.shape().dim(i);
    }

    long stride(int i) {
        return layout.strides().stride(i);
    }

    /** Whether rows are without gaps and all begin at multiples of 16 bytes. */
    boolean hasVectorRows() {
        long places = address;
        for (int i = 1; i < Shape.RANK; i++) {
            places |= dim(i) > 1 ? stride(i) : 0;
        }
        return layout.hasContiguousRows() && places % VECTOR_BYTES == 0;
    }

    Launch.Argument view() {
        return new Launch.ViewArgument(address, layout);
    }
}
