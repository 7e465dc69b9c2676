package dev.stowage.plan;

import static dev.stowage.plan.TestTensors.add;
import static dev.stowage.plan.TestTensors.cont;
import static dev.stowage.plan.TestTensors.copy;
import static dev.stowage.plan.TestTensors.keeper;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.view;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.plan.PlanSimulator.Fault;
import dev.stowage.plan.PlanSimulator.Kind;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The simulator itself: for everything it can find a plan made by hand, with nothing else wrong. */
class PlanSimulatorTest {

    private static final BufferType MEMORY = MeasuringBufferType.of("memory", 16);

    private final Tensor x = leaf("x", 4);
    private final Tensor y = cont("y", 4, x);

    /** A plan that puts every tensor without a place of another at the given multiple of 16 bytes, by id. */
    private static MemoryPlan placed(Graph graph, int... at) {
        MemoryPlanBuilder builder = MemoryPlan.builder("by hand", PlanRequest.of(graph, MEMORY));
        for (int id = 0; id < at.length; id++) {
            if (graph.viewSource(id) == Graph.NO_ID) {
                builder.place(id, 0, 0, at[id] * 16L);
            }
        }
        return builder.build();
    }

    private static void assertGood(MemoryPlan plan) {
        assertThat(PlanSimulator.run(plan, InPlaceRules.kernels())).isEmpty();
    }

    private static void assertFault(MemoryPlan plan, Kind kind) {
        assertThat(PlanSimulator.run(plan, InPlaceRules.kernels()))
                .map(Fault::kind)
                .hasValue(kind);
    }

    @Test
    void findsAnOperandThatIsOverwrittenByTheResult() {
        Graph graph = Graph.of(y);

        assertGood(placed(graph, 1, 0));
        assertFault(placed(graph, 0, 0), Kind.READ);
    }

    @Test
    void findsAnOperandThatAnotherNodeHasOverwritten() {
        Tensor other = cont("other", 4, x);
        Graph graph = Graph.listed(List.of(y, other, add("sum", 4, y, other)), List.of(x));

        assertGood(placed(graph, 1, 2, 0, 0));
        assertFault(placed(graph, 1, 1, 0, 0), Kind.READ);
    }

    @Test
    void findsTheOneByteThatIsOverwritten() {
        Tensor wide = cont("wide", 5, x);
        Graph graph = Graph.listed(List.of(y, wide, cont("last", 4, y, wide)), List.of(x));

        assertGood(placed(graph, 3, 1, 0, 0));
        assertFault(placed(graph, 2, 1, 0, 0), Kind.READ);
    }

    @Test
    void findsLeavesInTheSamePlaceEvenIfNoNodeReadsThem() {
        Graph graph = Graph.listed(List.of(), List.of(x, leaf("other", 4)));

        assertGood(placed(graph, 0, 1));
        assertFault(placed(graph, 0, 0), Kind.START);
    }

    @Test
    void findsAnOutputThatIsOverwritten() {
        Tensor last = cont("last", 4, y);
        Tensor end = cont("end", 4, last);
        Graph graph = Graph.of(end);

        assertGood(placed(graph, 1, 0, 1, 0));
        y.asOutput();
        assertFault(placed(Graph.of(end), 1, 0, 1, 0), Kind.OUTPUT);
    }

    @Test
    void findsAnOutputThatIsAViewOnlyIfItIsStrict() {
        Tensor end = cont("end", 4, cont("last", 4, view("seen", y, 0, 2).asOutput()));
        MemoryPlan plan = placed(Graph.of(end), 1, 0, 0, 1, 0);

        assertGood(plan);
        assertThat(PlanSimulator.runStrictly(plan, InPlaceRules.kernels()))
                .map(Fault::kind)
                .hasValue(Kind.OUTPUT);
    }

    @Test
    void findsAnInputThatIsOverwrittenBeforeItsNodeRuns() {
        Tensor given = cont("given", 4, y).asInput();
        Graph graph = Graph.of(given);

        assertGood(placed(graph, 1, 2, 0));
        assertFault(placed(graph, 1, 1, 0), Kind.READ);
    }

    @Test
    void findsThatBytesAreWrittenIntoATensorThatIsNotThereAnyMore() {
        Tensor target = leaf("target", 4);
        Graph graph = Graph.listed(List.of(y, copy("copy", y, target)), List.of(x, target));

        assertGood(placed(graph, 2, 0, 0, 1));
        assertFault(placed(graph, 1, 0, 0, 1), Kind.READ);
    }

    @Test
    void expectsWhatWasWrittenIntoATensorLast() {
        Tensor target = leaf("target", 4);
        Tensor copy = copy("copy", x, target);
        Graph graph = Graph.listed(List.of(copy, add("sum", 4, target)), List.of(x, target));

        assertGood(placed(graph, 0, 2, 0, 1));
    }

    @Test
    void findsThatATensorIsNotKept() {
        Tensor later = cont("later", 4, y);
        Graph graph = Graph.listed(List.of(y, later, keeper("keeper", x)), List.of(x));

        assertGood(placed(graph, 1, 2, 0, 0));
        assertFault(placed(graph, 1, 0, 0, 0), Kind.READ);
    }

    @Test
    void letsAResultTakeThePlaceOfOneOperandIfThePlanSaysSo() {
        Graph graph = Graph.of(add("sum", 4, y));
        MemoryPlanBuilder builder = MemoryPlan.builder("by hand", PlanRequest.of(graph, MEMORY))
                .place(0, 0, 0, 16)
                .place(2, 0, 0, 0);

        assertGood(builder.placeOver(1, 0).build());
        assertFault(builder.place(1, 0, 0, 16).build(), Kind.READ);
    }

    @Test
    void findsThatTheOverwrittenOperandIsReadASecondTime() {
        Graph graph = Graph.of(add("sum", 4, y, y));
        MemoryPlan plan = MemoryPlan.builder("by hand", PlanRequest.of(graph, MEMORY))
                .place(0, 0, 0, 16)
                .place(2, 0, 0, 0)
                .placeOver(1, 0)
                .build();

        assertFault(plan, Kind.READ);
    }

    @Test
    void findsPlacesThatCannotBe() {
        MemoryPlan plan = placed(Graph.of(y), 1, 0);
        assertBroken(plan, parts -> parts.offsets[0] += 1);
        assertBroken(plan, parts -> parts.offsets[0] += 16);
        assertBroken(plan, parts -> parts.chunks[0] = 1);
        assertBroken(plan, parts -> parts.buffers[0] = 1);
        assertBroken(plan, parts -> parts.buffers[0] = MemoryPlan.NOT_PLANNED);
        assertBroken(plan, parts -> parts.sizes[0] = 15);
        assertBroken(plan, parts -> parts.chunkSizes[0][0] = 31);
        assertBroken(plan, parts -> parts.inPlaceOf[0] = 1);
    }

    private static void assertBroken(MemoryPlan plan, Consumer<PlanParts> change) {
        PlanParts parts = PlanParts.of(plan);
        change.accept(parts);
        assertFault(parts.plan(), Kind.PLACE);
    }
}
