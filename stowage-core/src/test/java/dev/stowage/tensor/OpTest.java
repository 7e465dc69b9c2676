package dev.stowage.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
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
    void theseAndNoOthersMayOverwriteWhatGgmlKeepsApart() {
        assertThat(Arrays.stream(Op.values()).filter(op -> op.mayOverwrite(0) && !op.canWorkInPlace()))
                .containsExactlyInAnyOrder(
                        Op.DUP,
                        Op.ACC,
                        Op.SET,
                        Op.SIN,
                        Op.COS,
                        Op.CUMSUM,
                        Op.NORM,
                        Op.GROUP_NORM,
                        Op.L2_NORM,
                        Op.CONT,
                        Op.LEAKY_RELU,
                        Op.TRI,
                        Op.GLU);
        assertThat(Arrays.stream(Op.values()).filter(op -> op.mayOverwrite(1) && !op.canWorkInPlace()))
                .containsExactlyInAnyOrder(Op.GLU, Op.SOLVE_TRI);
    }

    @Test
    void everyOperandOfAnOpThatWorksInPlaceMayBeOverwritten() {
        assertThat(Arrays.stream(Op.values()).filter(Op::canWorkInPlace))
                .allSatisfy(op -> assertThat(List.of(0, 1, 9, 40)).allMatch(op::mayOverwrite));
    }

    @Test
    void thereIsNoOperandToOverwriteWhereThereIsNoSlot() {
        assertThat(Op.GLU.mayOverwrite(-1)).isFalse();
        assertThat(Op.GLU.mayOverwrite(32)).isFalse();
        assertThat(Op.GLU.mayOverwrite(33)).isFalse();
    }

    @Test
    void theseAndNoOthersOnlyShowBytesOtherwise() {
        assertThat(Arrays.stream(Op.values()).filter(Op::isViewOp))
                .containsExactlyInAnyOrder(Op.VIEW, Op.RESHAPE, Op.PERMUTE, Op.TRANSPOSE);
    }
}
