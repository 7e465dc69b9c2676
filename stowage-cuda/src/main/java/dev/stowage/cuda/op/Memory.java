package dev.stowage.cuda.op;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.Tensor;

/** What kernels are chosen by besides shapes: alignment and overlap of operands in device memory. */
public final class Memory {

    private static final int VECTOR_BYTES = 16;

    private Memory() {}

    /** Whether all rows of a tensor without gaps in rows can be read 16 bytes at a time. */
    public static boolean hasVectorRows(BoundTensor tensor) {
        return tensor.layout().hasContiguousRows()
                && tensor.type().rowBytes(tensor.dim(0)) % VECTOR_BYTES == 0
                && DeviceAddress.of(tensor) % VECTOR_BYTES == 0
                && isVectorStride(tensor, 1)
                && isVectorStride(tensor, 2)
                && isVectorStride(tensor, 3);
    }

    private static boolean isVectorStride(BoundTensor tensor, int dimension) {
        return tensor.dim(dimension) == 1 || tensor.stride(dimension) % VECTOR_BYTES == 0;
    }

    /** Whether two tensors have no byte in common. */
    public static boolean areApart(BoundTensor a, BoundTensor b) {
        long ofA = DeviceAddress.of(a);
        long ofB = DeviceAddress.of(b);
        return ofA + a.byteSize() <= ofB || ofB + b.byteSize() <= ofA;
    }

    /** Whether a kernel that reads each element before it writes the one at the same index may do so. */
    public static boolean canStream(BoundTensor from, BoundTensor to) {
        return areApart(from, to) || isSame(from, to);
    }

    /** Whether two tensors are the same elements in the same place. */
    public static boolean isSame(BoundTensor a, BoundTensor b) {
        return DeviceAddress.of(a) == DeviceAddress.of(b) && a.layout().equals(b.layout());
    }

    /**
     * Whether a tensor can be read before the launches that precede have ended: a weight, which none of them writes.
     */
    public static boolean isConstant(BoundTensor tensor) {
        Tensor root = tensor.tensor().isView() ? tensor.tensor().viewSource() : tensor.tensor();
        return root.isWeight() && root.isLeaf();
    }
}
