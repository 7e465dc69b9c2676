package dev.stowage.cuda.kernel;

/** The types that parameters of kernels have. {@code VIEW} and {@code TENSOR_MAP} are structs of {@code common.cuh}. */
public enum ParameterType {
    /** Any pointer. */
    POINTER(8, 8),
    /** {@code int} or {@code unsigned}. */
    I32(4, 4),
    /** {@code long long} or {@code unsigned long long}. */
    I64(8, 8),
    /** {@code float}. */
    F32(4, 4),
    /** {@code View}: the address of a tensor, its shape and its strides. */
    VIEW(72, 8),
    /** {@code TensorMap}: what the copy engine of sm_90 needs. */
    TENSOR_MAP(128, 64);

    private final int bytes;
    private final int alignment;

    ParameterType(int bytes, int alignment) {
        this.bytes = bytes;
        this.alignment = alignment;
    }

    public int bytes() {
        return bytes;
    }

    public int alignment() {
        return alignment;
    }
}
