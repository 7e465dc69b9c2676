package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;

/**
 * Rows of f16 or bf16 in a tensor or in scratch memory, as {@link Gemm} multiplies them.
 *
 * @param base the address of the first row, a multiple of 16
 * @param depth the length of a row, a multiple of 8
 * @param rowBytes the bytes from a row to the next, a multiple of 16
 */
public record HalfMatrix(Launch.Argument base, long rows, long depth, long rowBytes, HalfType type) {

    private static final int ELEMENT_BYTES = 2;
    private static final int VECTOR_BYTES = 16;

    public HalfMatrix {
        if (depth % (VECTOR_BYTES / ELEMENT_BYTES) != 0 || rowBytes % VECTOR_BYTES != 0) {
            throw new IllegalArgumentException(
                    "rows of " + depth + " elements, " + rowBytes + " bytes apart, are not whole pieces of 16 bytes");
        }
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

    /** As many rows from the same address on. */
    HalfMatrix withRows(long count) {
        return new HalfMatrix(base, count, depth, rowBytes, type);
    }

    /** Elements from a row to the next. */
    public long rowStride() {
        return rowBytes / ELEMENT_BYTES;
    }

    /** This matrix for the copy engine, which copies 64 elements of so many rows at once. */
    Launch.Argument boxes(int boxRows) {
        return new Launch.MatrixArgument(base, depth, rows, rowBytes, Gemm.STEP, boxRows);
    }
}
