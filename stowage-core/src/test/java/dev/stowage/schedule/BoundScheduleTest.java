package dev.stowage.schedule;

import static dev.stowage.schedule.Tensors.input;
import static dev.stowage.schedule.Tensors.leaf;
import static dev.stowage.schedule.Tensors.mulMat;
import static dev.stowage.schedule.Tensors.node;
import static dev.stowage.schedule.Tensors.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.device.Backend;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.InvalidGraphException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.RunException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class BoundScheduleTest {

    private static final ScheduleOptions PIPELINE = ScheduleOptions.defaults().withPipeline(3);

    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final FakeDevice gpu = FakeDevice.called("gpu");
    private final FakeDevice.FakeBackend onGpu = gpu.open();
    private final FakeDevice.FakeBackend onCpu = cpu.open();
    private final List<Backend> backends = List.of(onGpu, onCpu);
    private final Scheduler scheduler = Scheduler.over(backends);
    private final Scheduler pipeline = Scheduler.over(backends, PIPELINE);

    private final Tensor token = input("token");
    private final Tensor weight = gpu.weight("weight");
    private final Tensor a = mulMat("a", weight, token);
    private final Tensor b = node("b", a);
    private final Tensor c = mulMat("c", cpu.weight("other"), b);
    private final Graph graph = Graph.of(c);

    @AfterEach
    void giveBack() {
        scheduler.close();
        pipeline.close();
        onGpu.close();
        onCpu.close();
    }

    private BoundSchedule bind() {
        return scheduler.bind(graph);
    }

    /** What a node of a split reads as it is wired in its graph. */
    private static Tensor operand(BoundSplit split, int node, int slot) {
        Graph run = split.graph().graph();
        return run.tensor(run.sourceAt(run.firstSlot(node) + slot));
    }

    @Test
    void hasAPlaceForEverythingAndChangesNoTensor() {
        BoundSchedule bound = bind();

        for (int id = 0; id < graph.size(); id++) {
            assertThat(bound.tensor(graph.tensor(id)).tensor()).isSameAs(graph.tensor(id));
        }
        for (BoundSplit split : bound.slot(0).splits()) {
            for (int id = 0; id < split.graph().graph().size(); id++) {
                assertThat(split.graph().hasMemory(id)).isTrue();
            }
        }
        assertThat(graph.nodes()).noneMatch(Tensor::isPlaced);
        assertThat(token.isPlaced()).isFalse();
    }

    @Test
    void hasResultsInTheMemoryOfTheirDevice() {
        BoundSchedule bound = bind();

        assertThat(bound.tensor(a).buffer().type()).isEqualTo(gpu.bufferType());
        assertThat(bound.tensor(c).buffer().type()).isEqualTo(cpu.bufferType());
        assertThat(bound.tensor(token).buffer().type()).isEqualTo(cpu.bufferType());
    }

    @Test
    void hasWeightsInTheMemoryOfTheirOwn() {
        assertThat(bind().tensor(weight)).isEqualTo(BoundTensor.of(weight));
    }

    @Test
    void hasNoPlaceForATensorThatIsNotInTheGraph() {
        BoundSchedule bound = bind();

        assertThatExceptionOfType(InvalidGraphException.class).isThrownBy(() -> bound.tensor(leaf("foreign")));
    }

    @Test
    void hasSplitsWithTheirBackendsAndWhatTheyBringOver() {
        BoundSchedule bound = bind();
        BoundSplit[] splits = bound.slot(0).splits();

        assertThat(splits).hasSize(2);
        assertThat(splits[0].backend()).isSameAs(onGpu);
        assertThat(splits[1].backend()).isSameAs(onCpu);
        assertThat(splits[0].input(0).source()).isEqualTo(bound.tensor(token));
        assertThat(splits[0].input(0).producer()).isSameAs(onCpu);
        assertThat(splits[1].input(0).source()).isEqualTo(bound.tensor(b));
        assertThat(splits[1].input(0).producer()).isSameAs(onGpu);
    }

    @Test
    void saysWhichBackendATensorIsOn() {
        BoundSchedule bound = bind();

        assertThat(bound.backendOf(a)).isSameAs(onGpu);
        assertThat(bound.backendOf(c)).isSameAs(onCpu);
        assertThat(bound.backendOf(token)).isSameAs(onCpu);
    }

    @Test
    void preparesASplitOnceForManyRuns() {
        BoundSplit split = bind().slot(0).splits()[0];
        split.computeAsync();
        split.computeAsync();

        assertThat(onGpu.submitted()).containsExactly(split.graph(), split.graph());
        assertThat(onGpu.prepared()).isEqualTo(1);
    }

    @Test
    void givesBackWhatWasPrepared() {
        BoundSchedule bound = bind();
        bound.slot(0).splits()[0].computeAsync();
        bound.close();
        bound.close();

        assertThat(onGpu.closedPreparations()).isEqualTo(1);
    }

    @Test
    void cannotBeUsedOnceItIsClosed() {
        BoundSchedule bound = bind();
        bound.close();

        assertThatExceptionOfType(ClosedException.class)
                .isThrownBy(() -> bound.tensor(token))
                .withMessageContaining("bind the graph again");
        assertThatExceptionOfType(ClosedException.class).isThrownBy(bound::runAsync);
        assertThatExceptionOfType(ClosedException.class).isThrownBy(bound::run);
    }

    @Test
    void isClosedWithItsScheduler() {
        BoundSchedule bound = bind();
        bound.slot(0).splits()[0].computeAsync();
        scheduler.close();

        assertThat(onGpu.closedPreparations()).isEqualTo(1);
        assertThatExceptionOfType(ClosedException.class).isThrownBy(bound::run);
    }

    @Test
    void movesToOtherMemoryWhereThatHadToGrowForAnotherGraph() {
        BoundSchedule bound = bind();
        BoundTensor before = bound.tensor(c);
        Tensor large = leaf("large", 64 * Tensors.FLOATS).asInput();
        scheduler.bind(Graph.of(node("sum", mulMat("d", weight, large), large, large)));

        assertThat(before.buffer().isClosed()).isTrue();
        assertThat(bound.tensor(c).buffer().isClosed()).isFalse();
        assertThat(bound.tensor(c).offset()).isEqualTo(before.offset());
    }

    @Nested
    class Serves {

        private BoundSchedule bound = bind();

        private boolean serves(Graph other) {
            return bound.serves(scheduler.request(other));
        }

        @Test
        void theSameGraphWithEverythingWhereItWas() {
            assertThat(serves(graph)).isTrue();
        }

        @Test
        void anotherGraphOfTheSameTensors() {
            assertThat(serves(Graph.of(c))).isTrue();
        }

        @Test
        void noGraphOfWhichTheCallerAssignsSomething() {
            assertThat(bound.serves(scheduler.request(graph).assign(b, 1))).isFalse();
        }

        @Test
        void noGraphIfTheCallerHadAssignedSomething() {
            bound = scheduler.bind(scheduler.request(graph).assign(b, 1));

            assertThat(serves(graph)).isFalse();
        }

        @Test
        void noGraphIfTheMemoryOfAWeightWasClosed() {
            Buffer.of(weight).close();

            assertThat(serves(graph)).isFalse();
        }

        @Test
        void noGraphIfAnInputWasGivenMemoryOfItsOwn() {
            FakeDevice.place(token, cpu.bufferType(), BufferUsage.ANY);

            assertThat(serves(graph)).isFalse();
        }

        @Test
        void noGraphOnceItIsClosed() {
            bound.close();

            assertThat(serves(graph)).isFalse();
        }
    }

    /** What is bound stays as it was bound. */
    @Test
    void readsAnInputWhereItWasBoundThoughThatHasGotMemoryOfItsOwnSince() {
        BoundSchedule bound = pipeline.bind(graph);
        BoundTensor before = bound.tensor(token);
        FakeDevice.place(token, cpu.bufferType(), BufferUsage.ANY);

        assertThat(bound.tensor(token)).isEqualTo(before);
        Set<Long> places = new HashSet<>();
        for (int slot = 0; slot < 3; slot++) {
            BoundTensor source = bound.slot(slot).splits()[0].input(0).source();
            assertThat(source.buffer()).as("slot %d", slot).isSameAs(before.buffer());
            places.add(source.offset());
        }
        assertThat(places).hasSize(3);
    }

    @Nested
    class InAPipeline {

        private final BoundSchedule bound = pipeline.bind(graph);

        @Test
        void everySlotHasTheSameSplitsWithCopiesOfItsOwn() {
            Set<Tensor> copies = new HashSet<>();
            Set<Long> places = new HashSet<>();
            for (int slot = 0; slot < 3; slot++) {
                BoundTensor copy = bound.slot(slot).splits()[1].input(0).copy();
                copies.add(copy.tensor());
                places.add(copy.offset());
            }

            assertThat(copies).hasSize(3);
            assertThat(places).hasSize(3);
        }

        @Test
        void theSplitsOfASlotAreMadeOnce() {
            assertThat(bound.slot(2).splits()).isSameAs(bound.slot(2).splits());
            assertThat(bound.slot(1).splits()).isSameAs(bound.slot(1).splits());
        }

        @Test
        void theInputHasAPlaceInEverySlot() {
            List<Long> places = new ArrayList<>();
            for (int run = 0; run < 6; run++) {
                places.add(bound.tensor(token).offset());
                bound.advance();
            }

            assertThat(new HashSet<>(places)).hasSize(3);
            assertThat(places.subList(3, 6)).isEqualTo(places.subList(0, 3));
        }

        @Test
        void theInputIsCopiedFromItsPlaceInTheSlot() {
            Set<Long> places = new HashSet<>();
            for (int slot = 0; slot < 3; slot++) {
                places.add(bound.slot(slot).splits()[0].input(0).source().offset());
            }

            assertThat(places).hasSize(3);
        }

        @Test
        void theGraphOfASlotReadsTheCopiesOfThatSlot() {
            BoundSplit split = bound.slot(2).splits()[1];

            assertThat(operand(split, 0, 1)).isSameAs(split.input(0).copy().tensor());
        }
    }

    @Nested
    class ReorderedByItsDevice {

        private final Tensor x = leaf("x");
        private final Tensor p = mulMat("p", weight, x);
        private final Tensor q = node("q", Op.SQR, x);
        private final Graph pair = Graph.of(p, q);

        @Test
        void runsInThatOrder() {
            gpu.preferringOrder(graph -> graph.inOrder(1, 0));
            BoundSchedule bound = scheduler.bind(pair);

            assertThat(bound.slot(0).splits()[0].graph().graph().nodes()).containsExactly(q, p);
            assertThat(bound.schedule().plan().graph().nodes()).containsSubsequence(q, p);
            assertThat(bound.schedule().graph().nodes()).containsExactly(p, q);
        }

        @Test
        void isMeasuredAndReservedForThatOrder() {
            gpu.preferringOrder(graph -> graph.inOrder(1, 0));

            assertThat(scheduler.measure(pair).plan().graph().nodes()).containsSubsequence(q, p);
            assertThat(scheduler.reserve(pair).plan().graph().nodes()).containsSubsequence(q, p);
        }

        @Test
        void mustKeepAllNodes() {
            gpu.preferringOrder(graph -> graph.slice(0, 1));

            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> scheduler.bind(pair))
                    .withMessageContainingAll("gpu", "2", "1");
        }
    }

    /** The same computation built anew, as a language model does for every token. */
    @Nested
    class AStructurallyIdenticalGraph {

        private final Tensor newToken = input("token");
        private final Tensor newA = mulMat("a", weight, newToken);
        private final Tensor newB = node("b", newA);
        private final Tensor newC = mulMat("c", c.source(0), newB);
        private final Graph identical = Graph.of(newC);

        private boolean isServed(Tensor result) {
            return bind().serves(scheduler.request(Graph.of(result)));
        }

        @Test
        void isServed() {
            assertThat(isServed(newC)).isTrue();
        }

        @Test
        void isNotServedIfAnOpIsAnother() {
            assertThat(isServed(mulMat("c", c.source(0), node("b", Op.SET_ROWS, newA))))
                    .isFalse();
        }

        @Test
        void isNotServedIfAnInputIsLarger() {
            Tensor larger = leaf("token", 2 * Tensors.FLOATS).asInput();

            assertThat(isServed(mulMat("c", c.source(0), node("b", mulMat("a", weight, larger)))))
                    .isFalse();
        }

        @Test
        void isNotServedIfSomethingIsMarkedOtherwise() {
            newB.asOutput();

            assertThat(isServed(newC)).isFalse();
        }

        @Test
        void isNotServedIfAWeightIsInAnotherKindOfMemory() {
            assertThat(isServed(mulMat("c", c.source(0), node("b", mulMat("a", cpu.weight("weight"), newToken)))))
                    .isFalse();
        }

        @Test
        void isServedIfAWeightIsAnotherInTheSameKindOfMemory() {
            assertThat(isServed(mulMat("c", c.source(0), node("b", mulMat("a", gpu.weight("weight"), newToken)))))
                    .isTrue();
        }

        @Test
        void isNotServedIfItsCacheIsAWeightHere() {
            assertThat(isServed(mulMat("c", c.source(0), node("b", mulMat("a", gpu.cache("weight"), newToken)))))
                    .isFalse();
        }

        @Test
        void isNotServedIfTheCallerAssignsSomething() {
            assertThat(bind().serves(scheduler.request(identical).assign(newB, 1)))
                    .isFalse();
        }

        @Test
        void isNotServedIfItsInputHasMemoryOfItsOwn() {
            FakeDevice.place(newToken, cpu.bufferType(), BufferUsage.ANY);

            assertThat(isServed(newC)).isFalse();
        }

        @Test
        void isNotServedIfTheInputsOfBothHaveGotMemoryOfTheirOwnSince() {
            BoundSchedule bound = bind();
            FakeDevice.place(token, cpu.bufferType(), BufferUsage.ANY);
            FakeDevice.place(newToken, cpu.bufferType(), BufferUsage.ANY);

            assertThat(bound.serves(scheduler.request(identical))).isFalse();
        }

        @Test
        void hasItsOwnTensorsWhereTheOthersWere() {
            BoundSchedule before = bind();
            BoundTensor inputBefore = before.tensor(token);
            BoundTensor resultBefore = before.tensor(c);
            BoundSchedule served = scheduler.rebind(before, identical);

            assertThat(served.schedule().graph()).isSameAs(identical);
            assertThat(served.tensor(newToken))
                    .isEqualTo(BoundTensor.at(newToken, inputBefore.buffer(), inputBefore.offset()));
            assertThat(served.tensor(newC))
                    .isEqualTo(BoundTensor.at(newC, resultBefore.buffer(), resultBefore.offset()));
            assertThat(identical.nodes()).noneMatch(Tensor::isPlaced);
        }

        @Test
        void hasOtherWeightsWhereThoseAre() {
            Tensor another = gpu.weight("weight");
            Tensor product = mulMat("a", another, newToken);
            Graph withAnother = Graph.of(mulMat("c", c.source(0), node("b", product)));
            BoundSchedule served = scheduler.rebind(bind(), withAnother);
            BoundGraph run = served.slot(0).splits()[0].graph();

            assertThat(served.tensor(another)).isEqualTo(BoundTensor.of(another));
            assertThat(run.tensor(another)).isEqualTo(BoundTensor.of(another));
        }

        @Test
        void readsItsInputWhereItWasBoundThoughThatHasGotMemoryOfItsOwnSince() {
            Graph first = Graph.of(node("sum", c, token));
            BoundSchedule served = pipeline.rebind(pipeline.bind(first), Graph.of(node("sum", newC, newToken)));
            BoundTensor before = served.tensor(newToken);
            FakeDevice.place(newToken, cpu.bufferType(), BufferUsage.ANY);

            assertThat(served.tensor(newToken)).isEqualTo(before);
            Set<Long> places = new HashSet<>();
            for (int slot = 0; slot < 3; slot++) {
                BoundTensor read = served.slot(slot).splits()[1].graph().tensor(newToken);
                assertThat(read.buffer()).as("slot %d", slot).isSameAs(before.buffer());
                places.add(read.offset());
            }
            assertThat(places).hasSize(3);
        }

        @Test
        void closesTheOneBefore() {
            BoundSchedule before = bind();
            scheduler.rebind(before, identical);

            assertThatExceptionOfType(ClosedException.class).isThrownBy(before::run);
            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> scheduler.rebind(before, identical))
                    .withMessageContaining("closed");
        }

        @Test
        void isBoundFromNothingWhereItIsNotServed() {
            BoundSchedule before = bind();
            before.slot(0).splits()[0].computeAsync();
            BoundSchedule other = scheduler.rebind(before, Graph.of(b));

            assertThat(other.graph().nodes()).containsExactly(a, b);
            assertThat(onGpu.closedPreparations()).isEqualTo(1);
            assertThatExceptionOfType(ClosedException.class).isThrownBy(before::run);
        }

        @Test
        void isScheduledAsIfFromNothing() {
            BoundSchedule served = scheduler.rebind(bind(), identical);
            Schedule fresh = Schedule.of(scheduler.request(identical));

            assertThat(served.schedule().explain()).isEqualTo(fresh.explain());
            assertThat(served.schedule().reasonOf(newA).because()).containsSame(weight);
            assertThat(served.schedule().reasonOf(newB).because()).containsSame(newA);
        }

        @Test
        void runsItsOwnNodesAndBringsOverItsOwnTensors() {
            BoundSplit[] splits = scheduler.rebind(bind(), identical).slot(0).splits();

            assertThat(splits[0].graph().graph().nodes()).containsExactly(newA, newB);
            assertThat(splits[1].graph().graph().nodes()).containsExactly(newC);
            assertThat(splits[0].input(0).source().tensor()).isSameAs(newToken);
            assertThat(splits[1].input(0).source().tensor()).isSameAs(newB);
            assertThat(operand(splits[1], 0, 1))
                    .isSameAs(splits[1].input(0).copy().tensor());
        }

        @Test
        void takesOverWhatWasPrepared() {
            BoundSchedule bound = bind();
            bound.slot(0).splits()[0].computeAsync();
            BoundSchedule served = scheduler.rebind(bound, identical);
            bound.close();
            served.slot(0).splits()[0].computeAsync();

            assertThat(onGpu.prepared()).isEqualTo(1);
            assertThat(onGpu.closedPreparations()).isZero();
            assertThat(onGpu.submitted().getLast().graph().nodes()).containsExactly(newA, newB);
        }

        @Test
        void takesOverWhatWasPreparedInEverySlot() {
            BoundSchedule bound = pipeline.bind(graph);
            for (int slot = 0; slot < 3; slot++) {
                bound.slot(slot).splits()[0].computeAsync();
            }
            BoundSchedule served = pipeline.rebind(bound, identical);
            for (int slot = 0; slot < 3; slot++) {
                served.slot(slot).splits()[0].computeAsync();
            }
            served.close();

            assertThat(onGpu.prepared()).isEqualTo(3);
            assertThat(onGpu.closedPreparations()).isEqualTo(3);
        }

        @Test
        void hasAPlaceForItsInputInEverySlotOfAPipeline() {
            BoundSchedule served = pipeline.rebind(pipeline.bind(graph), identical);
            Set<Long> places = new HashSet<>();
            for (int run = 0; run < 3; run++) {
                places.add(served.tensor(newToken).offset());
                served.advance();
            }

            assertThat(places).hasSize(3);
            for (int slot = 0; slot < 3; slot++) {
                BoundSplit split = served.slot(slot).splits()[1];
                assertThat(split.graph().graph().nodes()).containsExactly(newC);
                assertThat(operand(split, 0, 1))
                        .as("slot %d", slot)
                        .isSameAs(split.input(0).copy().tensor());
            }
        }
    }

    @Nested
    class AnInputThatCannotHaveAPlaceInEverySlot {

        private final List<BoundTensor> places = new ArrayList<>();

        private void advance(Tensor read, Tensor seen) {
            BoundSchedule bound = pipeline.bind(Graph.of(mulMat("product", weight, read)));
            for (int run = 0; run < 4; run++) {
                places.add(bound.tensor(seen));
                bound.advance();
            }
        }

        @Test
        void staysInMemoryOfItsOwn() {
            Tensor held = cpu.cache("held").asInput();
            advance(held, held);

            assertThat(places).containsOnly(BoundTensor.of(held));
        }

        @Test
        void isStoredWhereItsSourceIsIfItIsAView() {
            Tensor whole = input("whole");
            Tensor seen = view("seen", Op.RESHAPE, whole).asInput();
            BoundSchedule bound = pipeline.bind(Graph.of(mulMat("product", weight, seen)));
            for (int run = 0; run < 4; run++) {
                assertThat(bound.tensor(seen).buffer())
                        .isSameAs(bound.tensor(whole).buffer());
                assertThat(bound.tensor(seen).offset())
                        .isEqualTo(bound.tensor(whole).offset());
                bound.advance();
            }
        }
    }

    @Nested
    class AFailure {

        @Test
        void saysWhichSplitAndNode() {
            RunException reported = bind().failed(1, DeviceException.of("cpu", "compute", "it is on fire"));

            assertThat(reported.split()).isEqualTo(1);
            assertThat(reported.device()).isEqualTo("cpu");
            assertThat(reported).hasMessageContainingAll("split 1 of 2", "cpu", "it is on fire");
        }

        @Test
        void thatSurfacesLaterIsTracedToTheSplitThatComputesTheNode() {
            RunException reported = bind().failed(
                            FailureSite.NO_SPLIT, DeviceException.of("gpu", "compute", b.describe(), "it is on fire"));

            assertThat(reported.split()).isZero();
            assertThat(reported.node()).contains(b.describe());
        }

        @Test
        void thatCannotBeTracedSaysSo() {
            RunException reported =
                    bind().failed(FailureSite.NO_SPLIT, DeviceException.of("gpu", "compute", "it is on fire"));

            assertThat(reported.split()).isEqualTo(-1);
            assertThat(reported.device()).isEqualTo("gpu");
            assertThat(reported.node()).isEmpty();
        }
    }

    @Test
    void closedMemoryOfAWeightIsRefusedWhenTheGraphIsBound() {
        BoundTensor.of(weight).buffer().close();

        assertThatExceptionOfType(ClosedException.class)
                .isThrownBy(this::bind)
                .withMessageContainingAll("'weight'", "is stored in the buffer", "closed");
    }
}
