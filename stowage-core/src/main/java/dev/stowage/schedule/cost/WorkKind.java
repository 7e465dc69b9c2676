package dev.stowage.schedule.cost;

import dev.stowage.tensor.Op;

/** Ops that take a device about as long for the same flops and bytes, so that a {@link CostModel} has one rate for them. */
public enum WorkKind {
    /** Multiplications of matrices and convolutions. */
    MATRIX,
    /** Attention in one op. */
    ATTENTION,
    /** Element by element: sums, products, activations, gates. */
    ELEMENTWISE,
    /** Norms and other ops that first go over a row as a whole. */
    NORM,
    SOFT_MAX,
    /** Rows that are taken from somewhere or put there. */
    ROWS,
    /** Bytes that get another place or type. */
    COPY,
    /** Everything else. */
    OTHER;

    /** The kind of work that an op is. */
    public static WorkKind of(Op op) {
        return switch (op) {
            case MUL_MAT,
                    MUL_MAT_ID,
                    OUT_PROD,
                    SOLVE_TRI,
                    CONV_2D,
                    CONV_3D,
                    CONV_2D_DW,
                    CONV_TRANSPOSE_1D,
                    CONV_TRANSPOSE_2D -> MATRIX;
            case FLASH_ATTN_EXT, FLASH_ATTN_BACK -> ATTENTION;
            case ADD,
                    ADD_ID,
                    ADD1,
                    SUB,
                    MUL,
                    DIV,
                    SQR,
                    SQRT,
                    LOG,
                    SIN,
                    COS,
                    SCALE,
                    CLAMP,
                    LEAKY_RELU,
                    UNARY,
                    GLU,
                    ROPE -> ELEMENTWISE;
            case NORM, RMS_NORM, GROUP_NORM, L2_NORM, SUM_ROWS, MEAN, CUMSUM -> NORM;
            case SOFT_MAX -> SOFT_MAX;
            case GET_ROWS, SET_ROWS -> ROWS;
            case DUP, CPY, CONT, SET, CONCAT, REPEAT, PAD -> COPY;
            default -> OTHER;
        };
    }
}
