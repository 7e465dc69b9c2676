package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.DeviceType;
import dev.stowage.schedule.PipelineCopies;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.tensor.Op;
import dev.stowage.testkit.race.AccessLog;
import dev.stowage.testkit.race.RaceDetector;
import dev.stowage.testkit.simulated.Costs;
import dev.stowage.testkit.simulated.DelayPolicy;
import dev.stowage.testkit.simulated.SimulatedClock;
import dev.stowage.testkit.simulated.SimulatedDevice;
import dev.stowage.testkit.simulated.SimulatedDeviceBuilder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A pipeline of four over two accelerators that run ahead and a processor, more runs submitted than that before the
 * host waits: the numbers are those of one device, and no two accesses to the same bytes are left without order.
 */
@Timeout(300)
class PipelineRacesTest {

    private static final int SEEDS = Integer.getInteger("stowage.seeds", 100);
    private static final int RUNS = 6;
    private static final int PIPELINE = 4;
    private static final Set<Feature> FEATURES = EnumSet.of(Feature.EXPERTS, Feature.REWRITES);

    /** What the accelerators are like. */
    enum Machine {
        WITH_EVENTS,
        WITHOUT_EVENTS,
        WITHOUT_DIRECT_COPIES,
        IN_SHARED_MEMORY,
        READING_HOST_MEMORY;

        SimulatedDeviceBuilder change(SimulatedDeviceBuilder made, List<SimulatedDevice> before) {
            return switch (this) {
                case WITH_EVENTS -> made;
                case WITHOUT_EVENTS -> made.events(false);
                case WITHOUT_DIRECT_COPIES -> made.directCopies(false);
                case IN_SHARED_MEMORY ->
                    before.isEmpty() ? made : made.sharing(before.getFirst().bufferType());
                case READING_HOST_MEMORY -> made.readingHostMemory();
            };
        }
    }

    private final AccessLog log = new AccessLog();
    private final SimulatedClock clock = new SimulatedClock();

    @ParameterizedTest
    @EnumSource
    void everySplitInputCopied(Machine machine) {
        forEverySeed(machine, ScheduleOptions.defaults().withPipeline(PIPELINE));
    }

    @ParameterizedTest
    @EnumSource
    void onlyWhatMustBeCopied(Machine machine) {
        forEverySeed(
                machine,
                ScheduleOptions.defaults().withPipeline(PIPELINE).withPipelineCopies(PipelineCopies.WHERE_NEEDED));
    }

    @ParameterizedTest
    @EnumSource
    void orderedByEventsWithAndWithoutAPipeline(Machine machine) {
        forEverySeed(machine, ScheduleOptions.defaults().withPipeline(PIPELINE).withEvents());
        forEverySeed(machine, ScheduleOptions.defaults().withEvents());
    }

    private static void forEverySeed(Machine machine, ScheduleOptions options) {
        for (long seed = 0; seed < SEEDS; seed++) {
            new PipelineRacesTest().runsAheadWithoutARace(seed, machine, options);
        }
    }

    private void runsAheadWithoutARace(long seed, Machine machine, ScheduleOptions asked) {
        Random random = new Random(seed);
        int nodes = 10 + random.nextInt(15);
        List<List<float[]>> expected = OneDevice.outputs(RandomProgram.of(seed, FEATURES, nodes), RUNS);
        List<List<float[]>> found = new ArrayList<>();
        ScheduleOptions options = asked.withOffloadedOps(random.nextBoolean());
        boolean anew = random.nextBoolean();
        try (SpreadProgram spread =
                new SpreadProgram(RandomProgram.of(seed, FEATURES, nodes), devices(random, machine), options, random)) {
            for (int run = 0; run < RUNS; run++) {
                if (anew) {
                    spread.renewGraph();
                }
                found.add(spread.runAhead(run));
            }
            spread.scheduler().synchronize();
        }
        assertThat(RaceDetector.races(log))
                .as("seed %d, %s, %s", seed, machine, asked)
                .isEmpty();
        assertThat(OneDevice.bits(found))
                .as("seed %d, %s, %s", seed, machine, asked)
                .isEqualTo(OneDevice.bits(expected));
    }

    private List<SimulatedDevice> devices(Random random, Machine machine) {
        List<SimulatedDevice> devices = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            SimulatedDeviceBuilder made = machine.change(device("gpu" + i, random), devices);
            devices.add(made.offloading(EnumSet.of(Op.MUL_MAT_ID))
                    .supporting(someOps(random))
                    .build());
        }
        devices.add(device("cpu", random).type(DeviceType.CPU).processor().build());
        return devices;
    }

    /** Without some ops, so that splits and copies go back and forth. */
    private static Set<Op> someOps(Random random) {
        Set<Op> ops = EnumSet.allOf(Op.class);
        ops.removeIf(op -> op != Op.CPY && op != Op.SET_ROWS && random.nextInt(4) == 0);
        return ops;
    }

    private SimulatedDeviceBuilder device(String name, Random random) {
        long node = random.nextInt(1000);
        return SimulatedDevice.named(name)
                .accesses(log)
                .clock(clock)
                .costs(Costs.free().withLink(random.nextInt(1000), 1e9).withCompute(_ -> node))
                .delays(unsteady(random.nextLong()));
    }

    /** Lets others go first now and then, so that the streams meet in ever new orders. */
    @SuppressWarnings("ThreadPriorityCheck") // nothing relies on what the scheduler of threads makes of it
    private static DelayPolicy unsteady(long seed) {
        Random random = new Random(seed);
        return _ -> {
            switch (random.nextInt(32)) {
                case 0 -> LockSupport.parkNanos(1);
                case 1, 2, 3 -> Thread.yield();
                default -> {}
            }
        };
    }
}
