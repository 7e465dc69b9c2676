package dev.stowage.reference.kernel;

import dev.stowage.error.AccessException;
import dev.stowage.memory.BoundTensor;

/**
 * The numbers of rows (dimension 1) of a table, as GET_ROWS, SET_ROWS and ADD_ID take them. All are checked against the
 * table when this is made, so that one out of range is reported before anything is written.
 */
public final class RowIndices {

    private final Elements numbers;

    private RowIndices(Elements numbers) {
        this.numbers = numbers;
    }

    /**
     * The numbers in a tensor, each a row of {@code table}.
     *
     * @throws AccessException if the table has no row of some number
     */
    public static RowIndices of(BoundTensor numbers, BoundTensor table) {
        Elements elements = Elements.of(numbers);
        Elements.forEach(elements.shape(), (i0, i1, i2, i3) -> {
            long row = elements.getLong(i0, i1, i2, i3);
            if (row < 0 || row >= table.dim(1)) {
                throw new AccessException(numbers.describe() + " names row " + row + " of " + table.describe()
                        + ", which has rows 0 to " + (table.dim(1) - 1));
            }
        });
        return new RowIndices(elements);
    }

    /** The number at an index; one outside of the numbers' own shape wraps around. */
    public long get(long i0, long i1, long i2) {
        return numbers.getLongRepeated(i0, i1, i2, 0);
    }
}
