package dev.stowage.testkit.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.testkit.backend.ConformanceReport.Row;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConformanceReportTest {

    private static final Device DEVICE = new ReferenceProvider().devices().getFirst();

    private static CheckResult result(String group, String name, Check.Body body) {
        Check check = new Check(DEVICE, group, name, body);
        return new CheckResult(check, check.run());
    }

    private static final ConformanceReport REPORT = new ConformanceReport(
            "some",
            List.of(
                    result("ADD", "one", () -> {}),
                    result("ADD", "two", () -> {
                        throw new CheckFailure("expected 1, found 2");
                    }),
                    result("MUL", "one", () -> {
                        throw new CheckSkipped("no kernel");
                    }),
                    result("ADD", "three", () -> {
                        throw new IllegalStateException("broken");
                    })));

    @Test
    void countsByGroupInTheOrderTheyCame() {
        assertThat(REPORT.rows()).containsExactly(new Row("ADD", 1, 2, 0), new Row("MUL", 0, 0, 1));
    }

    @Test
    void addsUp() {
        assertThat(Stream.of(REPORT.passed(), REPORT.failed(), REPORT.notSupported()))
                .containsExactly(1, 2, 1);
    }

    @Test
    void failuresNameDeviceGroupCheckAndWhatWasFound() {
        assertThat(REPORT.failures())
                .containsExactly(
                        "device 'reference', ADD: two: expected 1, found 2",
                        "device 'reference', ADD: three: threw java.lang.IllegalStateException: broken");
    }

    @Test
    void theTextEndsWithTheVerdict() {
        assertThat(REPORT.text().lines()).startsWith("device some                passed   failed  not supported");
        assertThat(REPORT.text().lines()).endsWith("1 passed, 2 failed");
    }
}
