package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.TensorData;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.PipelineCopies;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.DelayPolicy;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Inputs that are written after {@code advance()} never change a run that was submitted before. */
class UnsynchronizedInputsTest {

    @Test
    void withoutAPipelineTheNextInputsWaitForTheRunsThatReadTheLast() {
        writesAhead(ScheduleOptions.defaults(), true);
    }

    @Test
    void inAPipelineALeafThatIsNotMarkedAsAnInputWaitsForThemToo() {
        writesAhead(ScheduleOptions.defaults().withPipeline(), false);
        writesAhead(ScheduleOptions.defaults().withPipeline().withPipelineCopies(PipelineCopies.WHERE_NEEDED), false);
    }

    private static void writesAhead(ScheduleOptions options, boolean marked) {
        for (int seed = 0; seed < 50; seed++) {
            SimulatedDevice unified = SimulatedDevice.named("unified")
                    .hostMemory()
                    .delays(DelayPolicy.jitter(seed))
                    .build();
            GraphBuilder b = new GraphBuilder();
            Tensor x = marked ? b.input("x", ElementType.F32, 64) : b.tensor(ElementType.F32, 64);
            // The place of x is free after the first node, so that a run in flight also writes over the next input.
            Tensor y = b.scale(b.scale(b.scale(x, 2), 2), 2).asOutput();
            Graph graph = b.build(y);
            try (Backend backend = unified.open();
                    Scheduler scheduler = Scheduler.over(List.of(backend), options)) {
                BoundSchedule bound = scheduler.bind(graph);
                for (int run = 1; run <= 4; run++) {
                    bound.advance();
                    float[] values = new float[64];
                    Arrays.fill(values, run);
                    TensorData.setFloats(bound.tensor(x), values);
                    bound.runAsync();
                }
                scheduler.synchronize();

                assertThat(TensorData.getFloats(bound.tensor(y))).containsOnly(32);
            }
        }
    }
}
