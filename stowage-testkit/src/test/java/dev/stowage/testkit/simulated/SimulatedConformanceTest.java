package dev.stowage.testkit.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.testkit.junit.BackendConformanceSuite;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** The suite on a simulated accelerator that runs ahead in memory without addresses, with streams that stop now and then. */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SimulatedConformanceTest extends BackendConformanceSuite {

    private final SimulatedDevice device = SimulatedDevice.named("simulated")
            .withoutAddresses()
            .delays(DelayPolicy.jitter(1))
            .build();

    @Override
    protected Device device() {
        return device;
    }

    @AfterAll
    void nothingIsLeftOpen() {
        assertThat(device.faults().calls(CallKind.COMPUTE)).isPositive();
        assertThat(List.of(device.openBuffers(), device.openBackends(), device.openEvents()))
                .containsOnly(0);
    }
}
