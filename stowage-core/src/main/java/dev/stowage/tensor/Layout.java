package dev.stowage.tensor;

import dev.stowage.error.InvalidTensorException;
import org.jspecify.annotations.Nullable;

/**
 * The positions of the elements of a tensor relative to its first byte: element type, shape and strides. Two tensors
 * with equal layouts can be copied byte for byte, and one can take the other's memory.
 *
 * <p>Sizes are computed once and checked: a layout that exists has a byte size that fits a {@code long}.
 */
public final class Layout {

    private final ElementType type;
    private final Shape shape;
    private final Strides strides;
    private final long byteSize;

    private Layout(ElementType type, Shape shape, Strides strides) {
        this.type = type;
        this.shape = shape;
        this.strides = strides;
        this.byteSize = extent(type, shape, strides);
    }

    /**
     * The layout without gaps: rows of whole blocks, one after the other.
     *
     * @throws InvalidTensorException if a row is not a whole number of blocks or the size overflows
     */
    public static Layout contiguous(ElementType type, Shape shape) {
        try {
            long s1 = type.rowBytes(shape.d0());
            long s2 = Math.multiplyExact(s1, shape.d1());
            long s3 = Math.multiplyExact(s2, shape.d2());
            return new Layout(type, shape, new Strides(type.bytesPerBlock(), s1, s2, s3));
        } catch (ArithmeticException _) {
            throw tooLarge(type, shape);
        }
    }

    /** The layout without gaps, of one to four dimensions, innermost first. */
    public static Layout contiguous(ElementType type, long... dimensions) {
        return contiguous(type, Shape.of(dimensions));
    }

    /**
     * A layout with strides of the caller's choice.
     *
     * @throws InvalidTensorException if a row is not a whole number of blocks or the size overflows
     */
    public static Layout strided(ElementType type, Shape shape, Strides strides) {
        type.rowBytes(shape.d0());
        return new Layout(type, shape, strides);
    }

    private static long extent(ElementType type, Shape shape, Strides strides) {
        if (shape.isEmpty()) {
            return 0;
        }
        try {
            long lastBlock = Math.multiplyExact(shape.d0() / type.blockSize() - 1, strides.s0());
            // ggml counts a whole stride for the last block, which matters only where there are gaps between blocks.
            long block = type.isQuantized() ? Math.max(strides.s0(), type.bytesPerBlock()) : type.bytesPerBlock();
            long bytes = Math.addExact(lastBlock, block);
            bytes = Math.addExact(bytes, Math.multiplyExact(shape.d1() - 1, strides.s1()));
            bytes = Math.addExact(bytes, Math.multiplyExact(shape.d2() - 1, strides.s2()));
            return Math.addExact(bytes, Math.multiplyExact(shape.d3() - 1, strides.s3()));
        } catch (ArithmeticException _) {
            throw tooLarge(type, shape);
        }
    }

    private static InvalidTensorException tooLarge(ElementType type, Shape shape) {
        return new InvalidTensorException(type + shape.toString() + " has more bytes than a long can count");
    }

    public ElementType type() {
        return type;
    }

    public Shape shape() {
        return shape;
    }

    public Strides strides() {
        return strides;
    }

    /** The bytes from the first element's first to the last element's last; 0 for an empty tensor. */
    public long byteSize() {
        return byteSize;
    }

    /** Whether the elements follow each other without gaps, in order. */
    public boolean isContiguous() {
        return isContiguousAbove(0);
    }

    /**
     * Whether all dimensions above {@code dimension} follow each other without gaps, and the elements of a row too;
     * the strides of dimensions 1 to {@code dimension} may be anything. With 0 this is {@link #isContiguous()}.
     */
    public boolean isContiguousAbove(int dimension) {
        if (!hasContiguousRows()) {
            return false;
        }
        long expected = type.bytesPerBlock() * (shape.d0() / type.blockSize());
        for (int i = 1; i < Shape.RANK; i++) {
            if (i > dimension) {
                if (shape.dim(i) != 1 && strides.stride(i) != expected) {
                    return false;
                }
                expected *= shape.dim(i);
            } else {
                expected = shape.dim(i) * strides.stride(i);
            }
        }
        return true;
    }

    /** Whether the elements of each row follow each other without gaps. */
    public boolean hasContiguousRows() {
        return shape.d0() == type.blockSize() || strides.s0() == type.bytesPerBlock();
    }

    /** Whether the channels (dimension 2) are innermost in memory, as some convolutions want them. */
    public boolean hasContiguousChannels() {
        return strides.s0() > strides.s2() && strides.s1() > strides.s0() && strides.s2() == type.bytesPerBlock();
    }

    /** Whether the bytes spanned are exactly the bytes used, in whatever order. */
    public boolean isDense() {
        return byteSize == shape.elements() / type.blockSize() * type.bytesPerBlock();
    }

    /** Whether a step along a row is longer than a step to the next row. */
    public boolean isTransposed() {
        return strides.s0() > strides.s1();
    }

    /** Whether some dimension has a longer stride than the next. */
    public boolean isPermuted() {
        return strides.s0() > strides.s1() || strides.s1() > strides.s2() || strides.s2() > strides.s3();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other == this
                || (other instanceof Layout that
                        && type == that.type
                        && shape.equals(that.shape)
                        && strides.equals(that.strides));
    }

    @Override
    public int hashCode() {
        return (type.hashCode() * 31 + shape.hashCode()) * 31 + strides.hashCode();
    }

    /**
     * Type and shape, and the strides where there are gaps: {@code f32[64, 32]}, {@code f16[8, 4]/[2, 32, 128, 128]}.
     */
    @Override
    public String toString() {
        return isContiguous() ? type + shape.toString() : type + shape.toString() + "/" + strides;
    }
}
