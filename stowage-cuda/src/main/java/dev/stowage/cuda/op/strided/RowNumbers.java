package dev.stowage.cuda.op.strided;

import dev.stowage.device.Step;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;

/** The ops that take numbers of rows or matrices, and what these have to be within. */
public final class RowNumbers {

    private RowNumbers() {}

    /** Which operand of an op has numbers; -1 where none has. */
    public static int slot(Op op) {
        return switch (op) {
            case GET_ROWS, SET_ROWS -> 1;
            case MUL_MAT_ID, ADD_ID -> 2;
            case SSM_SCAN -> 6;
            default -> -1;
        };
    }

    /** How many rows or matrices there are; numbers go from 0 to one less. */
    public static long rows(Step step) {
        return switch (step.op()) {
            case GET_ROWS -> step.operand(0).dim(1);
            case SET_ROWS -> step.result().dim(1);
            case MUL_MAT_ID -> step.operand(0).dim(2);
            case ADD_ID -> step.operand(1).dim(1);
            case SSM_SCAN -> step.operand(0).dim(3);
            default -> throw new IllegalArgumentException(step.op() + " takes no numbers of rows");
        };
    }

    /** Whether numbers are within because of the op that made them: the order of so many elements, or one of them. */
    public static boolean areWithin(Tensor numbers, long rows) {
        Tensor made = numbers.isView() ? numbers.viewSource() : numbers;
        return switch (made.op()) {
            case ARGSORT, TOP_K, ARGMAX -> made.source(0).dim(0) <= rows;
            default -> false;
        };
    }
}
