package dev.stowage.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.AddingDevice;
import dev.stowage.device.Backend;
import dev.stowage.device.DeviceType;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several schedulers, several graphs, and one of the other. */
class SchedulersAndGraphsTest {

    private final Backend backend = new AddingDevice("adder", DeviceType.CPU, 0).open();
    private final Scheduler first = Scheduler.over(List.of(backend));
    private final Scheduler second = Scheduler.over(List.of(backend));

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 1);
    private final Tensor y = b.add(x, x).asOutput();
    private final Graph graph = b.build(y);

    @AfterEach
    void close() {
        first.close();
        second.close();
        backend.close();
    }

    private float run(BoundSchedule bound, float value) {
        TensorData.setFloats(bound.tensor(x), value);
        bound.run();
        return TensorData.getFloats(bound.tensor(y))[0];
    }

    @Test
    void twoSchedulersBindOneGraphAndEachRunsItRight() {
        BoundSchedule byFirst = first.bind(graph);
        BoundSchedule bySecond = second.bind(graph);
        byFirst.run();
        bySecond.run();

        assertThat(run(byFirst, 7)).isEqualTo(14);
        assertThat(run(bySecond, 3)).isEqualTo(6);
        assertThat(TensorData.getFloats(byFirst.tensor(y))).containsExactly(14);
        assertThat(x.isPlaced()).isFalse();
        assertThat(y.isPlaced()).isFalse();
    }

    @Test
    void closingOneSchedulerLeavesTheGraphBoundByTheOther() {
        BoundSchedule byFirst = first.bind(graph);
        second.bind(graph);
        second.close();

        assertThat(run(byFirst, 7)).isEqualTo(14);
    }

    @Test
    void twoGraphsOfOneSchedulerRunInAnyOrder() {
        BoundSchedule small = first.bind(graph);
        GraphBuilder more = new GraphBuilder();
        Tensor wide = more.input("wide", ElementType.F32, 1000);
        Tensor sum = more.add(more.add(wide, wide), wide).asOutput();
        BoundSchedule large = first.bind(more.build(sum));
        for (int run = 1; run < 6; run++) {
            assertThat(run(small, run)).isEqualTo(2 * run);
            float[] values = new float[1000];
            values[999] = run;
            TensorData.setFloats(large.tensor(wide), values);
            large.run();
            assertThat(TensorData.getFloats(large.tensor(sum))[999]).isEqualTo(3 * run);
        }
    }
}
