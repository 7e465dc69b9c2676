package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.plan.Planner;
import dev.stowage.schedule.PipelineCopies;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random programs over random devices: wherever nodes are computed, the numbers are those of one device. */
class RandomProgramsTest {

    private static final int SEEDS = Integer.getInteger("stowage.seeds", 1000);
    private static final int FEW = 100;

    static ScheduleOptions options(Random random) {
        ScheduleOptions options = ScheduleOptions.defaults()
                .withOffloadedOps(random.nextBoolean())
                .withPlanner(random.nextInt(3) == 0 ? Planner.tight() : Planner.ggml());
        if (random.nextBoolean()) {
            options = options.withPipeline(2 + random.nextInt(3));
        }
        return random.nextBoolean() ? options.withPipelineCopies(PipelineCopies.WHERE_NEEDED) : options;
    }

    static void givesTheNumbersOfOneDevice(long seed, Set<Feature> features) {
        Random random = new Random(seed);
        int nodes = 5 + random.nextInt(30);
        int runs = 1 + random.nextInt(4);
        List<SimulatedDevice> devices = RandomDevices.draw(random);
        ScheduleOptions options = options(random);
        List<List<float[]>> expected = OneDevice.outputs(RandomProgram.of(seed, features, nodes), runs);
        List<List<float[]>> found = new ArrayList<>();
        try (SpreadProgram spread =
                new SpreadProgram(RandomProgram.of(seed, features, nodes), devices, options, random)) {
            if (random.nextInt(3) == 0) {
                spread.assignSome(random);
            }
            boolean anew = random.nextBoolean();
            for (int run = 0; run < runs; run++) {
                if (anew) {
                    spread.renewGraph();
                }
                found.add(spread.run(run));
            }
        }
        assertThat(OneDevice.bits(found)).as("seed %d", seed).isEqualTo(OneDevice.bits(expected));
    }

    @Test
    void giveTheNumbersOfOneDevice() {
        for (long seed = 0; seed < SEEDS; seed++) {
            givesTheNumbersOfOneDevice(seed, Feature.all());
        }
    }

    @ParameterizedTest
    @EnumSource
    void giveTheNumbersOfOneDeviceWithout(Feature feature) {
        Set<Feature> others = EnumSet.complementOf(EnumSet.of(feature));
        for (long seed = SEEDS; seed < SEEDS + FEW; seed++) {
            givesTheNumbersOfOneDevice(seed, others);
        }
    }
}
