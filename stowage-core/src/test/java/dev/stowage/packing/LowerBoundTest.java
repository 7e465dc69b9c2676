package dev.stowage.packing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** No solution is lower than the bound, and the bound is the load of the fullest moment. */
class LowerBoundTest {

    @Test
    void isTheLoadOfTheFullestMoment() {
        for (long seed = 0; seed < 200; seed++) {
            Problem problem = RandomProblems.tiny(seed);
            long peak = 0;
            for (long moment = 0; moment < 12; moment++) {
                long load = 0;
                for (int buffer = 0; buffer < problem.count(); buffer++) {
                    boolean live = problem.from(buffer) <= moment && moment < problem.to(buffer);
                    load += live ? problem.size(buffer) : 0;
                }
                peak = Math.max(peak, load);
            }

            assertThat(LowerBound.peakLoad(problem)).as("seed %d", seed).isEqualTo(peak);
        }
    }

    @Test
    void isAboveEveryFixedBuffer() {
        Problem problem = Problem.builder().addFixed("a", 0, 1, 4, 96).build();

        assertThat(LowerBound.of(problem)).isEqualTo(100);
    }
}
