package dev.stowage.schedule;

import static dev.stowage.schedule.Tensors.input;
import static dev.stowage.schedule.Tensors.mulMat;
import static dev.stowage.schedule.Tensors.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Capability;
import dev.stowage.graph.Graph;
import dev.stowage.schedule.ScheduleProgram.Action;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What runs of small graphs over two devices do, action by action. */
class ScheduleProgramTest {

    private static final ScheduleOptions PLAIN = ScheduleOptions.defaults();
    private static final ScheduleOptions PIPELINE = PLAIN.withPipeline(2);

    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final FakeDevice gpu = FakeDevice.called("gpu");

    private final Tensor token = input("token");
    private final Tensor a = mulMat("a", gpu.weight("weight"), token);
    private final Tensor b = node("b", a);
    private final Tensor c = mulMat("c", cpu.weight("other"), b);
    private final Graph graph = Graph.of(c);

    private List<String> program(ScheduleOptions options) {
        return program(graph, DeviceSet.of(gpu, cpu), options);
    }

    /** The actions of every split in order, as {@code split: action device input}. */
    private static List<String> program(Graph graph, DeviceSet devices, ScheduleOptions options) {
        ScheduleProgram program =
                Draft.of(ScheduleRequest.of(graph, devices, options)).program();
        List<String> actions = new ArrayList<>();
        for (Action action : program.actions()) {
            String input = action.input() == ScheduleProgram.NO_INPUT ? "" : " " + action.input();
            actions.add(action.split() + ": " + action.kind() + " " + devices.name(action.device()) + input);
        }
        return actions;
    }

    @Nested
    class WithoutEvents {

        @Test
        void theHostWaitsForADeviceBeforeItCopiesToIt() {
            assertThat(program(PLAIN))
                    .containsExactly(
                            "0: SYNCHRONIZE gpu",
                            "0: COPY_INPUT gpu 0",
                            "0: RUN gpu",
                            "1: SYNCHRONIZE cpu",
                            "1: COPY cpu 1",
                            "1: RUN cpu");
        }

        @Test
        void aPipelineDoesTheSame() {
            assertThat(program(PIPELINE)).isEqualTo(program(PLAIN));
        }

        @Test
        void eventsThatNoDeviceHasChangeNothing() {
            assertThat(program(PLAIN.withEvents())).isEqualTo(program(PLAIN));
        }

        @Test
        void aDeviceOfItsOwnMemoryIsWaitedForByNoOther() {
            List<String> before = program(PLAIN);
            gpu.having(Capability.ASYNC);

            assertThat(program(PLAIN)).isEqualTo(before);
        }

        @Test
        void aSplitWaitsForDevicesThatReachForTheSameMemory() {
            gpu.having(Capability.ASYNC);
            cpu.readingMemoryOf(gpu);

            assertThat(program(PLAIN)).contains("1: SYNCHRONIZE gpu").doesNotContain("1: COPY cpu 1");
        }

        @Test
        void aSplitWaitsForDevicesAtWorkInTheMemoryThatItsInputsAreCopiedFrom() {
            gpu.having(Capability.ASYNC);
            cpu.readingMemoryOf(gpu);

            assertThat(program(PLAIN))
                    .startsWith("0: SYNCHRONIZE gpu", "0: SYNCHRONIZE gpu", "0: COPY_INPUT gpu 0", "0: RUN gpu");
        }
    }

    @Nested
    class OfADeviceWithEvents {

        private ScheduleProgramTest having() {
            gpu.having(Capability.ASYNC, Capability.EVENTS);
            return ScheduleProgramTest.this;
        }

        @Test
        void aRunWithoutAPipelineDoesNotUseThemAsGgmlDoesNot() {
            List<String> before = program(PLAIN);

            assertThat(having().program(PLAIN)).isEqualTo(before);
        }

        @Test
        void aPipelineRecordsAnEventAfterEverySplitAndWaitsForIt() {
            assertThat(having().program(PIPELINE))
                    .containsExactly(
                            "0: WAIT_EVENT gpu",
                            "0: COPY_INPUT gpu 0",
                            "0: RUN gpu",
                            "0: RECORD_EVENT gpu",
                            "1: SYNCHRONIZE cpu",
                            "1: COPY cpu 1",
                            "1: RUN cpu");
        }

        @Test
        void aRunWithEventsAlwaysDoesWhatAPipelineDoes() {
            assertThat(having().program(PLAIN.withEvents())).isEqualTo(program(PIPELINE));
        }
    }

    @Nested
    class OfTwoDevicesWithEvents {

