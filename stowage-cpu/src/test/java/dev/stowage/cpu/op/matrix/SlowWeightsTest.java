package dev.stowage.cpu.op.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Types without a fast kernel are reported, each once. */
class SlowWeightsTest {

    private final List<String> messages = new ArrayList<>();
    private final SlowWeights weights = new SlowWeights(messages::add);

    @Test
    void aTypeWithoutVectorCodeIsReportedOnce() {
        weights.use(ElementType.IQ2_XXS);
        weights.use(ElementType.IQ2_XXS);
        weights.use(ElementType.TQ1_0);
        assertThat(messages).hasSize(2);
        assertThat(messages.getFirst()).contains("no fast kernel", "iq2_xxs", "Q4_K_M");
        assertThat(messages.getLast()).contains("tq1_0");
    }

    @Test
    void typesWithVectorCodeAreNot() {
        for (ElementType type :
                List.of(ElementType.F32, ElementType.BF16, ElementType.Q8_0, ElementType.Q4_K, ElementType.MXFP4)) {
            weights.use(type);
        }
        assertThat(messages).isEmpty();
    }
}
