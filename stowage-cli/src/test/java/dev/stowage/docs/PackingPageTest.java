package dev.stowage.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Packers;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.Solution;
import dev.stowage.packing.SolutionCheck;
import dev.stowage.picture.SolutionPicture;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The code of the page about packing. */
class PackingPageTest {

    private static void pack() {
        Problem problem = Problem.builder()
                .addFixed("weights", 0, 15, 65_536, 0) // must be at offset 0
                .addAligned("conv1", 1, 3, 28_672, 256) // live in [1, 3), at a multiple of 256
                .addAligned("norm1", 2, 4, 90_112, 256)
                .build();

        Budget budget = Budget.steps(100_000).withCapacity(256 * 1024);
        PackingResult result = Packers.standard().pack(problem, budget);

        switch (result.outcome()) {
            case OPTIMAL, FITS -> {
                Solution solution = SolutionCheck.requireValid(problem, result.solution());
                for (int buffer = 0; buffer < problem.count(); buffer++) {
                    System.out.println(problem.id(buffer) + " at " + solution.offset(buffer));
                }
            }
            case DOES_NOT_FIT -> System.out.println("at least " + result.lowerBound() + " bytes are needed");
            case GAVE_UP -> System.out.println("not known; the best so far has " + result.height() + " bytes");
        }
    }

    @Test
    void itPrintsTheOffsetsOfThePage() {
        assertThat(Printed.by(PackingPageTest::pack).lines())
                .containsExactly("weights at 0", "conv1 at 65536", "norm1 at 94208");
    }

    private static Budget reporting() {
        return Budget.time(Duration.ofSeconds(10))
                .withProgress(p -> System.out.println(p.height() + " of at least " + p.lowerBound()));
    }

    @Test
    void progressIsReported() {
        Problem problem = Problem.builder()
                .addAligned("a", 0, 2, 100, 1)
                .addAligned("b", 1, 3, 50, 1)
                .build();
        Budget budget = reporting();

        PackingResult result = Packers.standard().pack(problem, budget);

        assertThat(result.height()).isEqualTo(150);
        assertThat(SolutionPicture.svg(problem, result)).startsWith("<svg");
    }
}
