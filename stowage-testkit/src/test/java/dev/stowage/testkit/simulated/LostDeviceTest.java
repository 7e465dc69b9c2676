package dev.stowage.testkit.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.Availability;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendProvider;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.Event;
import dev.stowage.error.DeviceLostException;
import dev.stowage.error.RunException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.TensorData;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A simulated device that is lost while others stay: what is refused, what goes on, and what is given back. */
@Timeout(60)
class LostDeviceTest {

    private final IllegalStateException cause = new IllegalStateException("the cable is out");

    private final SimulatedDevice gpu = SimulatedDevice.named("gpu").build();
    private final SimulatedDevice other = SimulatedDevice.named("other").build();

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 4);
    private final Tensor y = b.scale(x, 2).named("y");
    private final Tensor z = b.scale(y, 3).named("z").asOutput();
    private final Graph graph = b.build(z);

    private static void verifyNothingIsOpen(SimulatedDevice device) {
        assertThat(device.openBuffers()).isZero();
        assertThat(device.openBytes()).isZero();
        assertThat(device.openBackends()).isZero();
        assertThat(device.openEvents()).isZero();
    }

    @Test
    void aRunThatIsUnderWayFailsWithTheLossAndEverythingCanBeClosed() throws InterruptedException {
        Gate gate = new Gate("y");
        SimulatedDevice held = SimulatedDevice.named("held").delays(gate).build();
        try (Backend first = held.open();
                Backend second = other.open();
                Scheduler scheduler = Scheduler.over(List.of(first, second))) {
            BoundSchedule bound =
                    scheduler.bind(scheduler.request(graph).assign(y, 0).assign(z, 1));
            TensorData.setFloats(bound.tensor(x), 1, 2, 3, 4);
            bound.runAsync();
            gate.awaitReached();
            held.lose(cause);

            assertThatThrownBy(scheduler::synchronize)
                    .isInstanceOf(RunException.class)
                    .hasCauseInstanceOf(DeviceLostException.class)
                    .hasRootCause(cause);
            assertThatThrownBy(bound::run)
                    .isInstanceOf(RunException.class)
                    .hasCauseInstanceOf(DeviceLostException.class);
        }
        verifyNothingIsOpen(held);
        verifyNothingIsOpen(other);
    }

    @Test
    void theSchedulerStillRunsWhatIsOnOtherDevices() {
        try (Backend first = gpu.open();
                Backend second = other.open();
                Scheduler scheduler = Scheduler.over(List.of(first, second))) {
            BoundSchedule onLost = scheduler.bind(
                    scheduler.request(graph).assign(x, 0).assign(y, 0).assign(z, 0));
            BoundSchedule onOther = scheduler.bind(
                    scheduler.request(graph).assign(x, 1).assign(y, 1).assign(z, 1));
            gpu.lose(cause);
            TensorData.setFloats(onOther.tensor(x), 1, 2, 3, 4);
            onOther.run();

            assertThat(TensorData.getFloats(onOther.tensor(z))).containsExactly(6, 12, 18, 24);
            assertThatThrownBy(onLost::run)
                    .isInstanceOf(RunException.class)
                    .hasCauseInstanceOf(DeviceLostException.class);
            TensorData.setFloats(onOther.tensor(x), 2, 2, 2, 2);
            onOther.run();
            assertThat(TensorData.getFloats(onOther.tensor(z))).containsExactly(12, 12, 12, 12);
        }
        verifyNothingIsOpen(gpu);
        verifyNothingIsOpen(other);
    }

    @Test
    void aStreamThatWaitsForALostDeviceFailsOnceAndIsUsableAgain() throws InterruptedException {
        Gate gate = new Gate("y");
        SimulatedDevice held = SimulatedDevice.named("held").delays(gate).build();
        try (Backend first = held.open();
                Backend second = other.open();
                Scheduler alone = Scheduler.over(List.of(first));
                Event event = held.createEvent()) {
            BoundSchedule bound = alone.bind(graph);
            bound.runAsync();
            first.record(event);
            second.await(event);
            gate.awaitReached();
            held.lose(cause);

            assertThatThrownBy(second::synchronize).hasRootCause(cause);
            assertThatCode(second::synchronize).doesNotThrowAnyException();
            assertThatThrownBy(event::isDone)
                    .isInstanceOf(DeviceLostException.class)
                    .hasCause(cause);
        }
        verifyNothingIsOpen(held);
        verifyNothingIsOpen(other);
    }

    @Test
    void theRegistryLeavesALostDeviceOutAndFindsTheNextOne() {
        AtomicReference<SimulatedDevice> current = new AtomicReference<>(gpu);
        BackendProvider provider = new BackendProvider() {
            @Override
            public String name() {
                return "bus";
            }

            @Override
            public String version() {
                return "1";
            }

            @Override
            public Availability probe() {
                return Availability.available();
            }

            @Override
            public List<? extends Device> devices() {
                return List.of(current.get(), other);
            }
        };
        try (DeviceRegistry registry = DeviceRegistry.empty().register(provider)) {
            assertThat(registry.devices()).containsExactly(gpu, other);
            gpu.lose(cause);
            assertThat(registry.refresh().devices()).containsExactly(other);
            SimulatedDevice back = SimulatedDevice.named("gpu").build();
            current.set(back);
            assertThat(registry.refresh().devices()).containsExactly(back, other);
        }
    }
}
