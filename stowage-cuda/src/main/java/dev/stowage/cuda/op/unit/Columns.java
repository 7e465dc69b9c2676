package dev.stowage.cuda.op.unit;

import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;

/**
 * The rows of a tensor of floats at equal distances, counted over dimensions 1 to 3: the columns of a product.
 *
 * @param count how many there are
 * @param stride floats from one to the next
 */
public record Columns(long count, long stride) {

    /** Whether the rows of such a tensor are without gaps and at equal distances. */
    public static boolean areUniform(Layout layout) {
        return layout.hasContiguousRows() && uniformStride(layout) >= 0;
    }

    public static Columns of(Layout layout) {
        return new Columns(layout.shape().rows(), uniformStride(layout) / Float.BYTES);
    }

    /** Bytes from a row to the next; negative if they differ or are not whole floats. */
    private static long uniformStride(Layout layout) {
        long stride = -1;
        long count = 1;
        for (int i = 1; i < Shape.RANK; i++) {
            if (layout.shape().dim(i) == 1) {
                continue;
            }
            if (stride >= 0 && layout.strides().stride(i) != stride * count) {
                return -1;
            }
            stride = stride >= 0 ? stride : layout.strides().stride(i);
            count *= layout.shape().dim(i);
        }
        return stride < 0 ? 0 : stride % Float.BYTES == 0 ? stride : -1;
    }
}
