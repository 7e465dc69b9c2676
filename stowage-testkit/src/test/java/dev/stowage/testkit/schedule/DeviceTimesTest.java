package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.RunListener;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.TensorData;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.Costs;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Splits of asynchronous devices are timed by the devices' clocks, and reported when they are done. */
class DeviceTimesTest {

    private static final long NODE_NANOS = 1_000_000;

    /** Records how long splits took; the nodes do not matter here. */
    private static final class SplitDurations implements RunListener {

        private final List<Long> durations = new ArrayList<>();

        @Override
        public void computed(Backend backend, List<Tensor> nodes, long startNanos, long endNanos) {}

        @Override
        public void ranSplit(Backend backend, int split, Graph graph, long startNanos, long endNanos) {
            durations.add(endNanos - startNanos);
        }
    }

    private final SimulatedDevice gpu = SimulatedDevice.named("gpu")
            .costs(Costs.free().withCompute(_ -> NODE_NANOS))
            .build();
    private final SimulatedDevice cpu = SimulatedDevice.named("cpu")
            .hostMemory()
            .readingHostMemory()
            .async(false)
            .events(false)
            .build();
    private final GraphBuilder ops = new GraphBuilder();
    private final Tensor x = ops.input("x", ElementType.F32, 8);
    private final Graph graph = Graph.of(ops.sqr(ops.sqr(ops.sqr(x))).asOutput());
    private final SplitDurations listener = new SplitDurations();

    private void run(ScheduleOptions options, int runs) {
        try (Backend onGpu = gpu.open();
                Backend onCpu = cpu.open();
                Scheduler scheduler = Scheduler.over(List.of(onGpu, onCpu), options)) {
            scheduler.listen(listener);
            BoundSchedule bound = scheduler.bind(scheduler.request(graph).assign(graph.node(0), 0));
            for (int run = 0; run < runs; run++) {
                bound.advance();
                TensorData.setFloats(bound.tensor(x), new float[8]);
                bound.runAsync();
            }
            scheduler.synchronize();
        }
        assertThat(gpu.openEvents()).isZero();
    }

    @Test
    void aSplitTakesWhatTheDeviceSaysAndNotWhatTheHostSees() {
        run(ScheduleOptions.defaults(), 1);

        assertThat(listener.durations).containsExactly(3 * NODE_NANOS);
    }

    @Test
    void everyRunOfAPipelineIsReported() {
        run(ScheduleOptions.defaults().withPipeline(3), 10);

        assertThat(listener.durations).hasSize(10).containsOnly(3 * NODE_NANOS);
    }
}
