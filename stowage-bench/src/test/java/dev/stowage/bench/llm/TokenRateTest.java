package dev.stowage.bench.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class TokenRateTest {

    @Test
    void tokensPerSecondFollowFromTheirTime() {
        assertThat(TokenRate.of(128, 500_000_000, 1_000_000_000).rounds()).containsExactly(256.0, 128.0);
    }

    @Test
    void theMedianIsTheOneInTheMiddle() {
        assertThat(new TokenRate(List.of(9.0, 1.0, 2.0)).median()).isEqualTo(2);
    }

    @Test
    void ofTwoInTheMiddleTheMedianIsBetween() {
        assertThat(new TokenRate(List.of(9.0, 1.0, 2.0, 4.0)).median()).isEqualTo(3);
    }

    @Test
    void theSpreadIsAPartOfTheMedian() {
        assertThat(new TokenRate(List.of(9.0, 11.0, 10.0)).spread()).isEqualTo(0.2);
    }

    @Test
    void withoutARoundThereIsNoRate() {
        assertThatThrownBy(() -> new TokenRate(List.of())).isInstanceOf(IllegalArgumentException.class);
    }
}
