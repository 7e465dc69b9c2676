package dev.stowage.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.Op;
import org.junit.jupiter.api.Test;

class InPlaceRulesTest {

    private static final int SLOTS = 12;

    @Test
    void everyListHoldsTheOneBeforeIt() {
        for (Op op : Op.values()) {
            for (int slot = 0; slot < SLOTS; slot++) {
                assertThat(InPlaceRules.none().allow(op, slot)).isFalse();
                assertThat(InPlaceRules.ggml().allow(op, slot)).isEqualTo(op.canWorkInPlace());
                assertThat(InPlaceRules.kernels().allow(op, slot))
                        .as("%s, operand %d", op, slot)
                        .isEqualTo(op.mayOverwrite(slot));
                assertThat(op.mayOverwrite(slot))
                        .as(op.name())
                        .isIn(true, InPlaceRules.ggml().allow(op, slot));
            }
        }
    }

    @Test
    void opsCanBeLeftOutOneAfterTheOther() {
        InPlaceRules fewer = InPlaceRules.kernels().without(Op.GLU).without(Op.NORM);

        assertThat(fewer.allow(Op.GLU, 0)).isFalse();
        assertThat(fewer.allow(Op.NORM, 0)).isFalse();
        assertThat(fewer.allow(Op.ADD, 0)).isTrue();
        assertThat(InPlaceRules.kernels().allow(Op.GLU, 0)).isTrue();
    }

    @Test
    void sayWhatTheyAre() {
        assertThat(InPlaceRules.ggml()).hasToString("ggml");
        assertThat(InPlaceRules.kernels().without(Op.GLU)).hasToString("kernels without [GLU]");
    }
}
