package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.device.Backend;
import dev.stowage.device.DeviceType;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.RunException;
import dev.stowage.error.UnsupportedOpException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.TensorData;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.ScheduleRequest;
import dev.stowage.schedule.Scheduler;
import dev.stowage.schedule.Split;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.CallKind;
import dev.stowage.testkit.simulated.FaultKind;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** How a scheduler behaves over an accelerator and a processor. */
class SchedulerTest {

    private static final float[] INPUT = {1, -2, 0.5f, 3};

    private final SimulatedDevice gpuDevice =
            SimulatedDevice.named("gpu").memoryLimit(1 << 20).build();
    private final SimulatedDevice cpuDevice = SimulatedDevice.named("cpu")
            .type(DeviceType.CPU)
            .hostMemory()
            .async(false)
            .events(false)
            .build();
    private final Backend gpu = gpuDevice.open();
    private final Backend cpu = cpuDevice.open();
    private final Chain chain = Chain.of(gpu, cpu, gpu);
    private final Scheduler scheduler = Scheduler.over(List.of(gpu, cpu));

    @AfterEach
    void closeAll() {
        scheduler.close();
        gpu.close();
        cpu.close();
        chain.close();
    }

    private BoundSchedule runChain(Scheduler used) {
        return runChain(used.bind(chain.graph()));
    }

    private BoundSchedule runChain(BoundSchedule bound) {
        chain.writeWeights();
        TensorData.setFloats(bound.tensor(chain.x()), INPUT);
        bound.run();
        return bound;
    }

    private void isRight(BoundSchedule bound) {
        float[] found = TensorData.getFloats(bound.tensor(chain.y()));
        double[] expected = chain.expected(INPUT);
        for (int i = 0; i < expected.length; i++) {
            assertThat((double) found[i]).isCloseTo(expected[i], within(1e-6));
        }
    }

    private static Graph large() {
        GraphBuilder ops = new GraphBuilder();
        return ops.build(ops.sqr(ops.scale(ops.input("big", ElementType.F32, 1 << 20), 2))
                .asOutput());
    }

    @Test
    void runsAGraphOverItsDevices() {
        isRight(runChain(scheduler));
    }

    @Test
    void runsAGraphAgainWithoutBindingItAgain() {
        BoundSchedule bound = runChain(scheduler);
        TensorData.setFloats(bound.tensor(chain.x()), 0, 0, 0, 0);
        bound.run();
        assertThat(TensorData.getFloats(bound.tensor(chain.y()))).containsOnly(0);
        isRight(runChain(bound));
    }

    @Test
    void runsGraphsThatAreBoundSideBySide() {
        BoundSchedule first = scheduler.bind(chain.graph());
        BoundSchedule second = scheduler.bind(chain.graph());
        for (int round = 0; round < 3; round++) {
            isRight(runChain(first));
            isRight(runChain(second));
        }
    }

    @Test
    void runsAGraphThatAnotherSchedulerHasBoundToo() {
        try (Scheduler other = Scheduler.over(List.of(gpu, cpu))) {
            BoundSchedule here = scheduler.bind(chain.graph());
            BoundSchedule there = other.bind(chain.graph());
            for (int round = 0; round < 3; round++) {
                isRight(runChain(here));
                isRight(runChain(there));
            }
        }
    }

    @Test
    void theBackendsStayOpenWhenItIsClosed() {
        scheduler.close();
        assertThat(gpu.isClosed()).isFalse();
        assertThat(cpu.isClosed()).isFalse();
    }

    @Test
    void closingGivesBackMemoryAndEvents() {
        int buffers = gpuDevice.openBuffers();
        Scheduler pipelined =
                Scheduler.over(List.of(gpu, cpu), ScheduleOptions.defaults().withPipeline());
        runChain(pipelined);
        assertThat(gpuDevice.openBuffers()).isGreaterThan(buffers);
        assertThat(gpuDevice.openEvents()).isEqualTo(ScheduleOptions.DEFAULT_PIPELINE);
        pipelined.close();
        assertThat(gpuDevice.openBuffers()).isEqualTo(buffers);
        assertThat(gpuDevice.openEvents()).isZero();
    }

    @Test
    void closingTwiceIsFine() {
        scheduler.close();
        assertThatCode(scheduler::close).doesNotThrowAnyException();
    }

    @Test
    void aClosedOneRefusesEverything() {
        BoundSchedule bound = scheduler.bind(chain.graph());
        scheduler.close();
        for (Runnable call : List.<Runnable>of(
                () -> scheduler.measure(chain.graph()),
                () -> scheduler.reserve(chain.graph()),
                () -> scheduler.bind(chain.graph()),
                () -> scheduler.rebind(bound, chain.graph()),
                scheduler::synchronize)) {
            assertThatExceptionOfType(ClosedException.class)
                    .isThrownBy(call::run)
                    .withMessageContaining("scheduler is closed");
        }
    }

