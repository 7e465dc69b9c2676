package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceType;
import dev.stowage.graph.Graph;
import dev.stowage.schedule.DeviceSet;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleRequest;
import dev.stowage.tensor.Op;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A device that answers for whole graphs is asked once for each, and the schedule is the same. */
class BulkQueriesTest {

    private static SimulatedDevice gpu(boolean inBulk, Set<Op> ops) {
        return SimulatedDevice.named("gpu").supporting(ops).bulkQueries(inBulk).build();
    }

    private static SimulatedDevice cpu() {
        return SimulatedDevice.named("cpu").type(DeviceType.CPU).hostMemory().build();
    }

    private static Schedule schedule(Graph graph, Device gpu) {
        return Schedule.of(ScheduleRequest.of(graph, DeviceSet.of(gpu, cpu())));
    }

    @Test
    void theDeviceIsAskedOncePerGraph() {
        for (long seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            Set<Op> ops = EnumSet.allOf(Op.class);
            ops.removeIf(_ -> random.nextInt(4) == 0);
            Graph graph =
                    RandomProgram.of(seed, EnumSet.noneOf(Feature.class), 25).graph();
            SimulatedDevice inBulk = gpu(true, ops);
            SimulatedDevice oneByOne = gpu(false, ops);

            assertThat(schedule(graph, inBulk).explain())
                    .as("seed %d", seed)
                    .isEqualTo(schedule(graph, oneByOne).explain());
            assertThat(inBulk.supportQueries().graphQueries()).isEqualTo(1);
            assertThat(inBulk.supportQueries().nodeQueries()).isZero();
            assertThat(oneByOne.supportQueries().graphQueries()).isZero();
        }
    }
}
