package dev.stowage.cli.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Packer;
import dev.stowage.packing.Packers;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.Solution;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PackReportTest {
    private static final Problem TWO =
            Problem.builder().add("a", 0, 2, 10).add("b", 1, 3, 10).build();

    /** A packer that always gives the same two offsets and claims the same bound. */
    private record Claim(long lowerBound, long first, long second) implements Packer {
        @Override
        public String name() {
            return "claim";
        }

        @Override
        public PackingResult pack(Problem problem, Budget budget) {
            return new PackingResult(
                    Solution.of(problem, new long[] {first, second}), lowerBound, 1, PackingResult.Outcome.GAVE_UP);
        }
    }

    @Test
    void thereIsNoReportOfASolutionInWhichBuffersOverlap() {
        assertThatIllegalStateException()
                .isThrownBy(() -> PackReport.of("x.csv", TWO, new Claim(20, 0, 5), Budget.unlimited()))
                .withMessageContainingAll("internal error", "'claim'", "x.csv", "'b'", "overlaps");
    }

    @Test
    void thereIsNoReportOfASolutionBelowItsOwnLowerBound() {
        assertThatIllegalStateException()
                .isThrownBy(() -> PackReport.of("x.csv", TWO, new Claim(21, 0, 10), Budget.unlimited()))
                .withMessageContainingAll("internal error", "'claim'", "20 bytes", "21 are needed");
    }

    @Test
    void aGoodSolutionIsReported() {
        PackReport report = PackReport.of("x.csv", TWO, new Claim(20, 0, 15), Budget.unlimited());
        assertThat(report.ratio()).isEqualTo(1.25);
        assertThat(report.sumOfSizes()).isEqualTo(20);
        assertThat(report.fits()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"0, 0 ms", "500, 500 ms", "1000, 1 s", "1500, 1.50 s", "120000, 120 s"})
    void timesAreInTheUnitThatSuitsThem(long milliseconds, String text) {
        assertThat(PackReport.span(Duration.ofMillis(milliseconds))).isEqualTo(text);
    }

    @Test
    void anInterruptedSearchIsReportedWithItsBestPacking() {
        AtomicBoolean interrupted = new AtomicBoolean();
        PackCommand.interrupt(interrupted);
        PackReport report = PackReport.of(
                "x.csv", TWO, Packers.standard(), Budget.unlimited().withCancel(interrupted::get));
        assertThat(report.end()).isEqualTo("it was interrupted");
        assertThat(report.result().height()).isPositive();
    }
}
