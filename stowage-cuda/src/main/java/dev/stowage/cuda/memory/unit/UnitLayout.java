package dev.stowage.cuda.memory.unit;

import dev.stowage.tensor.Layout;
import java.util.Optional;

/**
 * Where the weights of a tensor are stored in units: the groups of {@link UnitFormat#ROWS} rows of each matrix one after the
 * other, and the units along the rows of a group one after the other. The last unit of a group has fewer lanes where a row
 * ends within it; the last group of a matrix may have rows that are not used.
 *
 * <pre>
 *   k        0        1024       2048    2560        matrix 0: groups 0 .. 3    rows 0-3, 4-7, 8-11, 12 and padding
 *   group 0  | unit     | unit     | half |          matrix 1: groups 4 .. 7
 *   group 1  | unit     | unit     | half |
 * </pre>
 *
 * @param format how a unit stores its weights
 * @param k the weights of a row
 * @param rows the rows of a matrix
 * @param matrices the matrices: one, or one for each expert
 */
public record UnitLayout(UnitFormat format, long k, long rows, long matrices) {

    /** Rows are counted with 32 bits in kernels, also those of all thread blocks together. */
    private static final long MAX_ROWS = 1L << 24;

    /** The most weights of a row. */
    private static final long MAX_K = 1L << 20;

    /** The layout of a tensor that suits. */
    public static Optional<UnitLayout> of(Layout layout) {
        if (!suits(layout)) {
            return Optional.empty();
        }
        UnitFormat format = UnitFormat.of(layout.type()).orElseThrow();
        return Optional.of(new UnitLayout(
                format,
                layout.shape().dim(0),
                layout.shape().dim(1),
                layout.shape().dim(2)));
    }

    /**
     * Whether weights of that layout can be stored in units: one matrix or one for each expert without gaps, of a type that
     * has a format, with rows of whole lanes.
     */
    public static boolean suits(Layout layout) {
        Optional<UnitFormat> format = UnitFormat.of(layout.type());
        return format.isPresent()
                && layout.isContiguous()
                && !layout.shape().isEmpty()
                && layout.shape().dim(3) == 1
                && layout.shape().dim(0) % format.get().laneWeights() == 0
                && layout.shape().dim(0) <= MAX_K
                && layout.shape().dim(1) <= MAX_ROWS;
    }

    /** The units along a row. */
    public long steps() {
        return Math.ceilDiv(k, format.step());
    }

    /** The lanes of a unit along a row. */
    public int lanes(long step) {
        return (int) Math.min(UnitFormat.LANES, (k - step * format.step()) / format.laneWeights());
    }

    /** The groups of rows of a matrix. */
    public long groups() {
        return Math.ceilDiv(rows, UnitFormat.ROWS);
    }

    /** The bytes of a group. */
    public long groupBytes() {
        long full = k / format.step();
        int tail = (int) (k % format.step()) / format.laneWeights();
        return full * format.unitBytes(UnitFormat.LANES) + format.unitBytes(tail);
    }

    /** The bytes of a matrix. */
    public long matrixBytes() {
        return groups() * groupBytes();
    }

    /** The bytes of all matrices. */
    public long allocationSize() {
        return matrices * matrixBytes();
    }

    /** The rows of all matrices. */
    public long allRows() {
        return matrices * rows;
    }

    /** The bytes of a row as the tensor has it. */
    public long rowBytes() {
        return format.type().rowBytes(k);
    }

    /** The offset of the unit that has weights of a row, counted over all matrices, from a step on. */
    public long unitOffset(long row, long step) {
        long group = row / rows * groups() + row % rows / UnitFormat.ROWS;
        return group * groupBytes() + step * format.unitBytes(UnitFormat.LANES);
    }
}
