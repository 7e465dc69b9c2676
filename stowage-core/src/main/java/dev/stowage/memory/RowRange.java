package dev.stowage.memory;

import dev.stowage.error.AccessException;

/**
 * Rows of equal length at equal distances, as a two-dimensional transfer moves them.
 *
 * <pre>
 *   |offset|rowBytes|..gap..|rowBytes|..gap..|rowBytes|
 *          |---- stride ----|
 * </pre>
 *
 * @param offset where the first row begins
 * @param rowBytes how long each row is
 * @param rows how many there are
 * @param stride from the beginning of a row to that of the next, at least as long as a row
 */
public record RowRange(long offset, long rowBytes, long rows, long stride) {

    /**
     * Rows at those places.
     *
     * @throws AccessException if a number is negative, rows overlap, or their end cannot be counted
     */
    public RowRange {
        if (offset < 0 || rowBytes < 0 || rows < 0 || (rows > 1 && stride < rowBytes)) {
            throw new AccessException(rows + " rows of " + rowBytes + " bytes every " + stride + " bytes from byte "
                    + offset + " on are not rows: nothing may be negative, and a row must end before the next begins");
        }
        if (rows > 0) {
            try {
                Math.addExact(Math.addExact(offset, rowBytes), Math.multiplyExact(rows - 1, stride));
            } catch (ArithmeticException _) {
                throw new AccessException(rows + " rows of " + rowBytes + " bytes every " + stride + " bytes from byte "
                        + offset + " on end beyond what a long can count");
            }
        }
    }

    /** Rows without gaps, from the first byte on. */
    public static RowRange dense(long rowBytes, long rows) {
        return new RowRange(0, rowBytes, rows, rowBytes);
    }

    /** One past the last byte. */
    long end() {
        return rows == 0 ? offset : offset + rowBytes + (rows - 1) * stride;
    }

    /** The bytes of all rows, without the gaps. */
    public long byteSize() {
        return rows * rowBytes;
    }

    boolean isEmpty() {
        return rows == 0 || rowBytes == 0;
    }

    /** Where a row begins. */
    public long start(long row) {
        return offset + row * stride;
    }

    /** The same rows seen from another first byte. */
    RowRange movedBy(long bytes) {
        return new RowRange(offset + bytes, rowBytes, rows, stride);
    }
}
