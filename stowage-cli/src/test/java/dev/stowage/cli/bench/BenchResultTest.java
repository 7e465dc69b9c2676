package dev.stowage.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class BenchResultTest {
    private static BenchResult of(Double... speeds) {
        return new BenchResult(ModelBenchCase.ofPrompt(128, 0, 2), List.of(speeds));
    }

    @Test
    void speedIsTokensPerSecond() {
        BenchResult result = BenchResult.ofNanos(
                ModelBenchCase.ofGeneration(32, 1, 0, 1), new long[] {2_000_000_000L, 500_000_000L});

        assertThat(result.speeds()).containsExactly(16.0, 64.0);
    }

    @Test
    void theSpeedOfSeveralSequencesIsThatOfAllTogether() {
        ModelBenchCase test = ModelBenchCase.ofGeneration(32, 8, 100, 1);

        assertThat(BenchResult.ofNanos(test, new long[] {1_000_000_000L}).speeds())
                .containsExactly(256.0);
        assertThat(test.context()).isEqualTo(8 * 132);
    }

    @Test
    void meanAndDeviationAreThoseOfASample() {
        BenchResult result = of(2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0);

        assertThat(result.mean()).isEqualTo(5.0);
        assertThat(result.deviation()).isCloseTo(Math.sqrt(32.0 / 7), within(1e-12));
    }

    @Test
    void theMedianIsInTheMiddleWhateverTheOrder() {
        assertThat(of(9.0, 1.0, 5.0).median()).isEqualTo(5.0);
        assertThat(of(9.0, 1.0, 5.0, 3.0).median()).isEqualTo(4.0);
    }

    @Test
    void oneRepetitionHasNoSpread() {
        assertThat(of(3.0).deviation()).isZero();
    }

    @Test
    void testsAreCalledAsInLlamaBench() {
        assertThat(ModelBenchCase.ofPrompt(128, 0, 1).label()).isEqualTo("pp128");
        assertThat(ModelBenchCase.ofGeneration(32, 1, 0, 1).label()).isEqualTo("tg32");
        assertThat(ModelBenchCase.ofGeneration(32, 1, 512, 1).label()).isEqualTo("tg32 @ d512");
        assertThat(ModelBenchCase.ofGeneration(32, 8, 0, 1).label()).isEqualTo("tg32 x 8");
        assertThat(ModelBenchCase.ofGeneration(32, 8, 512, 1).label()).isEqualTo("tg32 x 8 @ d512");
    }
}
