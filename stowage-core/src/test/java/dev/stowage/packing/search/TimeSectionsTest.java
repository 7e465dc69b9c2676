package dev.stowage.packing.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.packing.LowerBound;
import dev.stowage.packing.Problem;
import dev.stowage.packing.RandomProblems;
import org.junit.jupiter.api.Test;

/** Sections stand for time: they keep who lives with whom and how full it gets. */
class TimeSectionsTest {

    @Test
    void keepsWhoLivesTogether() {
        for (long seed = 0; seed < 200; seed++) {
            Problem problem = RandomProblems.mixed(seed, 25);
            TimeSections timeSections = new TimeSections(problem);
            for (int a = 0; a < problem.count(); a++) {
                for (int b = 0; b < a; b++) {
                    boolean together = problem.from(a) < problem.to(b) && problem.from(b) < problem.to(a);
                    if (problem.size(a) > 0 && problem.size(b) > 0) {
                        assertThat(timeSections.together(a, b))
                                .as("seed %d, %d and %d", seed, a, b)
                                .isEqualTo(together);
                    }
                }
            }
        }
    }

    @Test
    void keepsThePeakLoad() {
        for (long seed = 0; seed < 100; seed++) {
            Problem problem = RandomProblems.mixed(seed, 40);
            long peak = 0;
            for (long load : new TimeSections(problem).loads(problem)) {
                peak = Math.max(peak, load);
            }

            assertThat(peak).as("seed %d", seed).isEqualTo(LowerBound.peakLoad(problem));
        }
    }

    @Test
    void hasASectionOnlyWhereSomethingWasBorn() {
        Problem problem = Problem.builder()
                .add(0, 10, 1)
                .add(2, 5, 1)
                .add(2, 7, 1)
                .add(20, 30, 1)
                .build();

        assertThat(new TimeSections(problem).sections()).isEqualTo(2);
    }
}
