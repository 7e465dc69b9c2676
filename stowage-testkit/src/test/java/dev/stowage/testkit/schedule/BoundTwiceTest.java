package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.Scheduler;
import dev.stowage.testkit.schedule.TwoPhases.Phase;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is bound stays bound: graphs by several allocators and threads, and several graphs by one scheduler. */
@Timeout(300)
class BoundTwiceTest {

    private static final int ROUNDS = 1_000;

    @Test
    void oneGraphBoundByTwoAllocatorsGivesTheSameInTwoThreads() throws Exception {
        Device reference = new ReferenceProvider().devices().getFirst();
        try (TwoPhases phases = new TwoPhases(List.of(HostBufferType.standard(), HostBufferType.standard()));
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Phase phase = phases.phase(5);
            List<List<Float>> alone = results(reference, phase);
            Future<List<List<Float>>> first = threads.submit(() -> results(reference, phase));
            Future<List<List<Float>>> second = threads.submit(() -> results(reference, phase));

            assertThat(first.get()).isEqualTo(alone);
            assertThat(second.get()).isEqualTo(alone);
        }
    }

    private static List<List<Float>> results(Device device, Phase phase) {
        List<List<Float>> results = new ArrayList<>();
        try (GraphAllocator allocator = GraphAllocator.on(device.bufferType());
                Backend backend = device.open()) {
            BoundGraph bound = allocator.bind(phase.graph());
            for (int round = 0; round < ROUNDS; round++) {
                TensorData.setFloats(bound.tensor(phase.x()), phase.input(round));
                backend.compute(bound);
                results.add(boxed(TensorData.getFloats(bound.tensor(phase.y()))));
            }
        }
        return results;
    }

    private static List<Float> boxed(float[] values) {
        return IntStream.range(0, values.length).mapToObj(i -> values[i]).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void promptAndGenerationAreMadeOnceEachHoweverOftenTheyAlternate(int count, @TempDir Path folder)
            throws IOException {
        List<SimulatedDevice> devices = IntStream.range(0, count)
                .mapToObj(i -> SimulatedDevice.named("gpu" + i).build())
                .toList();
        SimulatedDevice host = SimulatedDevice.named("cpu").processor().build();
        CountingPlanner planner = new CountingPlanner();
        List<SimulatedDevice> all = new ArrayList<>(devices);
        all.add(host);
        List<Backend> backends = all.stream().map(SimulatedDevice::open).toList();
        try (TwoPhases phases = new TwoPhases(
                        devices.stream().map(SimulatedDevice::bufferType).toList());
                Scheduler scheduler =
                        Scheduler.over(backends, ScheduleOptions.defaults().withPlanner(planner))) {
            Phase prompt = phases.phase(16);
            Phase generation = phases.phase(1);
            List<BoundSchedule> bound = new ArrayList<>();
            long schedules = recordedSchedules(folder, () -> {
                bound.add(scheduler.bind(prompt.graph()));
                bound.add(scheduler.bind(generation.graph()));
                alternate(bound, List.of(prompt, generation));
            });

            assertThat(schedules).isEqualTo(2);
            assertThat(planner.plans()).isEqualTo(2);
            assertThat(bound)
                    .allSatisfy(each -> assertThat(each.schedule().splitCount()).isEqualTo(count));
            assertThat(all.stream().mapToInt(SimulatedDevice::preparations).sum())
                    .isEqualTo(2 * count);
            for (Backend backend : backends) {
                int number = scheduler.numberOf(backend);
                assertThat(scheduler.bufferSize(backend))
                        .isEqualTo(Math.max(
                                bound.get(0).schedule().computeSize(number),
                                bound.get(1).schedule().computeSize(number)));
            }
        } finally {
            backends.forEach(Backend::close);
        }
        assertThat(all).allSatisfy(device -> assertThat(device.openBuffers()).isZero());
    }

    /** Runs them one after the other, again and again: the same numbers for the same input, each time and by either. */
    private static void alternate(List<BoundSchedule> bound, List<Phase> phases) {
        List<List<Float>> first = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < bound.size(); i++) {
                BoundSchedule schedule = bound.get(i);
                Phase phase = phases.get(i);
                TensorData.setFloats(schedule.tensor(phase.x()), phase.input(round % 10));
                schedule.run();
                List<Float> found = boxed(TensorData.getFloats(schedule.tensor(phase.y())));
                if (round < 10) {
                    first.add(found);
                } else {
                    assertThat(found)
                            .as("round %d of %d tokens", round, phase.tokens())
                            .isEqualTo(first.get(round % 10 * bound.size() + i));
                }
            }
        }
        // A token does not depend on those before it here: generation gives what a prompt that ends with its token
        // does.
        for (int round = 0; round < 10; round++) {
            assertThat(first.get(2 * round)).isEqualTo(first.get(2 * round + 1));
        }
    }

    private static long recordedSchedules(Path folder, Runnable run) throws IOException {
        Path file = folder.resolve("schedules.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("dev.stowage.Schedule").withoutThreshold();
            recording.start();
            run.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("dev.stowage.Schedule"))
                .count();
    }
}
