package dev.stowage.bench.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LlamaCaseTest {

    @Test
    void amongEquallyLikelyTokensTheSurpriseIsTheLogarithmOfTheirNumber() {
        assertThat(LlamaCase.surprise(new float[] {700, 700, 700, 700}, 2)).isCloseTo(Math.log(4), within(1e-12));
    }

    @Test
    void theLessLikelyOfTwoSurprisesMoreByTheDifferenceOfTheirLogits() {
        float[] logits = {1, 3};

        assertThat(LlamaCase.surprise(logits, 0) - LlamaCase.surprise(logits, 1))
                .isCloseTo(2, within(1e-12));
    }
}
