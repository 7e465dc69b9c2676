package dev.stowage.cpu.op.copy;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.error.AccessException;
import dev.stowage.tensor.ElementType;

/**
 * The numbers of rows of a table, as GET_ROWS and SET_ROWS take them. As a task it checks all of them, ahead of the ones
 * that use them, so that an index out of range is reported before anything is written.
 */
final class RowIndexCheck extends ParallelTask {

    private final Operand numbers;
    private final Operand table;
    private final boolean wide;
    private boolean distinct;

    /** The numbers in a tensor of i32 or i64, each a row (dimension 1) of {@code table}. */
    RowIndexCheck(Operand numbers, Operand table) {
        super(1);
        this.numbers = numbers;
        this.table = table;
        this.wide = numbers.type == ElementType.I64;
    }

    /** Whether tensors of a type can hold such numbers. */
    static boolean areOf(ElementType type) {
        return type == ElementType.I32 || type == ElementType.I64;
    }

    /** The number at an index; one outside of the numbers' own shape wraps around. */
    long get(long i0, long i1, long i2) {
        return at(numbers.repeated(i1, i2, 0) + i0 * numbers.s0);
    }

    private long at(long address) {
        return wide ? Memory.getLong(address) : Memory.getInt(address);
    }

    /** Whether, once checked, no number is known to come twice for the same matrix: whether they all ascend. */
    boolean areDistinct() {
        return distinct;
    }

    @Override
    public void run(int piece, int thread) {
        boolean ascending = true;
        for (long row = 0; row < numbers.rows(); row++) {
            long first = numbers.row(row);
            long previous = -1;
            for (long i = 0; i < numbers.d0; i++) {
                long number = at(first + i * numbers.s0);
                if (number < 0 || number >= table.d1) {
                    throw new AccessException(numbers.tensor.describe() + " names row " + number + " of "
                            + table.tensor.describe() + ", which has rows 0 to " + (table.d1 - 1));
                }
                ascending &= number > previous;
                previous = number;
            }
        }
        distinct = ascending;
    }
}
