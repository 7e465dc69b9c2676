package dev.stowage.testkit.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.Op;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A suite is worth what it finds: one broken device for each way to be broken, and none of them passes. */
class MutantsAreFoundTest {

    @Test
    void theDevicePassesEveryCheckWithoutADefect() {
        ConformanceReport report =
                BackendConformance.of(MutantDevice.with(Defect.NONE)).run();

        assertThat(report.failures()).isEmpty();
        assertThat(report.passed()).isGreaterThan(2000);
    }

    @ParameterizedTest
    @EnumSource(value = Defect.class, names = "NONE", mode = Mode.EXCLUDE)
    void aDefectIsFound(Defect defect) {
        BackendConformance suite = BackendConformance.of(MutantDevice.with(defect));

        assertThat(failures(Stream.concat(suite.interfaceChecks().stream(), suite.opChecks(Op.MUL).stream())))
                .isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource(OpDefect.class)
    void anOpThatIsWrongIsFound(OpDefect defect) {
        BackendConformance suite = BackendConformance.of(MutantDevice.with(defect));

        assertThat(failures(suite.opChecks(defect.op()).stream())).isNotEmpty();
    }

    /** The first failure will do: checks are made one by one, in order. */
    private static List<String> failures(Stream<Check> checks) {
        return checks.map(Check::run)
                .filter(Outcome.Failed.class::isInstance)
                .map(outcome -> ((Outcome.Failed) outcome).message())
                .limit(1)
                .toList();
    }
}
