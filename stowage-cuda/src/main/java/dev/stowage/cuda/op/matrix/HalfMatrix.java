package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import java.util.List;

/**
 * Rows of f16 or bf16 in a tensor or in scratch memory, as {@link Gemm} multiplies them.
 *
 * @param base the address of the first row, a multiple of 16
 * @param depth the length of a row, a multiple of 8
 * @param rowBytes the bytes from a row to the next, a multiple of 16; of units those of a row
 * @param order where the elements of rows are
 */
public record HalfMatrix(Launch.Argument base, long rows, long depth, long rowBytes, HalfType type, Order order) {

    private static final int ELEMENT_BYTES = 2;
    private static final int VECTOR_BYTES = 16;

    /** Where the elements of rows are. */
    enum Order {
        /** Each row one after the other. */
        ROWS,
        /** Units of 4 rows by 256 elements, those along the same rows one after the other: weights as they are loaded. */
        UNITS
    }

    /** The rows and the elements of a row that a unit has. */
    private static final int UNIT_ROWS = 4;

    private static final int UNIT_DEPTH = 256;

    public HalfMatrix {
        if (depth % (VECTOR_BYTES / ELEMENT_BYTES) != 0 || rowBytes % VECTOR_BYTES != 0) {
            throw new IllegalArgumentException(
                    "rows of " + depth + " elements, " + rowBytes + " bytes apart, are not whole pieces of 16 bytes");
        }
    }

    /** Rows that are stored one after the other. */
    HalfMatrix(Launch.Argument base, long rows, long depth, long rowBytes, HalfType type) {
        this(base, rows, depth, rowBytes, type, Order.ROWS);
    }

    /** Whether rows of that length are whole units, which the copy engine can read. */
    public static boolean canBeInUnits(long depth) {
        return depth % UNIT_DEPTH == 0;
    }

    /** Weights in units, for Hopper only; their rows are {@linkplain #canBeInUnits whole units}. */
    public static HalfMatrix inUnits(Launch.Argument base, long rows, long depth, HalfType type) {
        if (!canBeInUnits(depth)) {
            throw new IllegalArgumentException("rows of " + depth + " elements are not whole units");
        }
        return new HalfMatrix(base, rows, depth, bytes(1, depth), type, Order.UNITS);
    }

    /** Rows without gaps in scratch memory. */
    public static HalfMatrix in(Scratch scratch, long rows, long depth, HalfType type) {
        return new HalfMatrix(
                new Launch.ScratchPointer(scratch, 0), rows, depth, Math.multiplyExact(ELEMENT_BYTES, depth), type);
    }

    /** New scratch memory for rows without gaps. */
    public static HalfMatrix allocate(LaunchSink out, long rows, long depth, HalfType type) {
        return in(out.scratch(bytes(rows, depth)), rows, depth, type);
    }

    /** The bytes of rows without gaps. */
    static long bytes(long rows, long depth) {
        return Math.multiplyExact(rows, ELEMENT_BYTES * depth);
    }

    /** The elements of all rows from one on; for rows in scratch memory. */
    HalfMatrix fromColumn(long first) {
        if (first == 0) {
            return this;
        }
        if (!(base instanceof Launch.ScratchPointer(Scratch scratch, long offset)) || isInUnits()) {
            throw new IllegalStateException("rows that are not in scratch memory");
        }
        Launch.Argument from = new Launch.ScratchPointer(scratch, offset + first * ELEMENT_BYTES);
        return new HalfMatrix(from, rows, depth - first, rowBytes, type, order);
    }

    /** As many rows from the same address on. */
    HalfMatrix withRows(long count) {
        return new HalfMatrix(base, count, depth, rowBytes, type, order);
    }

    /** Elements from a row to the next. */
    public long rowStride() {
        if (isInUnits()) {
            throw new IllegalStateException("rows in units are not at equal distances");
        }
        return rowBytes / ELEMENT_BYTES;
    }

    boolean isInUnits() {
        return order == Order.UNITS;
    }

    /** This matrix for the copy engine, which copies 64 elements of so many rows at once. */
    Launch.Argument boxes(int boxRows) {
        if (!isInUnits()) {
            return new Launch.MatrixArgument(base, depth, rows, rowBytes, Gemm.STEP, boxRows);
        }
        long unitRow = ELEMENT_BYTES * UNIT_DEPTH;
        return new Launch.TensorArgument(
                base,
                List.of((long) UNIT_DEPTH, (long) UNIT_ROWS, depth / UNIT_DEPTH, Math.ceilDiv(rows, UNIT_ROWS)),
                List.of(unitRow, unitRow * UNIT_ROWS, rowBytes * UNIT_ROWS),
                List.of(Gemm.STEP, UNIT_ROWS, 1, boxRows / UNIT_ROWS));
    }
}
