package dev.stowage.cpu.weights;

import dev.stowage.error.AllocationException;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import jdk.incubator.vector.VectorShape;

/**
 * Memory for the weights of matrix products, in which the rows of a matrix are interleaved as they are written. Vectors
 * then go across rows instead of along them, which is much faster where a row is packed into few bits. The bytes a caller
 * reads back are those it wrote.
 */
public final class InterleavedType implements BufferType {

    private static final InterleavedType INSTANCE = new InterleavedType();

    /** The kernels take whole planes of 32 bytes as vectors of 16-bit numbers. */
    private static final int VECTOR_BITS = 512;

    private InterleavedType() {}

    /** The type; there is one. */
    public static InterleavedType instance() {
        return INSTANCE;
    }

    /** Whether weights of that layout can be kept so, and are better off. */
    public static boolean suits(Layout layout) {
        return VectorShape.preferredShape().vectorBitSize() == VECTOR_BITS
                && Interleaving.of(layout).isPresent();
    }

    /** Whether a tensor is stored in such memory, or planned to be. */
    public static boolean holds(Tensor tensor) {
        return tensor.isPlaced() && INSTANCE.equals(Buffer.of(tensor).type());
    }

    /** Whether a buffer is of such memory. */
    public static boolean holds(Buffer buffer) {
        return buffer instanceof InterleavedBuffer;
    }

    @Override
    public String name() {
        return "cpu interleaved";
    }

    @Override
    public long alignment() {
        return HostBufferType.STANDARD_ALIGNMENT;
    }

    /**
     * A new buffer.
     *
     * @throws AllocationException if there is too little memory
     */
    @Override
    public Buffer allocate(long size) {
        return new InterleavedBuffer(
                this, HostBufferType.standard().withName(name()).allocate(size));
    }
}
