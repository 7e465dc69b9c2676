package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.testkit.race.AccessLog;
import dev.stowage.testkit.race.RaceDetector;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random programs over random devices in random pipelines, run after run submitted without waiting. */
@Timeout(300)
class RunsAheadTest {

    private static final int SEEDS = Integer.getInteger("stowage.seeds", 500);
    private static final Set<Feature> FEATURES =
            EnumSet.of(Feature.EXPERTS, Feature.REWRITES, Feature.WRITES_TO_RESULTS);

    @Test
    void giveTheNumbersOfOneDeviceWithoutARace() {
        for (long seed = 0; seed < SEEDS; seed++) {
            runAhead(seed);
        }
    }

    /** In this program a device copies a view of an input that another device has, and the host writes the input again. */
    @Test
    void anInputIsNotWrittenWhileAViewOfItIsCopied() {
        runAhead(9706);
    }

    private static void runAhead(long seed) {
        Random random = new Random(seed);
        int nodes = 5 + random.nextInt(30);
        int runs = 4 + random.nextInt(4);
        AccessLog log = new AccessLog();
        List<SimulatedDevice> devices = RandomDevices.draw(random, log, UnaryOperator.identity());
        ScheduleOptions options = RandomProgramsTest.options(random).withPipeline(2 + random.nextInt(3));
        List<List<float[]>> expected = OneDevice.outputs(RandomProgram.of(seed, FEATURES, nodes), runs);
        List<List<float[]>> found = new ArrayList<>();
        try (SpreadProgram spread =
                new SpreadProgram(RandomProgram.of(seed, FEATURES, nodes), devices, options, random)) {
            if (random.nextInt(3) == 0) {
                spread.assignSome(random);
            }
            boolean anew = random.nextBoolean();
            for (int run = 0; run < runs; run++) {
                if (anew) {
                    spread.renewGraph();
                }
                found.add(spread.runAhead(run));
            }
            spread.scheduler().synchronize();
        }
        assertThat(RaceDetector.races(log)).as("seed %d", seed).isEmpty();
        assertThat(OneDevice.bits(found)).as("seed %d", seed).isEqualTo(OneDevice.bits(expected));
    }
}
