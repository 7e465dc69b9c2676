package dev.stowage.tensor;

/**
 * What computes a tensor; {@link #NONE} for a leaf. The names are ggml's, so that a recorded graph can be read back;
 * a few of them (training steps, some recurrent layers) have no function in the graph builder yet, and still plan.
 */
public enum Op {
    NONE,
    DUP(0),
    ADD(Trait.IN_PLACE),
    ADD_ID(Trait.IN_PLACE),
    ADD1(Trait.IN_PLACE),
    ACC(0),
    SUB(Trait.IN_PLACE),
    MUL(Trait.IN_PLACE),
    DIV(Trait.IN_PLACE),
    SQR(Trait.IN_PLACE),
    SQRT(Trait.IN_PLACE),
    LOG(Trait.IN_PLACE),
    SIN(0),
    COS(0),
    SUM,
    SUM_ROWS,
    CUMSUM(0),
    MEAN,
    ARGMAX,
    COUNT_EQUAL,
    REPEAT,
    REPEAT_BACK,
    CONCAT,
    SILU_BACK(Trait.IN_PLACE),
    NORM(0),
    RMS_NORM(Trait.IN_PLACE),
    RMS_NORM_BACK(Trait.IN_PLACE),
    GROUP_NORM(0),
    L2_NORM(0),
    MUL_MAT,
    MUL_MAT_ID,
    OUT_PROD,
    SCALE(Trait.IN_PLACE),
    SET(0),
    CPY,
    CONT(0),
    RESHAPE(Trait.VIEW),
    VIEW(Trait.VIEW),
    PERMUTE(Trait.VIEW),
    TRANSPOSE(Trait.VIEW),
    GET_ROWS,
    GET_ROWS_BACK,
    SET_ROWS,
    DIAG,
    DIAG_MASK_INF(Trait.IN_PLACE),
    DIAG_MASK_ZERO(Trait.IN_PLACE),
    SOFT_MAX(Trait.IN_PLACE),
    SOFT_MAX_BACK(Trait.IN_PLACE),
    ROPE(Trait.IN_PLACE),
    ROPE_BACK(Trait.IN_PLACE),
    CLAMP,
    CONV_TRANSPOSE_1D,
    IM2COL,
    IM2COL_BACK,
    IM2COL_3D,
    COL2IM_1D,
    CONV_2D,
    CONV_3D,
    CONV_2D_DW,
    CONV_TRANSPOSE_2D,
    POOL_1D,
    POOL_2D,
    POOL_2D_BACK,
    UPSCALE,
    PAD,
    PAD_REFLECT_1D,
    ROLL,
    ARANGE,
    TIMESTEP_EMBEDDING,
    ARGSORT,
    TOP_K,
    LEAKY_RELU(0),
    TRI(0),
    FILL(Trait.IN_PLACE),
    FLASH_ATTN_EXT,
    FLASH_ATTN_BACK,
    SSM_CONV,
    SSM_SCAN,
    WIN_PART,
    WIN_UNPART,
    GET_REL_POS,
    ADD_REL_POS,
    RWKV_WKV6,
    GATED_LINEAR_ATTN,
    RWKV_WKV7,
    SOLVE_TRI(1),
    GATED_DELTA_NET,
    LIGHTNING_INDEXER,
    DSV4_HC_COMB,
    DSV4_HC_PRE,
    DSV4_HC_POST,
    UNARY(Trait.IN_PLACE),
    MAP_CUSTOM1,
    MAP_CUSTOM2,
    MAP_CUSTOM3,
    CUSTOM,
    CROSS_ENTROPY_LOSS,
    CROSS_ENTROPY_LOSS_BACK,
    OPT_STEP_ADAMW,
    OPT_STEP_SGD,
    GLU(0, 1);

    private enum Trait {
        PLAIN,
        VIEW,
        IN_PLACE
    }

    private final Trait trait;
    private final int overwritable;

    /** An op with these operands, by slot, that ggml would not overwrite and kernels here may. */
    Op(int... overwritable) {
        this.trait = Trait.PLAIN;
        int slots = 0;
        for (int slot : overwritable) {
            slots |= 1 << slot;
        }
        this.overwritable = slots;
    }

    Op(Trait trait) {
        this.trait = trait;
        this.overwritable = 0;
    }

    /** Whether ggml lets the result reuse the memory of an operand of the same layout that no later node reads. */
    public boolean canWorkInPlace() {
        return trait == Trait.IN_PLACE;
    }

    /**
     * Whether the result may reuse the memory of the operand in that slot, if it has the same layout and no later node
     * reads it. A kernel must get it right: it works element by element, row by row or group by group, reads what it
     * needs of a part before it writes there, and of no other part. Any operand of what ggml {@linkplain
     * #canWorkInPlace() computes in place}, and some that ggml keeps apart.
     */
    public boolean mayOverwrite(int slot) {
        return canWorkInPlace() || (slot >= 0 && slot < Integer.SIZE && (overwritable >>> slot & 1) != 0);
    }

    /** Whether the op only gives another shape to bytes that are already there, so that nothing has to run. */
    public boolean isViewOp() {
        return trait == Trait.VIEW;
    }
}