        private final FakeDevice second = FakeDevice.called("second");
        private final Tensor far = mulMat("far", second.weight("third"), b);
        private final DeviceSet devices = DeviceSet.of(gpu, second, cpu);

        private List<String> copying(ScheduleOptions options) {
            gpu.having(Capability.ASYNC, Capability.EVENTS);
            second.having(Capability.ASYNC, Capability.EVENTS).copyingAsyncFrom(gpu);
            return program(Graph.of(far), devices, options);
        }

        @Test
        void anInputCopyHasTheHostWaitWithoutThem() {
            assertThat(copying(PLAIN))
                    .containsExactly(
                            "0: SYNCHRONIZE gpu",
                            "0: COPY_INPUT gpu 0",
                            "0: RUN gpu",
                            "1: SYNCHRONIZE second",
                            "1: COPY second 1",
                            "1: RUN second");
        }

        @Test
        void anInputCopyHasTheDeviceWaitAndNotTheHost() {
            List<String> expected = List.of(
                    "0: WAIT_EVENT gpu",
                    "0: COPY_INPUT gpu 0",
                    "0: RUN gpu",
                    "0: RECORD_EVENT gpu",
                    "1: AWAIT_EVENT second",
                    "1: COPY second 1",
                    "1: RUN second",
                    "1: RECORD_EVENT second");

            assertThat(copying(PIPELINE)).isEqualTo(expected);
            assertThat(copying(PLAIN.withEvents()))
                    .as("the event of the producer moves past the copy: its memory may be used again in the same run")
                    .containsExactly(
                            "0: WAIT_EVENT gpu",
                            "0: COPY_INPUT gpu 0",
                            "0: RUN gpu",
                            "0: RECORD_EVENT gpu",
                            "1: AWAIT_EVENT second",
                            "1: COPY second 1",
                            "1: RECORD_EVENT gpu",
                            "1: RUN second",
                            "1: RECORD_EVENT second");
        }
    }

    @Test
    void aSplitWithoutInputsWaitsForTheOneBefore() {
        Tensor onGpu = mulMat("onGpu", gpu.weight("first"), gpu.cache("cache"));
        Tensor onCpu = mulMat("onCpu", cpu.weight("second"), cpu.cache("more"));
        Graph independent = Graph.of(onGpu, onCpu);

        assertThat(program(independent, DeviceSet.of(gpu, cpu), PLAIN))
                .containsExactly("0: RUN gpu", "1: SYNCHRONIZE gpu", "1: RUN cpu");
        gpu.having(Capability.ASYNC, Capability.EVENTS);
        assertThat(program(independent, DeviceSet.of(gpu, cpu), PIPELINE))
                .containsExactly("0: RUN gpu", "0: RECORD_EVENT gpu", "1: WAIT_EVENT gpu", "1: RUN cpu");
    }

    @Test
    void aSplitWithoutInputsWaitsForNoDeviceWithEventsAlwaysWhereNoMemoryIsShared() {
        Tensor onGpu = mulMat("onGpu", gpu.weight("first"), gpu.cache("cache"));
        Tensor onCpu = mulMat("onCpu", cpu.weight("second"), cpu.cache("more"));
        Graph independent = Graph.of(onGpu, onCpu);
        gpu.having(Capability.ASYNC, Capability.EVENTS);

        assertThat(program(independent, DeviceSet.of(gpu, cpu), PLAIN.withEvents()))
                .containsExactly("0: RUN gpu", "0: RECORD_EVENT gpu", "1: RUN cpu");
        cpu.readingMemoryOf(gpu);
        Tensor reading = mulMat("reading", gpu.weight("third"), gpu.cache("other"));
        Tensor after = mulMat("after", cpu.weight("fourth"), reading);
        assertThat(program(Graph.of(reading, after), DeviceSet.of(gpu, cpu), PLAIN.withEvents()))
                .contains("1: SYNCHRONIZE gpu");
    }

    @Test
    void oneDeviceRunsEverythingInOneGo() {
        Tensor alone = node("alone", Tensors.leaf("x"));

        assertThat(program(Graph.of(alone), DeviceSet.of(cpu), PLAIN)).containsExactly("0: RUN cpu");
    }

    @Test
    void theActionsOfASplitAreThoseOfTheWholeThatBelongToIt() {
        ScheduleProgram program =
                Draft.of(ScheduleRequest.of(graph, DeviceSet.of(gpu, cpu))).program();
        List<Action> joined = new ArrayList<>(program.actions(0));
        joined.addAll(program.actions(1));

        assertThat(program.splitCount()).isEqualTo(2);
        assertThat(program.actions()).isEqualTo(joined);
        assertThat(program.actions(1)).allMatch(action -> action.split() == 1);
    }
}
