package dev.stowage.tensor;

import dev.stowage.error.InvalidTensorException;

/** The bytes between neighbours along each dimension; along the first, per block. */
public record Strides(long s0, long s1, long s2, long s3) {

    public Strides {
        if (s0 < 0 || s1 < 0 || s2 < 0 || s3 < 0) {
            throw new InvalidTensorException(
                    "a stride is negative in [" + s0 + ", " + s1 + ", " + s2 + ", " + s3 + "]");
        }
    }

    /** The stride of dimension {@code i}, in bytes. */
    public long stride(int i) {
        return switch (i) {
            case 0 -> s0;
            case 1 -> s1;
            case 2 -> s2;
            case 3 -> s3;
            default -> throw new InvalidTensorException("dimension " + i + " is not one of 0 to " + (Shape.RANK - 1));
        };
    }

    @Override
    public String toString() {
        return "[" + s0 + ", " + s1 + ", " + s2 + ", " + s3 + "]";
    }
}
