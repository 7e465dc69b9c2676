package dev.stowage.schedule.cost;

import dev.stowage.tensor.Op;

/** Ops with about the same time for the same flops and bytes, which share a rate in a {@link CostModel}. */
public enum WorkKind {
    /** Matrix multiplications and convolutions. */
    MATRIX,
    /** Fused attention. */
    ATTENTION,
    /** Element by element: sums, products, activations, gates. */
    ELEMENTWISE,
    /** Norms and other reductions over rows. */
    NORM,
    SOFT_MAX,
    /** Rows that are gathered or scattered. */
    ROWS,
    /** Copies and conversions. */
    COPY,
    /** Everything else. */
    OTHER;

    public static WorkKind of(Op op) {
        return switch (op) {
            case MUL_MAT, MUL_MAT_ID, OUT_PROD, SOLVE_TRI -> MATRIX;
            case CONV_2D, CONV_3D, CONV_2D_DW, CONV_TRANSPOSE_1D, CONV_TRANSPOSE_2D -> MATRIX;
            case FLASH_ATTN_EXT, FLASH_ATTN_BACK -> ATTENTION;
            case ADD, ADD_ID, ADD1, SUB, MUL, DIV, SQR, SQRT, LOG, SIN, COS -> ELEMENTWISE;
            case SCALE, CLAMP, LEAKY_RELU, UNARY, GLU, ROPE -> ELEMENTWISE;
            case NORM, RMS_NORM, GROUP_NORM, L2_NORM, SUM_ROWS, MEAN, CUMSUM -> NORM;
            case SOFT_MAX -> SOFT_MAX;
            case GET_ROWS, SET_ROWS -> ROWS;
            case DUP, CPY, CONT, SET, CONCAT, REPEAT, PAD -> COPY;
            default -> OTHER;
        };
    }
}
