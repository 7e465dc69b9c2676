package dev.stowage.testkit.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.tensor.Op;
import dev.stowage.testkit.simulated.NullDevice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackendConformanceTest {

    private static final BackendConformance SUITE = BackendConformance.of(reference());

    private static Device reference() {
        return new ReferenceProvider().devices().getFirst();
    }

    @Test
    void noTwoChecksHaveTheSameGroupAndName() {
        assertThat(SUITE.checks()).extracting(Check::toString).doesNotHaveDuplicates();
    }

    @Test
    void theSuiteIsTheSameEachTime() {
        assertThat(BackendConformance.of(reference()).checks())
                .extracting(Check::toString)
                .isEqualTo(SUITE.checks().stream().map(Check::toString).toList());
    }

    @Test
    void moreRandomCasesCanBeAskedFor() {
        BackendConformance more = SUITE.withRandomCases(3, 20);

        assertThat(more.opChecks(Op.SIN))
                .hasSizeGreaterThan(SUITE.opChecks(Op.SIN).size());
        assertThat(more.opChecks(Op.SIN)).anyMatch(check -> check.name().startsWith("seed 3 number 19"));
    }

    @Test
    void aCheckCanBeRunAgain() {
        Check check = SUITE.opChecks(Op.ADD).getFirst();

        assertThat(List.of(check.run(), check.run())).containsOnly(new Outcome.Passed());
    }

    @Test
    void theListenerHearsOfEveryCheckAsItEnds() {
        List<CheckResult> heard = new ArrayList<>();

        ConformanceReport report = BackendConformance.of(MutantDevice.with(Defect.EMPTY_BUFFERS_ARE_REFUSED))
                .withRandomCases(1, 0)
                .run(heard::add);

        assertThat(heard).isEqualTo(report.results());
        assertThat(report.failed()).isPositive();
    }

    @Test
    void aDeviceThatRunsNoOpIsNotSupportedRatherThanFailed() {
        ConformanceReport report = BackendConformance.of(NullDevice.refusing("idle"))
                .withRandomCases(1, 0)
                .run();

        assertThat(report.failures()).isEmpty();
        assertThat(report.rows())
                .filteredOn(row -> row.group().equals("MUL_MAT") || row.group().equals("prepared graphs"))
                .allSatisfy(row -> assertThat(row.notSupported()).isPositive());
    }
}
