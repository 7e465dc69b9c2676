package dev.stowage.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class OpTest {

    @Test
    void theseAndNoOthersCanWorkInPlace() {
        assertThat(Arrays.stream(Op.values()).filter(Op::canWorkInPlace))
                .containsExactlyInAnyOrder(
                        Op.FILL,
                        Op.SCALE,
                        Op.DIAG_MASK_ZERO,
                        Op.DIAG_MASK_INF,
                        Op.ADD,
                        Op.ADD_ID,
                        Op.ADD1,
                        Op.SUB,
                        Op.MUL,
                        Op.DIV,
                        Op.SQR,
                        Op.SQRT,
                        Op.LOG,
                        Op.UNARY,
                        Op.ROPE,
                        Op.ROPE_BACK,
                        Op.SILU_BACK,
                        Op.RMS_NORM,
                        Op.RMS_NORM_BACK,
                        Op.SOFT_MAX,
                        Op.SOFT_MAX_BACK);
    }

    @Test
    void theseAndNoOthersOnlyShowBytesOtherwise() {
        assertThat(Arrays.stream(Op.values()).filter(Op::isViewOp))
                .containsExactlyInAnyOrder(Op.VIEW, Op.RESHAPE, Op.PERMUTE, Op.TRANSPOSE);
    }
}
