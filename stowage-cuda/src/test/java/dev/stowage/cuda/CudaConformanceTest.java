package dev.stowage.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cuda.recording.RecordingDriver;
import dev.stowage.device.Device;
import dev.stowage.testkit.backend.BackendConformance;
import dev.stowage.testkit.backend.Check;
import dev.stowage.testkit.backend.Outcome;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * What the device interface asks for, on a driver without a GPU that computes nodes by the reference: order, events,
 * prepared graphs, failures, closing, threads. After each check everything has been given back to the driver.
 */
class CudaConformanceTest {

    private static final long MEMORY = 1L << 30;

    /** What is skipped, and why that is right. */
    private static final Set<String> NOT_CLAIMED = Set.of(
            "answers for a whole graph what it answers for each node",
            "show the host the same bytes, where it can reach them",
            "what was submitted after a failure is dropped",
            "a prepared graph is closed while another thread runs it");

    @TestFactory
    Stream<DynamicTest> conforms() {
        RecordingDriver driver = new RecordingDriver(MEMORY);
        return checks(device(driver))
                .filter(check -> !check.group().equals("loss"))
                .map(check -> DynamicTest.dynamicTest(
                        check.group() + ": " + check.name(), () -> run(check.group(), check.name())));
    }

    @TestFactory
    Stream<DynamicTest> canBeLost() {
        RecordingDriver driver = new RecordingDriver(MEMORY);
        return checks(new LosableDevice(device(driver), () -> device(new RecordingDriver(MEMORY))))
                .filter(check -> check.group().equals("loss"))
                .map(check -> DynamicTest.dynamicTest(check.name(), () -> require(check)));
    }

    private static CudaDevice device(RecordingDriver driver) {
        return new CudaDevice(driver, 0, new ReferenceCompiler(driver));
    }

    private static Stream<Check> checks(Device device) {
        return BackendConformance.of(device).interfaceChecks().stream();
    }

    private static void run(String group, String name) {
        RecordingDriver driver = new RecordingDriver(MEMORY);
        try (CudaDevice device = device(driver)) {
            require(checks(device)
                    .filter(check -> check.group().equals(group) && check.name().equals(name))
                    .findFirst()
                    .orElseThrow());
        }
        assertThat(driver.violations()).isEmpty();
        assertThat(driver.leaks()).isEmpty();
    }

    private static void require(Check check) {
        switch (check.run()) {
            case Outcome.Passed _ -> {}
            case Outcome.Failed(String message) -> throw new AssertionError(message);
            case Outcome.NotSupported(String reason) -> {
                assertThat(NOT_CLAIMED).as(reason).contains(check.name());
                Assumptions.abort(reason);
            }
        }
    }
}
