package dev.stowage.tensor;

import dev.stowage.error.InvalidTensorException;
import java.util.Arrays;

/**
 * The four dimensions of a tensor, innermost first, as ggml counts them: {@code d0} runs along a row, {@code d1}
 * counts rows. Dimensions that are not used are 1. A dimension may be 0: the tensor is then empty and needs no bytes.
 */
public record Shape(long d0, long d1, long d2, long d3) {

    /** How many dimensions every tensor has. */
    public static final int RANK = 4;

    /** The shape of one single number. */
    public static final Shape SCALAR = new Shape(1, 1, 1, 1);

    public Shape {
        if (d0 < 0 || d1 < 0 || d2 < 0 || d3 < 0) {
            throw new InvalidTensorException(
                    "a dimension is negative in [" + d0 + ", " + d1 + ", " + d2 + ", " + d3 + "]");
        }
        // An empty dimension must not hide that the others are too large: rows are counted without it.
        try {
            Math.multiplyExact(
                    Math.multiplyExact(Math.max(d0, 1), Math.max(d1, 1)),
                    Math.multiplyExact(Math.max(d2, 1), Math.max(d3, 1)));
        } catch (ArithmeticException _) {
            throw new InvalidTensorException(
                    "[" + d0 + ", " + d1 + ", " + d2 + ", " + d3 + "] has more elements than a long can count");
        }
    }

    /** A shape of one to four dimensions, innermost first; the missing ones are 1. */
    public static Shape of(long... dimensions) {
        if (dimensions.length < 1 || dimensions.length > RANK) {
            throw new InvalidTensorException("a shape has 1 to " + RANK + " dimensions, not " + dimensions.length + ": "
                    + Arrays.toString(dimensions));
        }
        return new Shape(
                dimensions[0],
                dimensions.length > 1 ? dimensions[1] : 1,
                dimensions.length > 2 ? dimensions[2] : 1,
                dimensions.length > 3 ? dimensions[3] : 1);
    }

    /** Dimension {@code i}, from 0 (innermost) to 3. */
    public long dim(int i) {
        return switch (i) {
            case 0 -> d0;
            case 1 -> d1;
            case 2 -> d2;
            case 3 -> d3;
            default -> throw new InvalidTensorException("dimension " + i + " is not one of 0 to " + (RANK - 1));
        };
    }

    /** The same shape with dimension {@code i} replaced. */
    public Shape with(int i, long size) {
        return switch (i) {
            case 0 -> new Shape(size, d1, d2, d3);
            case 1 -> new Shape(d0, size, d2, d3);
            case 2 -> new Shape(d0, d1, size, d3);
            case 3 -> new Shape(d0, d1, d2, size);
            default -> throw new InvalidTensorException("dimension " + i + " is not one of 0 to " + (RANK - 1));
        };
    }

    /** How many elements there are. */
    public long elements() {
        return d0 * d1 * d2 * d3;
    }

    /** How many rows there are: the product of all dimensions but the innermost. */
    public long rows() {
        return d1 * d2 * d3;
    }

    /** How many dimensions are used: the number of the last one that is not 1, at least 1. */
    public int rank() {
        return d3 != 1 ? 4 : d2 != 1 ? 3 : d1 != 1 ? 2 : 1;
    }

    /** Whether there are no elements. */
    public boolean isEmpty() {
        return d0 == 0 || d1 == 0 || d2 == 0 || d3 == 0;
    }

    /** Whether there is exactly one element. */
    public boolean isScalar() {
        return d0 == 1 && isVector();
    }

    /** Whether only the first dimension is used. */
    public boolean isVector() {
        return d1 == 1 && isMatrix();
    }

    /** Whether only the first two dimensions are used. */
    public boolean isMatrix() {
        return d2 == 1 && d3 == 1;
    }

    /** Whether {@code larger} is a whole number of copies of this shape in every dimension. */
    public boolean repeatsInto(Shape larger) {
        if (isEmpty()) {
            return larger.isEmpty();
        }
        return larger.d0 % d0 == 0 && larger.d1 % d1 == 0 && larger.d2 % d2 == 0 && larger.d3 % d3 == 0;
    }

    /** The used dimensions, innermost first: {@code [4096, 512]}. */
    @Override
    public String toString() {
        return switch (rank()) {
            case 1 -> "[" + d0 + "]";
            case 2 -> "[" + d0 + ", " + d1 + "]";
            case 3 -> "[" + d0 + ", " + d1 + ", " + d2 + "]";
            default -> "[" + d0 + ", " + d1 + ", " + d2 + ", " + d3 + "]";
        };
    }
}
