package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.DeviceType;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.ScheduleProgram;
import dev.stowage.schedule.ScheduleProgram.Action;
import dev.stowage.schedule.Split;
import dev.stowage.testkit.race.AccessLog;
import dev.stowage.testkit.race.RaceDetector;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Events without a pipeline: copies between two devices do not block the host, and nothing races. */
@Timeout(300)
class EventsWithoutPipelineTest {

    private static final int SEEDS = Integer.getInteger("stowage.seeds", 300);
    private static final int RUNS = 3;

    @Test
    void randomProgramsOnRandomMachinesGiveTheNumbersOfOneDeviceWithoutARace() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            AccessLog log = new AccessLog();
            int nodes = 10 + random.nextInt(20);
            EnumSet<Feature> features = EnumSet.of(Feature.EXPERTS, Feature.REWRITES);
            List<SimulatedDevice> devices = RandomDevices.draw(random, log, made -> made);
            ScheduleOptions options = ScheduleOptions.defaults()
                    .withOffloadedOps(random.nextBoolean())
                    .withEvents();
            List<List<float[]>> expected = OneDevice.outputs(RandomProgram.of(seed, features, nodes), RUNS);
            List<List<float[]>> found = new ArrayList<>();
            try (SpreadProgram spread =
                    new SpreadProgram(RandomProgram.of(seed, features, nodes), devices, options, random)) {
                for (int run = 0; run < RUNS; run++) {
                    found.add(spread.run(run));
                }
            }
            assertThat(RaceDetector.races(log)).as("seed %d", seed).isEmpty();
            assertThat(OneDevice.bits(found)).as("seed %d", seed).isEqualTo(OneDevice.bits(expected));
        }
    }

    @Test
    void aCopyBetweenTwoDevicesHasNoHostWait() {
        int copies = 0;
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            List<SimulatedDevice> devices = List.of(
                    SimulatedDevice.named("gpu0").build(),
                    SimulatedDevice.named("gpu1").build(),
                    SimulatedDevice.named("cpu")
                            .type(DeviceType.CPU)
                            .processor()
                            .build());
            RandomProgram program = RandomProgram.of(seed, EnumSet.noneOf(Feature.class), 20);
            try (SpreadProgram spread = new SpreadProgram(
                    program, devices, ScheduleOptions.defaults().withEvents(), random)) {
                spread.assignSome(random);
                spread.run(0);
                Schedule schedule = spread.schedule();
                for (Split split : schedule.splits()) {
                    if (split.device() < 2 && split.inputs().stream().allMatch(input -> input.from() < 2)) {
                        copies += requireNoHostWait(schedule.program().actions(split.index()));
                    }
                }
            }
        }
        assertThat(copies).isGreaterThan(50);
    }

    /** Only before inputs of the graph does the host wait; returns how many copies there are. */
    private static int requireNoHostWait(List<Action> actions) {
        int copies = 0;
        for (int i = 0; i < actions.size(); i++) {
            ScheduleProgram.Kind kind = actions.get(i).kind();
            if (kind == ScheduleProgram.Kind.WAIT_EVENT) {
                assertThat(actions.get(i + 1).kind()).isEqualTo(ScheduleProgram.Kind.COPY_INPUT);
            }
            assertThat(kind).isNotEqualTo(ScheduleProgram.Kind.SYNCHRONIZE);
            copies += kind == ScheduleProgram.Kind.COPY ? 1 : 0;
        }
        return copies;
    }
}
