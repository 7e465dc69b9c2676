package dev.stowage.schedule;

import static dev.stowage.schedule.Tensors.input;
import static dev.stowage.schedule.Tensors.leaf;
import static dev.stowage.schedule.Tensors.mulMat;
import static dev.stowage.schedule.Tensors.node;
import static dev.stowage.schedule.Tensors.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.device.Backend;
import dev.stowage.device.Capability;
import dev.stowage.error.DeviceException;
import dev.stowage.error.InvalidGraphException;
import dev.stowage.error.RunException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferUsage;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Storage;
import dev.stowage.tensor.Tensor;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class BoundScheduleTest {

    private static final ScheduleOptions PIPELINE = ScheduleOptions.defaults().withPipeline(3);

    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final FakeDevice gpu = FakeDevice.called("gpu");
    private final DeviceSet devices = DeviceSet.of(gpu, cpu);
    private final FakeDevice.FakeBackend onGpu = gpu.open();
    private final FakeDevice.FakeBackend onCpu = cpu.open();
    private final List<Backend> backends = List.of(onGpu, onCpu);
    private final GraphAllocator allocator =
            GraphAllocator.on(devices.bufferTypes(), ScheduleOptions.defaults().planner());

    private final Tensor token = input("token");
    private final Tensor weight = gpu.weight("weight");
    private final Tensor a = mulMat("a", weight, token);
    private final Tensor b = node("b", a);
    private final Tensor c = mulMat("c", cpu.weight("other"), b);
    private final Graph graph = Graph.of(c);

    @AfterEach
    void giveBack() {
        allocator.close();
        onGpu.close();
        onCpu.close();
    }

    private BoundSchedule bind(ScheduleOptions options, int turn) {
        return BoundSchedule.of(ScheduleRequest.of(graph, devices, options), backends, allocator, turn, () -> {});
    }

    private BoundSchedule bind() {
        return bind(ScheduleOptions.defaults(), 0);
    }

    @Test
    void hasAPlaceForEverything() {
        BoundSplit[] splits = bind().splits(0);

        assertThat(graph.nodes()).allMatch(Tensor::isPlaced);
        assertThat(graph.leaves()).allMatch(Tensor::isPlaced);
        for (BoundSplit split : splits) {
            for (int input = 0; input < split.inputCount(); input++) {
                assertThat(split.input(input).copy().isPlaced()).isTrue();
            }
        }
    }

    @Test
    void hasResultsLieInTheMemoryOfTheirDevice() {
        bind();

        assertThat(a.storage().name()).isEqualTo(gpu.bufferType().name());
        assertThat(c.storage().name()).isEqualTo(cpu.bufferType().name());
        assertThat(token.storage().name()).isEqualTo(cpu.bufferType().name());
    }

    @Test
    void hasSplitsWithTheirBackendsAndWhatTheyBringOver() {
        BoundSplit[] splits = bind().splits(0);

        assertThat(splits).hasSize(2);
        assertThat(splits[0].backend()).isSameAs(onGpu);
        assertThat(splits[1].backend()).isSameAs(onCpu);
        assertThat(splits[0].input(0).source()).isSameAs(token);
        assertThat(splits[0].input(0).isInput()).isTrue();
        assertThat(splits[0].input(0).producer()).isSameAs(onCpu);
        assertThat(splits[1].input(0).source()).isSameAs(b);
        assertThat(splits[1].input(0).isInput()).isFalse();
        assertThat(splits[1].input(0).producer()).isSameAs(onGpu);
    }

    @Test
    void preparesASplitOnceForManyRuns() {
        BoundSplit split = bind().splits(0)[0];
        split.computeAsync();
        split.computeAsync();

        assertThat(onGpu.handedIn()).containsExactly(split.graph(), split.graph());
        assertThat(onGpu.prepared()).isEqualTo(1);
    }

    @Test
    void givesBackWhatWasPrepared() {
        BoundSchedule bound = bind();
        bound.splits(0)[0].computeAsync();
        bound.close();
        bound.close();

        assertThat(onGpu.closedPreparations()).isEqualTo(1);
    }

    @Test
    void waitsForNobodyWhereEachDeviceHasMemoryOfItsOwn() {
        gpu.having(Capability.ASYNC);
        BoundSplit[] splits = bind().splits(0);

        assertThat(splits[0].waits()).isEmpty();
        assertThat(splits[1].waits()).isEmpty();
    }

    @Test
    void waitsForDevicesThatReachForTheSameMemory() {
        gpu.having(Capability.ASYNC);
        cpu.readingMemoryOf(gpu);

        assertThat(bind().splits(0)[1].waits()).containsExactly(0);
    }

    @Test
    void waitsForDevicesAtWorkInTheMemoryThatItsInputsAreCopiedFrom() {
        gpu.having(Capability.ASYNC);
        cpu.readingMemoryOf(gpu);
        BoundSplit copying = bind().splits(0)[0];

        assertThat(copying.input(0).producer()).isSameAs(onCpu);
        assertThat(copying.waits()).containsExactly(0);
    }

    @Nested
    class ServesAGraph {

        @Test
        void thatIsTheSameWithEverythingWhereItWas() {
            assertThat(bind().serves(graph, Map.of())).isTrue();
        }

        @Test
        void notThatIsAnother() {
            assertThat(bind().serves(Graph.of(c), Map.of())).isFalse();
        }

        @Test
        void notIfTheCallerAssignsOtherwise() {
            assertThat(bind().serves(graph, Map.of(b, 1))).isFalse();
        }

        @Test
        void notIfAWeightHasMovedToOtherMemory() {
            BoundSchedule bound = bind();
            FakeDevice.place(weight, cpu.bufferType(), BufferUsage.WEIGHTS);

            assertThat(bound.serves(graph, Map.of())).isFalse();
        }

        @Test
        void notIfAnInputWasGivenMemoryOfItsOwn() {
            BoundSchedule bound = bind();
            FakeDevice.place(token, cpu.bufferType(), BufferUsage.ANY);

            assertThat(bound.serves(graph, Map.of())).isFalse();
        }
    }

    @Nested
    class InAPipeline {

        @Test
        void everyRunInFlightHasTheSameSplitsWithCopiesOfItsOwn() {
            BoundSchedule bound = bind(PIPELINE, 0);
            Set<Tensor> copies = new HashSet<>();
            for (int turn = 0; turn < 3; turn++) {
                copies.add(bound.splits(turn)[1].input(0).copy());
            }

            assertThat(copies).hasSize(3);
        }

        @Test
        void theSplitsOfARunAreMadeOnce() {
            BoundSchedule bound = bind(PIPELINE, 1);

            assertThat(bound.splits(2)).isSameAs(bound.splits(2));
            assertThat(bound.splits(1)).isSameAs(bound.splits(1));
        }

        @Test
        void theInputTakesPlacesInTurn() {
            BoundSchedule bound = bind(PIPELINE, 0);
            Set<Long> places = new HashSet<>();
            for (int turn = 0; turn < 3; turn++) {
                bound.turnInputs(turn);
                places.add(token.storageOffset());
            }

            assertThat(places).hasSize(3);
        }

        @Test
        void theGraphOfARunReadsTheCopiesOfThatRun() {
            BoundSchedule bound = bind(PIPELINE, 2);
            BoundSplit split = bound.splits(2)[1];
            Graph run = split.graph();

            assertThat(run.tensor(run.sourceAt(run.firstSlot(0) + 1)))
                    .isSameAs(split.input(0).copy());
        }
    }

    @Nested
    class ReorderedByItsDevice {

        private final Tensor x = leaf("x");
        private final Tensor p = mulMat("p", weight, x);
        private final Tensor q = node("q", Op.SQR, x);
        private final Graph pair = Graph.of(p, q);

        private BoundSchedule bindPair() {
            return BoundSchedule.of(ScheduleRequest.of(pair, devices), backends, allocator, 0, () -> {});
        }

        @Test
        void runsInThatOrder() {
            gpu.likingOrder(graph -> graph.inOrder(1, 0));
            BoundSchedule bound = bindPair();

            assertThat(bound.splits(0)[0].graph().nodes()).containsExactly(q, p);
            assertThat(bound.schedule().plan().graph().nodes()).containsExactly(q, p);
            assertThat(bound.schedule().graph().nodes()).containsExactly(p, q);
        }

        @Test
        void mustKeepAllNodes() {
            gpu.likingOrder(graph -> graph.slice(0, 1));

            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(this::bindPair)
                    .withMessageContainingAll("gpu", "2", "1");
        }
    }

    /** The same computation built anew, as a language model does for every token. */
    @Nested
    class ATwin {

        private final Tensor newToken = input("token");
        private final Tensor newA = mulMat("a", weight, newToken);
        private final Tensor newB = node("b", newA);
        private final Tensor newC = mulMat("c", c.source(0), newB);
        private final Graph twin = Graph.of(newC);

        @Test
        void isServed() {
            assertThat(bind().servesTwin(twin, Map.of())).isTrue();
        }

        @Test
        void isNotServedIfAnOpIsAnother() {
            Tensor other = mulMat("c", c.source(0), node("b", Op.SET_ROWS, newA));

            assertThat(bind().servesTwin(Graph.of(other), Map.of())).isFalse();
        }

        @Test
        void isNotServedIfAnInputIsLarger() {
            Tensor larger = leaf("token", 2 * Tensors.FLOATS).asInput();
            Tensor other = mulMat("c", c.source(0), node("b", mulMat("a", weight, larger)));

            assertThat(bind().servesTwin(Graph.of(other), Map.of())).isFalse();
        }

        @Test
        void isNotServedIfSomethingIsMarkedOtherwise() {
            newB.asOutput();

            assertThat(bind().servesTwin(Graph.of(newC), Map.of())).isFalse();
        }

        @Test
        void isNotServedIfAWeightLiesInAnotherKindOfMemory() {
            Tensor other = mulMat("c", c.source(0), node("b", mulMat("a", cpu.weight("weight"), newToken)));

            assertThat(bind().servesTwin(Graph.of(other), Map.of())).isFalse();
        }

        @Test
        void isServedIfAWeightIsAnotherInTheSameKindOfMemory() {
            Tensor other = mulMat("c", c.source(0), node("b", mulMat("a", gpu.weight("weight"), newToken)));

            assertThat(bind().servesTwin(Graph.of(other), Map.of())).isTrue();
        }

        @Test
        void isNotServedIfItsCacheIsAWeightHere() {
            Tensor other = mulMat("c", c.source(0), node("b", mulMat("a", gpu.cache("weight"), newToken)));

            assertThat(bind().servesTwin(Graph.of(other), Map.of())).isFalse();
        }

        @Test
        void isNotServedIfTheCallerAssignsSomething() {
            assertThat(bind().servesTwin(twin, Map.of(newB, 1))).isFalse();
        }

        @Test
        void hasPlacesForItsOwnTensorsWhereTheOthersWere() {
            BoundSchedule served = bind().forTwin(twin, allocator, 0, () -> {});

            assertThat(served.schedule().graph()).isSameAs(twin);
            assertThat(twin.nodes()).allMatch(Tensor::isPlaced);
            assertThat(newToken.liesAt(token.storage(), token.storageOffset())).isTrue();
            assertThat(newC.liesAt(c.storage(), c.storageOffset())).isTrue();
        }

        @Test
        void isScheduledAsIfFromNothing() {
            BoundSchedule served = bind().forTwin(twin, allocator, 0, () -> {});
            Schedule fresh = Schedule.of(ScheduleRequest.of(twin, devices));

            assertThat(served.schedule().explain()).isEqualTo(fresh.explain());
            assertThat(served.schedule().reasonOf(newA).because()).containsSame(weight);
            assertThat(served.schedule().reasonOf(newB).because()).containsSame(newA);
        }

        @Test
        void runsItsOwnNodesAndBringsOverItsOwnTensors() {
            BoundSplit[] splits = bind().forTwin(twin, allocator, 0, () -> {}).splits(0);

            assertThat(splits[0].graph().nodes()).containsExactly(newA, newB);
            assertThat(splits[1].graph().nodes()).containsExactly(newC);
            assertThat(splits[0].input(0).source()).isSameAs(newToken);
            assertThat(splits[1].input(0).source()).isSameAs(newB);
            Graph run = splits[1].graph();
            assertThat(run.tensor(run.sourceAt(run.firstSlot(0) + 1)))
                    .isSameAs(splits[1].input(0).copy());
        }

        @Test
        void takesOverWhatWasPrepared() {
            BoundSchedule bound = bind();
            bound.splits(0)[0].computeAsync();
            BoundSchedule served = bound.forTwin(twin, allocator, 0, () -> {});
            bound.close();
            served.splits(0)[0].computeAsync();

            assertThat(onGpu.prepared()).isEqualTo(1);
            assertThat(onGpu.closedPreparations()).isZero();
            assertThat(onGpu.handedIn().getLast().nodes()).containsExactly(newA, newB);
        }

        @Test
        void takesPlacesInTurnInAPipeline() {
            BoundSchedule served = bind(PIPELINE, 0).forTwin(twin, allocator, 1, () -> {});
            Set<Long> places = new HashSet<>();
            for (int turn = 0; turn < 3; turn++) {
                served.turnInputs(turn);
                places.add(newToken.storageOffset());
            }

            assertThat(places).hasSize(3);
            for (int turn = 0; turn < 3; turn++) {
                BoundSplit split = served.splits(turn)[1];
                Graph run = split.graph();
                assertThat(run.nodes()).containsExactly(newC);
                assertThat(run.tensor(run.sourceAt(run.firstSlot(0) + 1)))
                        .as("turn %d", turn)
                        .isSameAs(split.input(0).copy());
            }
        }
    }

    @Nested
    class AnInputThatCannotTakePlacesInTurn {

        private void turns(Tensor read) {
            Graph reading = Graph.of(mulMat("product", weight, read));
            try (Scheduler scheduler = Scheduler.over(backends, PIPELINE)) {
                for (int bind = 0; bind < 4; bind++) {
                    scheduler.bind(reading);
                }
            }
        }

        @Test
        void staysInMemoryOfItsOwn() {
            Tensor held = cpu.cache("held").asInput();
            Storage memory = held.storage();
            long offset = held.storageOffset();
            turns(held);

            assertThat(held.liesAt(memory, offset)).isTrue();
        }

        @Test
        void liesWhereItsSourceLiesIfItIsAView() {
            Tensor seen = view("seen", Op.RESHAPE, input("whole")).asInput();
            turns(seen);

            assertThat(seen.isPlaced()).isTrue();
        }
    }

    @Nested
    class AFailure {

        @Test
        void saysWhichSplitAndNode() {
            RunException told = bind().failed(1, DeviceException.of("cpu", "compute", "it is on fire"));

            assertThat(told.split()).isEqualTo(1);
            assertThat(told.device()).isEqualTo("cpu");
            assertThat(told).hasMessageContainingAll("split 1 of 2", "cpu", "it is on fire");
        }

        @Test
        void thatSurfacesLaterIsTracedToTheSplitThatComputesTheNode() {
            RunException told = bind().failed(
                            BoundSchedule.NO_SPLIT,
                            DeviceException.of("gpu", "compute", b.describe(), "it is on fire"));

            assertThat(told.split()).isZero();
            assertThat(told.node()).contains(b.describe());
        }

        @Test
        void thatNobodyCanTraceSaysSo() {
            RunException told =
                    bind().failed(BoundSchedule.NO_SPLIT, DeviceException.of("gpu", "compute", "it is on fire"));

            assertThat(told.split()).isEqualTo(-1);
            assertThat(told.device()).isEqualTo("gpu");
            assertThat(told.node()).isEmpty();
        }
    }
}
