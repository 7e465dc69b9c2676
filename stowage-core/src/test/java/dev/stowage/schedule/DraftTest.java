package dev.stowage.schedule;

import static dev.stowage.schedule.Tensors.copyInto;
import static dev.stowage.schedule.Tensors.input;
import static dev.stowage.schedule.Tensors.leaf;
import static dev.stowage.schedule.Tensors.mulMat;
import static dev.stowage.schedule.Tensors.node;
import static dev.stowage.schedule.Tensors.view;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Capability;
import dev.stowage.graph.Graph;
import dev.stowage.graph.wiring.GraphPart;
import dev.stowage.plan.PlanRequest;
import dev.stowage.schedule.pass.TestTable;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class DraftTest {

    private static final ScheduleOptions PIPELINE = ScheduleOptions.defaults().withPipeline(2);

    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final FakeDevice gpu = FakeDevice.called("gpu").having(Capability.EVENTS);
    private final DeviceSet devices = DeviceSet.of(gpu, cpu);

    private final Tensor token = input("token");
    private final Tensor a = node("a", token);
    private final Tensor b = mulMat("b", gpu.weight("weight"), a);
    private final Tensor c = mulMat("c", cpu.weight("other"), b);
    private final Tensor d = node("d", Op.CONT, c, token);
    private final Graph graph = Graph.of(d);

    private Draft draft(ScheduleOptions options) {
        return Draft.of(ScheduleRequest.of(graph, devices, options));
    }

    private static List<String> names(Graph of, List<Tensor> tensors) {
        return tensors.stream().map(tensor -> of.label(of.idOf(tensor))).toList();
    }

    private static PlanRequest planRequest(Draft draft) {
        return new PlannedGraph(draft).request();
    }

    private static List<Graph> runGraphs(Draft draft, int slot) {
        return new PlannedGraph(draft)
                .runGraphs(slot).stream().map(GraphPart::graph).toList();
    }

    /** What a node reads as it is wired in its graph. */
    private static Tensor operand(Graph of, int node, int slot) {
        return of.tensor(of.sourceAt(of.firstSlot(node) + slot));
    }

    @Test
    void startsFromTheAssignmentItIsMeantToTest() {
        Draft draft = draft(ScheduleOptions.defaults());

        assertThat(TestTable.nodesOf(draft.splitting(), graph)).containsExactly(List.of("a", "b"), List.of("c", "d"));
        assertThat(TestTable.inputsOf(draft.splitting(), graph)).containsExactly(List.of("token"), List.of("b"));
    }

    @Nested
    class ThePlannedGraph {

        private final PlanRequest request = planRequest(draft(ScheduleOptions.defaults()));
        private final Graph planned = request.graph();

        @Test
        void hasAKeeperAndACopyForEveryInputBeforeTheNodesOfItsSplit() {
            assertThat(planned.nodeCount()).isEqualTo(8);
            assertThat(planned.node(1).name()).isEqualTo("gpu#token#0");
            assertThat(planned.node(2)).isSameAs(a);
            assertThat(planned.node(3)).isSameAs(b);
            assertThat(planned.node(5).name()).isEqualTo("cpu#b#0");
            assertThat(planned.node(6)).isSameAs(c);
            assertThat(planned.node(7)).isSameAs(d);
        }

        @Test
        void hasKeepersThatAreViewsOfTheOriginalAndReadIt() {
            Tensor keeper = planned.node(4);

            assertThat(keeper.op()).isEqualTo(Op.NONE);
            assertThat(keeper.viewSource()).isSameAs(b);
            assertThat(planned.viewSource(4)).isEqualTo(3);
            assertThat(planned.endSlot(4) - planned.firstSlot(4)).isEqualTo(1);
            assertThat(planned.sourceAt(planned.firstSlot(4))).isEqualTo(3);
        }

        @Test
        void hasNodesReadTheCopiesOnTheirDevice() {
            assertThat(planned.sourceAt(planned.firstSlot(2)))
                    .as("what a reads")
                    .isEqualTo(1);
            assertThat(planned.sourceAt(planned.firstSlot(6) + 1))
                    .as("what c reads")
                    .isEqualTo(5);
            assertThat(planned.sourceAt(planned.firstSlot(7) + 1))
                    .as("what d reads on the device of the token")
                    .isEqualTo(planned.idOf(token));
        }

        @Test
        void putsKeepersWithTheOriginalAndCopiesWithTheReader() {
            List<Integer> buffers = new ArrayList<>();
            for (int node = 0; node < planned.nodeCount(); node++) {
                buffers.add(request.buffer(node));
            }

            assertThat(buffers).containsExactly(1, 0, 0, 0, 0, 1, 1, 1);
        }

        @Test
        void hasTheLeavesOfTheGraphOnTheirDevices() {
            assertThat(planned.leaves()).isEqualTo(graph.leaves());
            assertThat(names(planned, planned.leaves())).containsExactly("other", "weight", "token");
            assertThat(request.buffer(planned.nodeCount() + 0)).isEqualTo(1);
            assertThat(request.buffer(planned.nodeCount() + 1)).isZero();
            assertThat(request.buffer(planned.nodeCount() + 2)).isEqualTo(1);
        }

        @Test
        void keepsViewsOfWhatIsCopiedThroughAView() {
            Tensor seen = view("seen", b);
            Tensor reader = mulMat("reader", cpu.weight("more"), seen);
            Graph viewing = Graph.of(reader);
            Graph ofView =
                    planRequest(Draft.of(ScheduleRequest.of(viewing, devices))).graph();
            int reads = ofView.idOf(reader);
            Tensor copy = ofView.tensor(ofView.sourceAt(ofView.firstSlot(reads) + 1));
            int keeper = ofView.idOf(copy) - 1;

            assertThat(copy.name()).isEqualTo("cpu#seen#0");
            assertThat(ofView.sourceAt(ofView.firstSlot(keeper))).isEqualTo(ofView.idOf(seen));
            assertThat(ofView.viewSource(keeper))
                    .as("a view of a view is one of its source")
                    .isEqualTo(ofView.idOf(b));
        }
    }

    @Nested
    class ThePlannedGraphOfAPipeline {

        private final PlanRequest request = planRequest(draft(PIPELINE));
        private final Graph planned = request.graph();

        @Test
        void listsGraphInputsThenSplitInputsThenTheOtherLeavesInGgmlsOrder() {
            assertThat(names(planned, planned.leaves()))
                    .containsExactly(
                            "token",
                            "cpu#token#1",
                            "gpu#token#0",
                            "gpu#token#1",
                            "cpu#b#0",
                            "cpu#b#1",
                            "other",
                            "weight");
        }

        @Test
        void putsCopiesOfGraphInputsWithTheInputAndThoseOfSplitInputsWithTheSplit() {
            List<Integer> buffers = new ArrayList<>();
            for (int leaf = 0; leaf < planned.leafCount(); leaf++) {
                buffers.add(request.buffer(planned.nodeCount() + leaf));
            }

            assertThat(buffers).containsExactly(1, 1, 0, 0, 1, 1, 1, 0);
        }

        @Test
        void hasKeepersButNoCopiesAmongTheNodes() {
            assertThat(planned.nodeCount()).isEqualTo(6);
            assertThat(planned.node(1)).isSameAs(a);
            assertThat(planned.node(3).viewSource()).isSameAs(b);
        }

        @Test
        void marksTheInputItselfAsAnOutputHereAndNowhereElse() {
            assertThat(planned.isOutput(planned.idOf(token))).isTrue();
            assertThat(planned.isInput(planned.idOf(token))).isTrue();
            assertThat(graph.isOutput(graph.idOf(token))).isFalse();
            assertThat(token.isOutput()).isFalse();
        }
    }

    @Nested
    class AnInPlaceResult {

        private final FakeDevice reaching = FakeDevice.called("reaching").readingMemoryOf(gpu);
        private final Tensor x = leaf("x");

        private Graph planned(Tensor sum) {
            Tensor source = sum.source(0);
            return planRequest(Draft.of(new ScheduleRequest(
                            Graph.of(sum),
                            DeviceSet.of(gpu, reaching),
                            ScheduleOptions.defaults(),
                            Map.of(source, 0, sum, 1))))
                    .graph();
        }

        @Test
        void isComputedApartIfItsReadersMayNotReachThePlaceOfTheOperand() {
            FakeDevice strict = FakeDevice.called("strict").readingMemoryOf(reaching);
            Tensor sum = node("sum", Op.ADD, node("first", x), x);
            Graph made = planRequest(Draft.of(new ScheduleRequest(
                            Graph.of(sum),
                            DeviceSet.of(gpu, reaching, strict),
                            ScheduleOptions.defaults(),
                            Map.of(sum.source(0), 0, sum, 1))))
                    .graph();

            assertThat(made.canWorkInPlace(made.idOf(sum)))
                    .as("'strict' reads results of 'reaching' but not what is stored in the memory of 'gpu'")
                    .isFalse();
        }

        @Test
        void mayTakeThePlaceOfAnOperandThatAllItsReadersReach() {
            Tensor sum = node("sum", Op.ADD, node("first", x), x);
            Graph made = planned(sum);

            assertThat(made.canWorkInPlace(made.idOf(sum))).isTrue();
        }
    }

    @Nested
    class TheGraphsThatRun {

        @Test
        void haveTheNodesOfTheirSplits() {
            List<Graph> runs = runGraphs(draft(ScheduleOptions.defaults()), 0);

            assertThat(runs).hasSize(2);
            assertThat(runs.get(0).nodes()).containsExactly(a, b);
            assertThat(runs.get(1).nodes()).containsExactly(c, d);
        }

        @Test
        void haveNodesReadTheCopies() {
            Draft draft = draft(ScheduleOptions.defaults());
            List<Graph> runs = runGraphs(draft, 0);

            assertThat(operand(runs.get(0), 0, 0))
                    .isSameAs(draft.copies().input(0).copies().getFirst());
            assertThat(operand(runs.get(1), 0, 1))
                    .isSameAs(draft.copies().input(1).copies().getFirst());
            assertThat(operand(runs.get(1), 1, 1)).isSameAs(token);
        }

        @Test
        void haveNodesOfEveryRunInFlightReadItsOwnCopies() {
            Draft draft = draft(PIPELINE);

            for (int slot = 0; slot < 2; slot++) {
                assertThat(operand(runGraphs(draft, slot).get(1), 0, 1))
                        .as("slot %d", slot)
                        .isSameAs(draft.copies().input(1).copies().get(slot));
            }
        }

        @Test
        void runInTheOrderTheDevicePrefers() {
            Tensor y = leaf("y");
            Tensor p = node("p", y);
            Tensor q = node("q", Op.SQR, y);
            Tensor r = node("r", p, q);
            gpu.preferringOrder(part -> part.inOrder(1, 0, 2));
            Draft draft = Draft.of(ScheduleRequest.of(Graph.of(r), devices));

            assertThat(runGraphs(draft, 0).getFirst().nodes()).containsExactly(q, p, r);
            assertThat(planRequest(draft).graph().nodes()).containsExactly(q, p, r);
        }

        @Test
        void runEachInTheOrderThatItsOwnDevicePrefers() {
            Tensor e = mulMat("e", gpu.weight("another"), token);
            Tensor f = mulMat("f", cpu.weight("yet another"), node("last", b, e));
            Graph both = Graph.of(f, d);
            List<Tensor> before = runGraphs(Draft.of(ScheduleRequest.of(both, devices)), 0)
                    .getFirst()
                    .nodes();
            gpu.preferringOrder(part -> part.inOrder(2, 0, 1, 3));
            List<Graph> runs = runGraphs(Draft.of(ScheduleRequest.of(both, devices)), 0);

            assertThat(before).hasSize(4).containsSequence(a, b, e);
            assertThat(runs.getFirst().nodes())
                    .containsExactly(before.get(2), before.get(0), before.get(1), before.get(3));
            assertThat(runs.get(1).nodes()).containsExactly(f, c, d);
        }
    }

    @Test
    void doesNotChangeTheCallersGraph() {
        String before = graph.dump();
        Tensor readByC = c.source(1);

        runGraphs(draft(PIPELINE), 1);

        assertThat(graph.dump()).isEqualTo(before);
        assertThat(c.source(1)).isSameAs(readByC).isSameAs(b);
        assertThat(graph.sourceAt(graph.firstSlot(2) + 1)).isEqualTo(1);
    }

    @Test
    void copiesWhatIsWrittenIntoAnotherTensorAsTheNodeThatWritesIt() {
        Tensor cache = gpu.cache("cache");
        Tensor written = copyInto("written", leaf("x"), cache);
        Tensor reader = mulMat("reader", cpu.weight("more"), written);
        Graph writing = Graph.of(reader);
        Draft draft = Draft.of(ScheduleRequest.of(writing, devices));

        assertThat(draft.copies().input(draft.splitting().inputCount() - 1).source())
                .isSameAs(written);
    }
}
