package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.DeviceType;
import dev.stowage.graph.Graph;
import dev.stowage.memory.TensorData;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.Scheduler;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a flight recording shows of a schedule and its run. */
class FlightRecordingTest {

    private final SimulatedDevice gpuDevice = SimulatedDevice.named("gpu").build();
    private final SimulatedDevice second = SimulatedDevice.named("gpu2").build();
    private final SimulatedDevice cpuDevice = SimulatedDevice.named("cpu")
            .type(DeviceType.CPU)
            .hostMemory()
            .async(false)
            .build();
    private final Backend gpu = gpuDevice.open();
    private final Backend gpu2 = second.open();
    private final Backend cpu = cpuDevice.open();
    private final Chain chain = Chain.of(gpu, gpu2);
    private final Scheduler scheduler = Scheduler.over(List.of(gpu, gpu2, cpu));

    @TempDir
    private Path folder;

    @AfterEach
    void closeAll() {
        scheduler.close();
        gpu.close();
        gpu2.close();
        cpu.close();
        chain.close();
    }

    private List<RecordedEvent> record(String name, Runnable run) throws IOException {
        Path file = folder.resolve("flight.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(name).withoutThreshold();
            recording.start();
            run.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(name))
                .toList();
    }

    private @Nullable BoundSchedule bound;

    private void bindAndRun() {
        chain.writeWeights();
        bound = scheduler.bind(chain.graph());
        run();
    }

    private void rebindAndRun() {
        bound = scheduler.rebind(bound(), Graph.of(chain.y()));
        run();
    }

    private void run() {
        TensorData.setFloats(bound().tensor(chain.x()), 1, 2, 3, 4);
        bound().run();
    }

    private BoundSchedule bound() {
        return Objects.requireNonNull(bound);
    }

    @Test
    void aScheduleThatIsMadeIsShown() throws IOException {
        List<RecordedEvent> events = record("dev.stowage.Schedule", this::bindAndRun);
        Schedule schedule = bound().schedule();
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.getInt("nodes")).isEqualTo(4);
            assertThat(event.getInt("splits")).isEqualTo(schedule.splitCount());
            assertThat(event.getInt("copies")).isEqualTo(schedule.inputCopyCount());
            assertThat(event.getLong("bytes")).isEqualTo(schedule.inputCopyBytes());
        });
    }

    @Test
    void aScheduleThatIsUsedAgainIsNot() throws IOException {
        bindAndRun();
        assertThat(record("dev.stowage.Schedule", this::run)).isEmpty();
        assertThat(record("dev.stowage.Schedule", this::rebindAndRun)).isEmpty();
    }

    @Test
    void everySplitIsShown() throws IOException {
        List<RecordedEvent> events = record("dev.stowage.Split", this::bindAndRun);
        assertThat(events).extracting(event -> event.getInt("split")).containsExactly(0, 1);
        assertThat(events).extracting(event -> event.getString("device")).containsExactly("gpu", "gpu2");
        assertThat(events).extracting(event -> event.getInt("nodes")).containsExactly(2, 2);
        assertThat(events).extracting(event -> event.getInt("inputs")).containsExactly(1, 1);
    }

    /** The input is copied by the host, what the first accelerator computes is copied between the two. */
    @Test
    void everyCopyIsShown() throws IOException {
        List<RecordedEvent> events = record("dev.stowage.Copy", this::bindAndRun);
        assertThat(events).extracting(event -> event.getString("tensor")).containsExactly("x", "silu0");
        assertThat(events).extracting(event -> event.getString("from")).containsExactly("cpu", "gpu");
        assertThat(events).extracting(event -> event.getString("to")).containsExactly("gpu", "gpu2");
        assertThat(events).extracting(event -> event.getLong("bytes")).containsOnly((long) Chain.WIDTH * Float.BYTES);
        assertThat(events).extracting(event -> event.getBoolean("async")).containsExactly(false, true);
    }

    @Test
    void everyBufferThatIsTakenIsShown() throws IOException {
        List<RecordedEvent> events = record("dev.stowage.BufferAllocated", this::bindAndRun);
        assertThat(events)
                .extracting(event -> event.getString("bufferType"))
                .containsExactlyInAnyOrder("gpu", "gpu2", "cpu");
        assertThat(events.stream().mapToLong(event -> event.getLong("size")).sum())
                .isEqualTo(scheduler.bufferSize(gpu) + scheduler.bufferSize(gpu2) + scheduler.bufferSize(cpu));
    }
}
