package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.testkit.schedule.CountingPlanner;
import dev.stowage.testkit.simulated.SimulatedDevice;
import dev.stowage.testkit.simulated.SimulatedDeviceBuilder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A prompt and the generation after it are made ready once each, and stay as they were planned. */
@Timeout(300)
class KeptPassesTest {

    private static final int ROUNDS = 1_000;
    private static final int MOST_PER_PASS = 1024;

    private static SimulatedDeviceBuilder device(String name) {
        return SimulatedDevice.named(name).computingWith(TestModels.cpu());
    }

    /** So many accelerators, and a processor that is simulated too, so that it counts. */
    private static List<SimulatedDevice> devices(int accelerators) {
        List<SimulatedDevice> devices = new ArrayList<>();
        for (int i = 0; i < accelerators; i++) {
            devices.add(device("gpu" + i).build());
        }
        devices.add(device("host").processor().build());
        return devices;
    }

    private static LanguageModel open(List<? extends Device> devices, ScheduleOptions schedule) {
        ModelOptions options = ModelOptions.defaults()
                // More than the cells that a short text sees, so that no pass is one that memory was reserved for.
                .withContext(300)
                .withDevices(List.copyOf(devices))
                .withRearrangedWeights(false)
                .withSchedule(schedule);
        return LanguageModel.open(
                TestModels.file("tiny-qwen2"),
                devices.size() > 1 ? options.withLayersOn(Collections.nCopies(devices.size() - 1, 1)) : options,
                LoadListener.NONE);
    }

    private static int[] tokens(int count) {
        return IntStream.range(0, count).map(i -> 3 + 37 * i % 2000).toArray();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void promptAndGenerationInAlternationAreMadeOnceEach(int accelerators) {
        CountingPlanner planner = new CountingPlanner();
        List<SimulatedDevice> devices = devices(accelerators);
        try (LanguageModel model = open(devices, ScheduleOptions.defaults().withPlanner(planner));
                Session session = model.newSession()) {
            Set<Schedule> schedules = Collections.newSetFromMap(new IdentityHashMap<>());
            Batch prompt = new Batch().addAll(tokens(5), 0);
            Batch token = new Batch().add(9, 0, true);
            List<float[]> first = new ArrayList<>();
            int plansBefore = planner.plans();
            int preparedBefore = preparations(devices);
            int plansAfterFirst = 0;

            for (int round = 0; round < ROUNDS; round++) {
                session.clear();
                for (Batch batch : List.of(prompt, token)) {
                    session.run(batch);
                    schedules.add(session.schedule().orElseThrow());
                    if (round == 0) {
                        first.add(session.logits(0).clone());
                    } else {
                        assertThat(session.logits(0)).isEqualTo(first.get(batch == prompt ? 0 : 1));
                    }
                }
                plansAfterFirst = round == 0 ? planner.plans() : plansAfterFirst;
            }

            // One plan each at most: the plan of one pass serves another that is wired alike and is no larger.
            assertThat(planner.plans() - plansBefore).isBetween(1, 2);
            assertThat(planner.plans()).isEqualTo(plansAfterFirst);
            assertThat(schedules).hasSize(2);
            assertThat(preparations(devices) - preparedBefore)
                    .isEqualTo(schedules.stream().mapToInt(Schedule::splitCount).sum());
            assertThat(schedules)
                    .allSatisfy(schedule -> assertThat(schedule.splitCount()).isGreaterThan(accelerators));
        }
    }

    private static int preparations(List<SimulatedDevice> devices) {
        return devices.stream().mapToInt(SimulatedDevice::preparations).sum();
    }

    @Test
    void aPassThatAlternatesWithAnotherCostsLessThanAKibibyteOfGarbage() {
        try (LanguageModel model = open(List.of(TestModels.cpu()), ScheduleOptions.defaults());
                Session session = model.newSession()) {
            Batch prompt = new Batch().addAll(tokens(5), 0);
            Batch token = new Batch().add(9, 0, true);
            alternate(session, prompt, token, 500);
            long before = Garbage.allocatedBytes();
            alternate(session, prompt, token, 250);
            assertThat((Garbage.allocatedBytes() - before) / 500).isLessThan(MOST_PER_PASS);
        }
    }

    private static void alternate(Session session, Batch prompt, Batch token, int rounds) {
        for (int round = 0; round < rounds; round++) {
            session.clear();
            session.run(prompt);
            session.run(token);
        }
    }

    /** What was decided for a pass: the device of every tensor, and what crosses between devices. */
    private record Decision(List<String> devices, int crossings, long inputCopyBytes) {

        static Decision of(Schedule schedule) {
            return new Decision(
                    IntStream.range(0, schedule.graph().size())
                            .mapToObj(schedule.graph()::tensor)
                            .map(tensor -> tensor.name() + " " + tensor.op() + " " + tensor.layout() + " on "
                                    + schedule.deviceOf(tensor))
                            .toList(),
                    schedule.inputCopyCount(),
                    schedule.inputCopyBytes());
        }
    }

    private static Decision decision(Session session, int[] tokens) {
        session.run(new Batch().addAll(tokens, 0));
        return Decision.of(session.schedule().orElseThrow());
    }

    private static Decision alone(LanguageModel model, int count) {
        try (Session session = model.newSession()) {
            return decision(session, tokens(count));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void generationAfterPromptsOfDifferentLengthsIsWhereItIsWithoutThem(int copies) {
        List<SimulatedDevice> devices = devices(2);
        try (LanguageModel model = open(devices, ScheduleOptions.defaults().withPipeline(copies));
                Session session = model.newSession()) {
            Decision generation = alone(model, 1);
            List<Long> reserved = bytes(session, devices.size());
            List<Long> open = devices.stream().map(SimulatedDevice::openBytes).toList();
            for (int length : new int[] {3, 17, 8, 31, 3, 2}) {
                session.clear();
                assertThat(decision(session, tokens(length))).isEqualTo(alone(model, length));
                for (int i = 0; i < 3; i++) {
                    assertThat(decision(session, tokens(1)))
                            .as("after a prompt of %d tokens", length)
                            .isEqualTo(generation);
                }
                assertThat(bytes(session, devices.size())).isEqualTo(reserved);
                assertThat(devices.stream().map(SimulatedDevice::openBytes).toList())
                        .isEqualTo(open);
            }
        }
    }

    private static List<Long> bytes(Session session, int devices) {
        return IntStream.range(0, devices).mapToObj(session::computeBytes).toList();
    }
}
