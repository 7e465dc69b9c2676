package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceType;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.schedule.DeviceSet;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleRequest;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
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

    @Test
    void sizesAreFetchedAndMemoryIsInitialisedInOneCall() {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input("x", ElementType.F32, 8, 6);
        Graph graph = Graph.of(b.add(b.transpose(b.scale(x, 2)), b.cont(b.transpose(x))), b.sqr(x));
        SimulatedDevice inBulk = gpu(true, EnumSet.allOf(Op.class));
        SimulatedDevice oneByOne = gpu(false, EnumSet.allOf(Op.class));

        try (GraphAllocator bulk = GraphAllocator.on(inBulk.bufferType());
                GraphAllocator plain = GraphAllocator.on(oneByOne.bufferType())) {
            assertThat(bulk.bind(graph).plan().orElseThrow().toJson())
                    .isEqualTo(plain.bind(graph).plan().orElseThrow().toJson());
        }

        assertThat(inBulk.memoryQueries().bulkSizeQueries()).isEqualTo(1);
        assertThat(inBulk.memoryQueries().sizeQueries()).isZero();
        assertThat(inBulk.memoryQueries().bulkInitializations()).isEqualTo(1);
        assertThat(inBulk.memoryQueries().initializations()).isZero();
        assertThat(oneByOne.memoryQueries().bulkSizeQueries()).isZero();
        assertThat(oneByOne.memoryQueries().bulkInitializations()).isZero();
    }
}
