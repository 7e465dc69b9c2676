package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.stowage.device.Backend;
import dev.stowage.memory.HostBufferType;
import dev.stowage.profile.RunProfile;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.Scheduler;
import dev.stowage.testkit.simulated.NullDevice;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Running a graph again is what a scheduler does all day: it must leave nothing to collect for each node or split. */
class SchedulerGarbageTest {

    private static final int RUNS = 1_000;
    private static final int LAYERS = 100;

    private static double bytesPerRun(BoundSchedule bound) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int run = 0; run < 2 * RUNS; run++) {
            bound.advance();
            bound.runAsync();
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int run = 0; run < RUNS; run++) {
            bound.advance();
            bound.runAsync();
        }
        return (double) (threads.getCurrentThreadAllocatedBytes() - before) / RUNS;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void runningTheSameGraphAgainMakesNone(int pipeline) {
        List<NullDevice> devices = List.of(
                NullDevice.accepting(HostBufferType.standard().withName("one")),
                NullDevice.accepting(HostBufferType.standard().withName("two")));
        List<Backend> backends = devices.stream().map(NullDevice::open).toList();
        List<HostBufferType> inTurn = new ArrayList<>();
        for (List<NullDevice> pair : Collections.nCopies(LAYERS / 2, devices)) {
            pair.forEach(device -> inTurn.add(device.bufferType()));
        }
        try (Chain chain = new Chain(inTurn);
                Scheduler scheduler =
                        Scheduler.over(backends, ScheduleOptions.defaults().withPipeline(pipeline))) {
            BoundSchedule bound = scheduler.bind(chain.graph());
            assertThat(bound.schedule().splitCount()).isEqualTo(LAYERS);
            assertThat(bytesPerRun(bound))
                    .as("less than a byte a node; a blocking copy of the input makes a few")
                    .isLessThan(chain.graph().nodeCount());
            scheduler.listen(new RunProfile());
            assertThat(bytesPerRun(bound))
                    .as("the same with a profile")
                    .isLessThan(chain.graph().nodeCount());
        }
    }
}
