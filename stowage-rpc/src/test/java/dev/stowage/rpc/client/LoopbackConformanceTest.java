package dev.stowage.rpc.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.testkit.backend.BackendConformance;
import dev.stowage.testkit.backend.Check;
import dev.stowage.testkit.backend.Outcome;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** The suite of backends, on a device that is reached through our client and our server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LoopbackConformanceTest {

    /** A server has no other way to say that a graph failed than to end the connection, and the device is lost. */
    private static final String FAILS_IN_A_RUN = "a row that a table does not have";

    private Loopback loopback;

    @BeforeAll
    void connect() throws IOException {
        loopback = new Loopback("reference");
    }

    @AfterAll
    void close() {
        loopback.close();
    }

    @TestFactory
    Stream<DynamicTest> conforms() {
        List<Check> checks = BackendConformance.of(loopback.remote()).checks();
        assertThat(checks).anyMatch(check -> check.name().contains(FAILS_IN_A_RUN));
        return checks.stream()
                .filter(check -> !check.name().contains(FAILS_IN_A_RUN))
                .map(check -> DynamicTest.dynamicTest(check.group() + ": " + check.name(), () -> require(check)));
    }

    private static void require(Check check) {
        switch (check.run()) {
            case Outcome.Passed _ -> {}
            case Outcome.Failed(String message) -> throw new AssertionError(message);
            case Outcome.NotSupported(String reason) -> Assumptions.abort(reason);
        }
    }
}
