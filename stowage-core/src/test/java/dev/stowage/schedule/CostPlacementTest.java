package dev.stowage.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.cost.CostModel;
import dev.stowage.schedule.cost.LinkRate;
import dev.stowage.schedule.cost.OpRate;
import dev.stowage.schedule.cost.PredictedGain;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Where a graph of a few nodes goes by cost: unless said otherwise a node takes 1000 ns on the processor and 10 on the
 * accelerator, and a copy 100.
 */
class CostPlacementTest {

    private static final CostModel COSTS = CostModel.builder()
            .device("gpu", new OpRate(10, 0, 0))
            .device("cpu", new OpRate(1000, 0, 0))
            .link("gpu", "cpu", new LinkRate(100, 1e12))
            .build();

    private final FakeDevice gpu = FakeDevice.called("gpu");
    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final DeviceSet devices = DeviceSet.of(gpu, cpu);
    private final Tensor weight = cpu.weight("weight");
    private final Tensor x = Tensors.input("x");
    private final Tensor product = Tensors.mulMat("product", weight, x);
    private final Tensor result = Tensors.node("result", Op.SOFT_MAX, product);

    private Schedule schedule(Graph graph, Map<String, Long> limits, Map<Tensor, Integer> assignments) {
        ScheduleOptions options = ScheduleOptions.defaults().withPlacement(Placement.cost(COSTS, limits));
        return Schedule.of(new ScheduleRequest(graph, devices, options, assignments));
    }

    private Schedule schedule(Tensor... roots) {
        return schedule(Graph.of(roots), Map.of(), Map.of());
    }

    @Test
    void movesNodesAndBringsTheirWeightsWhereThatTakesLess() {
        Schedule schedule = schedule(result);

        assertThat(schedule.deviceOf(product)).isZero();
        assertThat(schedule.deviceOf(result)).isZero();
        assertThat(schedule.gain()).contains(new PredictedGain(2 * 10 + 2 * 101, 2 * 1000));
    }

    @Test
    void saysWhyAndWhatItGains() {
        Schedule schedule = schedule(result);

        assertThat(schedule.reasonOf(product).rule()).isEqualTo(Rule.CHEAPEST);
        assertThat(schedule.reasonOf(weight).rule()).isEqualTo(Rule.STORED_THERE);
        assertThat(schedule.explain())
                .contains("predicted 0.000 ms a run (ggml's placement: 0.002 ms)")
                .contains("COST: predicted to take the least time there");
    }

    @Test
    void predictsTheSameAsWhatItWasChosenBy() {
        Schedule schedule = schedule(result);

        assertThat(schedule.predictedNanos(COSTS))
                .isEqualTo(2 * 101 + 2 * 10)
                .isEqualTo(schedule.gain().orElseThrow().nanos());
    }

    @Test
    void leavesEverythingWhereGgmlHasItIfNothingIsGained() {
        Tensor there = Tensors.node("there", Op.SOFT_MAX, Tensors.mulMat("near", gpu.weight("own"), x));
        Schedule schedule = schedule(there);

        Schedule ggml = Schedule.of(ScheduleRequest.of(Graph.of(there), devices));
        assertThat(IntStream.range(0, schedule.graph().size()).map(schedule.assignment()::device))
                .containsExactly(IntStream.range(0, ggml.graph().size())
                        .map(ggml.assignment()::device)
                        .boxed()
                        .toArray(Integer[]::new));
        assertThat(schedule.gain().orElseThrow().speedup()).isEqualTo(1);
    }

    @Test
    void leavesWhatTheCallerAssigned() {
        Schedule schedule = schedule(Graph.of(result), Map.of(), Map.of(product, 1));

        assertThat(schedule.deviceOf(product)).isEqualTo(1);
        assertThat(schedule.reasonOf(product).rule()).isEqualTo(Rule.CALLER);
        assertThat(schedule.deviceOf(result)).isZero();
    }

    @Test
    void leavesNodesThatTheOtherDeviceDoesNotRun() {
        gpu.refusing(Op.MUL_MAT);
        Schedule schedule = schedule(result);

        assertThat(schedule.deviceOf(product)).isEqualTo(1);
        assertThat(schedule.deviceOf(result)).isZero();
    }

    @Test
    void viewsGoWithWhatTheyAreViewsOf() {
        Tensor view = Tensors.view("view", product);
        Schedule schedule = schedule(Tensors.node("reader", Op.SOFT_MAX, view));

        assertThat(schedule.deviceOf(view)).isZero();
        assertThat(schedule.reasonOf(view)).isEqualTo(new Reason(Rule.WITH_VIEW_SOURCE, Optional.of(product)));
    }

    @Test
    void whatIsWrittenIntoACacheIsComputedWhereTheCacheIsReached() {
        Tensor written = Tensors.copyInto("written", product, cpu.cache("cache"));
        Schedule schedule = schedule(written);

        assertThat(schedule.deviceOf(written)).isEqualTo(1);
    }

    @Test
    void aNodeThatWorksInPlaceGoesWithWhatItOverwrites() {
        Tensor written = Tensors.copyInto("written", Tensors.node("other", Op.SOFT_MAX, x), product);
        gpu.refusing(Op.CPY);
        Schedule schedule = schedule(written);

        assertThat(schedule.deviceOf(written)).isEqualTo(1);
        assertThat(schedule.deviceOf(product)).isEqualTo(1);
    }

    @Test
    void keepsToTheMemoryThatIsStated() {
        long plenty = schedule(result).computeSize(0);
        Schedule less = schedule(Graph.of(result), Map.of("gpu", plenty - 1), Map.of());
        Schedule none = schedule(Graph.of(result), Map.of("gpu", 0L), Map.of());

        assertThat(less.computeSize(0)).isLessThan(plenty);
        assertThat(none.computeSize(0)).isZero();
        assertThat(none.deviceOf(result)).isEqualTo(1);
    }

    @Test
    void findsRoomWhereGgmlHasNone() {
        Tensor near = Tensors.mulMat("near", gpu.weight("own"), x);
        Schedule schedule = schedule(Graph.of(near), Map.of("gpu", 0L), Map.of());

        assertThat(schedule.deviceOf(near)).isEqualTo(1);
        assertThat(schedule.computeSize(0)).isZero();
    }

    @Test
    void givesTheSameEveryTime() {
        assertThat(schedule(result).explain()).isEqualTo(schedule(result).explain());
    }
}