    @Test
    void whatItHasBoundRefusesToRunOnceItIsClosed() {
        BoundSchedule bound = runChain(scheduler);
        scheduler.close();
        for (Runnable call :
                List.<Runnable>of(bound::run, bound::runAsync, bound::advance, () -> bound.tensor(chain.x()))) {
            assertThatExceptionOfType(ClosedException.class).isThrownBy(call::run);
        }
        assertThatCode(bound::close).doesNotThrowAnyException();
    }

    @Test
    void refusesABackendOfOthers() {
        try (Backend other = gpuDevice.open()) {
            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> scheduler.numberOf(other))
                    .withMessageContaining("'gpu' is not one this scheduler was made with");
        }
    }

    @Test
    void anEventThatCannotBeMadeLeavesNoneOpen() {
        gpuDevice.faults().fail(CallKind.EVENT, 3, FaultKind.FAILURE);
        assertThatThrownBy(() -> Scheduler.over(
                        List.of(gpu, cpu), ScheduleOptions.defaults().withPipeline()))
                .hasMessageContaining("injected fault");
        assertThat(gpuDevice.openEvents()).isZero();
    }

    @Nested
    class Planning {

        @Test
        void measuringTakesNoMemory() {
            long before = gpuDevice.openBytes();
            Schedule measured = scheduler.measure(chain.graph());
            assertThat(measured.computeSize(0)).isPositive();
            assertThat(gpuDevice.openBytes()).isEqualTo(before);
            assertThat(scheduler.bufferSize(gpu)).isZero();
            assertThat(chain.y().isPlaced()).isFalse();
        }

        @Test
        void reservingTakesWhatMeasuringSaysAndMovesNothing() {
            Schedule measured = scheduler.measure(chain.graph());
            scheduler.reserve(chain.graph());
            assertThat(scheduler.bufferSize(gpu)).isEqualTo(measured.computeSize(0));
            assertThat(scheduler.bufferSize(cpu)).isEqualTo(measured.computeSize(1));
            assertThat(chain.y().isPlaced()).isFalse();
        }

        @Test
        void bindingWhatWasReservedTakesNoMore() {
            scheduler.reserve(chain.graph());
            long calls = gpuDevice.faults().calls(CallKind.ALLOCATE);
            isRight(runChain(scheduler));
            assertThat(gpuDevice.faults().calls(CallKind.ALLOCATE)).isEqualTo(calls);
        }

        @Test
        void theSameGraphTwiceGivesTheSameAnswer() {
            Schedule first = scheduler.measure(chain.graph());
            scheduler.bind(chain.graph());
            Schedule second = scheduler.measure(chain.graph());
            assertThat(second.explain()).isEqualTo(first.explain());
            assertThat(second.splits().stream().map(Split::firstNode))
                    .isEqualTo(first.splits().stream().map(Split::firstNode).toList());
            assertThat(second.plan().bufferSize(0)).isEqualTo(first.plan().bufferSize(0));
        }

        @Test
        void theGraphAndItsTensorsStayAsTheyAre() {
            Graph graph = chain.graph();
            String before = graph.dump();
            List<List<Tensor>> sources = sources(graph);
            runChain(scheduler);
            scheduler.bind(graph);
            assertThat(graph.dump()).isEqualTo(before);
            assertThat(sources(graph)).isEqualTo(sources);
            assertThat(chain.x().isInput()).isTrue();
            assertThat(chain.x().isOutput()).isFalse();
            assertThat(chain.x().isPlaced()).isFalse();
            assertThat(chain.y().isPlaced()).isFalse();
        }

        private static List<List<Tensor>> sources(Graph graph) {
            return graph.nodes().stream()
                    .map(node -> IntStream.range(0, node.sourceCount())
                            .mapToObj(node::source)
                            .toList())
                    .toList();
        }

        @Test
        void aReserveThatFailsKeepsWhatThereWas() {
            BoundSchedule bound = runChain(scheduler);
            long bytes = gpuDevice.openBytes();
            Graph tooLarge = large();
            ScheduleRequest request =
                    scheduler.request(tooLarge).assign(tooLarge.node(0), 0).assign(tooLarge.node(1), 0);
            assertThatThrownBy(() -> scheduler.reserve(request)).isInstanceOf(AllocationException.class);
            assertThat(gpuDevice.openBytes()).isEqualTo(bytes);
            isRight(runChain(bound));
        }

        @Test
        void aBindThatFailsKeepsWhatWasBound() {
            BoundSchedule bound = runChain(scheduler);
            Graph tooLarge = large();
            ScheduleRequest request = scheduler.request(tooLarge).assign(tooLarge.node(0), 0);
            assertThatThrownBy(() -> scheduler.bind(request)).isInstanceOf(AllocationException.class);
            assertThatThrownBy(() -> scheduler.rebind(bound, request)).isInstanceOf(AllocationException.class);
            isRight(runChain(bound));
        }

        @Test
        void anOpThatNoDeviceRunsIsNamedWithTheReasonOfEach() {
            SimulatedDevice narrow = SimulatedDevice.named("narrow")
                    .hostMemory()
                    .supporting(EnumSet.of(Op.MUL_MAT))
                    .build();
            try (Backend last = narrow.open();
                    Chain onNarrow = Chain.of(last);
                    Scheduler over = Scheduler.over(List.of(last))) {
                assertThatExceptionOfType(UnsupportedOpException.class)
                        .isThrownBy(() -> over.bind(onNarrow.graph()))
                        .satisfies(refused -> {
                            assertThat(refused.node())
                                    .contains("'silu0' (UNARY f32[4])", "'product0' (MUL_MAT f32[4])");
                            assertThat(refused.refusals()).containsOnlyKeys("narrow");
                            assertThat(refused.refusals().get("narrow")).contains("was made without UNARY");
                            assertThat(refused).hasMessageContainingAll("silu0", "narrow", "made without UNARY");
                        });
            }
        }
    }

    @Nested
    class Assigning {

        @Test
        void aTensorIsWhereTheCallerWantsIt() {
            for (Backend wanted : List.of(gpu, cpu)) {
                BoundSchedule bound = scheduler.bind(assigned("silu0", wanted));
                assertThat(bound.backendOf(chain.node("silu0"))).isEqualTo(wanted);
                isRight(runChain(bound));
            }
        }

        private ScheduleRequest assigned(String name, Backend backend) {
            return scheduler.request(chain.graph()).assign(chain.node(name), scheduler.numberOf(backend));
        }

        @Test
        void anAssignmentIsPartOfItsRequestAlone() {
            BoundSchedule before = scheduler.bind(chain.graph());
            Backend own = before.backendOf(chain.node("silu0"));
            Backend other = own.equals(cpu) ? gpu : cpu;
            BoundSchedule assigned = scheduler.bind(assigned("silu0", other));
            BoundSchedule after = scheduler.bind(chain.graph());
            assertThat(assigned.backendOf(chain.node("silu0"))).isEqualTo(other);
            assertThat(before.backendOf(chain.node("silu0"))).isEqualTo(own);
            assertThat(after.backendOf(chain.node("silu0"))).isEqualTo(own);
            for (BoundSchedule bound : List.of(assigned, before, after)) {
                isRight(runChain(bound));
            }
        }

        @Test
        void measuringReservingAndBindingSeeTheSame() {
            ScheduleRequest request = assigned("silu1", gpu);
            Schedule measured = scheduler.measure(request);
            Schedule reserved = scheduler.reserve(request);
            BoundSchedule bound = scheduler.bind(request);
            assertThat(bound.backendOf(chain.node("silu1"))).isEqualTo(gpu);
            assertThat(reserved.explain()).isEqualTo(measured.explain());
            assertThat(bound.schedule().explain()).isEqualTo(measured.explain());
            assertThat(scheduler.bufferSize(gpu)).isEqualTo(measured.computeSize(0));
        }

        @Test
        void bindingAnewWithoutThemTakesThemBack() {
            Backend before = scheduler.bind(chain.graph()).backendOf(chain.node("silu0"));
            BoundSchedule assigned = scheduler.bind(assigned("silu0", before.equals(cpu) ? gpu : cpu));
            BoundSchedule anew = scheduler.rebind(assigned, chain.graph());
            assertThat(anew.backendOf(chain.node("silu0"))).isEqualTo(before);
            isRight(runChain(anew));
        }
    }

    @Nested
    class AfterAFailure {

        @Test
        void itNamesSplitDeviceAndNode() {
            BoundSchedule bound = scheduler.bind(chain.graph());
            gpuDevice.faults().fail(CallKind.COMPUTE, 1, FaultKind.FAILURE);
            assertThatExceptionOfType(RunException.class)
                    .isThrownBy(() -> runChain(bound))
                    .satisfies(failure -> {
                        assertThat(failure.split()).isZero();
                        assertThat(failure.device()).isEqualTo("gpu");
                        assertThat(failure.node()).contains("'product0' (MUL_MAT f32[4])");
                    })
                    .withMessageContainingAll("split 0 of ", "'gpu'", "product0", "injected fault");
            isRight(runChain(bound));
        }

        @Test
        void itIsReportedOnce() {
            BoundSchedule bound = scheduler.bind(chain.graph());
            gpuDevice.faults().fail(CallKind.COMPUTE, 1, FaultKind.FAILURE);
            assertThatThrownBy(() -> runChain(bound)).isInstanceOf(RunException.class);
            assertThatCode(scheduler::synchronize).doesNotThrowAnyException();
            assertThatCode(scheduler::close).doesNotThrowAnyException();
        }

        @Test
        void closingIgnoresAFailureThatNoCallerWaitedFor() {
            BoundSchedule bound = scheduler.bind(chain.graph());
            gpuDevice.faults().fail(CallKind.COMPUTE, 2, FaultKind.FAILURE);
            try {
                bound.runAsync();
            } catch (RunException _) {
                // It may be reported now or not at all.
            }
            assertThatCode(scheduler::close).doesNotThrowAnyException();
        }
    }
}
