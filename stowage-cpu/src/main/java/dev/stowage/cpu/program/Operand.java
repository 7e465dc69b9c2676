package dev.stowage.cpu.program;

import dev.stowage.cpu.weights.InterleavedType;
import dev.stowage.error.AccessException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;

/**
 * A tensor as kernels see it: an address, a type, four dimensions and four strides in bytes, as plain fields.
 */
public final class Operand {

    public final Tensor tensor;
    public final Buffer buffer;
    public final ElementType type;
    public final long address;
    public final long d0;
    public final long d1;
    public final long d2;
    public final long d3;
    public final long s0;
    public final long s1;
    public final long s2;
    public final long s3;

    private Operand(Tensor tensor, Buffer buffer, long address) {
        this.tensor = tensor;
        this.buffer = buffer;
        this.type = tensor.type();
        this.address = address;
        this.d0 = tensor.dim(0);
        this.d1 = tensor.dim(1);
        this.d2 = tensor.dim(2);
        this.d3 = tensor.dim(3);
        this.s0 = tensor.stride(0);
        this.s1 = tensor.stride(1);
        this.s2 = tensor.stride(2);
        this.s3 = tensor.stride(3);
    }

    public static Operand of(BoundTensor bound) {
        return new Operand(bound.tensor(), bound.buffer(), address(bound));
    }

    /** The address of a tensor's first byte. */
    public static long address(BoundTensor bound) {
        return bound.buffer().address() + bound.offset();
    }

    /**
     * Whether kernels can reach a tensor: whether its bytes are in memory of the host and outside the Java heap.
     *
     * @throws AccessException if the host cannot reach them at all
     */
    static boolean isReachable(BoundTensor bound) {
        Buffer buffer = bound.buffer();
        if (InterleavedType.holds(buffer)) {
            return true;
        }
        if (!buffer.hasSegment()) {
            throw new AccessException(bound.describe() + " is stored in the buffer " + buffer
                    + ", which the processor cannot reach: bind the graph to host memory");
        }
        return buffer.hasNativeSegment();
    }

    public Layout layout() {
        return tensor.layout();
    }

    /** How many rows there are. */
    public long rows() {
        return d1 * d2 * d3;
    }

    /** How many elements there are. */
    public long elements() {
        return d0 * d1 * d2 * d3;
    }

    /** The address of row number {@code row}, counted with dimension 1 running fastest. */
    public long row(long row) {
        long i3 = row / (d1 * d2);
        long i2 = (row - i3 * d1 * d2) / d1;
        long i1 = row - (i3 * d2 + i2) * d1;
        return address + i1 * s1 + i2 * s2 + i3 * s3;
    }

    /** The address of the row at those indices. */
    public long at(long i1, long i2, long i3) {
        return address + i1 * s1 + i2 * s2 + i3 * s3;
    }

    /** The address of the row at those indices, each taken modulo this tensor's own dimension. */
    public long repeated(long i1, long i2, long i3) {
        return address + i1 % d1 * s1 + i2 % d2 * s2 + i3 % d3 * s3;
    }

    /**
     * Whether a result can be written row by row while this is read row by row: whether they have no byte in common, or are
     * stored in the same place in the same layout. A planner sees to that for one node; for nodes that become one it may
     * have given the last result the place of the first operand.
     */
    public boolean canStreamTo(Operand result) {
        boolean same = address == result.address && layout().equals(result.layout());
        return same || isApartFrom(result);
    }

    /** Whether two tensors have no byte in common. */
    public boolean isApartFrom(Operand other) {
        return address + tensor.byteSize() <= other.address || other.address + other.tensor.byteSize() <= address;
    }

    /** Whether the elements of a row are contiguous. */
    public boolean hasDenseRows() {
        return s0 == type.bytesPerBlock() || d0 <= type.blockSize();
    }

    /** Whether this is of f32 with dense rows, as most kernels read and write memory. */
    public boolean isDenseF32() {
        return type == ElementType.F32 && hasDenseRows();
    }

    public boolean isContiguous() {
        return tensor.layout().isContiguous();
    }
}
