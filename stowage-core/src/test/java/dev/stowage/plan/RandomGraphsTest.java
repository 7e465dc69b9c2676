package dev.stowage.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.function.BiPredicate;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The random graphs hold what they promise: a test on them would prove nothing about what never occurs in them. */
class RandomGraphsTest {

    private static final int SEEDS = 500;

    private static Arguments feature(String name, BiPredicate<MemoryPlan, Integer> has) {
        return Arguments.of(name, has);
    }

    static Stream<Arguments> features() {
        return Stream.of(
                feature("a result in place of an operand", (plan, id) -> plan.inPlaceOf(id) != Graph.NO_ID),
                feature("a smaller result in place of an operand", RandomGraphsTest::leavesSurplus),
                feature("a tensor in a second chunk", (plan, id) -> plan.isPlanned(id) && plan.chunk(id) > 0),
                feature(
                        "a tensor with memory of its own",
                        (plan, id) -> plan.request().isFixed(id)),
                feature("a view", (plan, id) -> tensor(plan, id).isView()),
                feature("a view of a view", RandomGraphsTest::isViewOfView),
                feature("a result written into another tensor", RandomGraphsTest::isWriter),
                feature("a view without an op that keeps a tensor", RandomGraphsTest::isKeeper),
                feature("an output", (plan, id) -> plan.graph().isOutput(id)),
                feature(
                        "an output that is a view",
                        (plan, id) ->
                                plan.graph().isOutput(id) && tensor(plan, id).isView()),
                feature(
                        "an input that is computed",
                        (plan, id) -> plan.graph().isNode(id) && plan.graph().isInput(id)),
                feature(
                        "an empty tensor",
                        (plan, id) -> plan.isPlanned(id) && tensor(plan, id).byteSize() == 0),
                feature("the same operand twice", RandomGraphsTest::readsTwice),
                feature("itself as an operand", (plan, id) -> sources(plan, id).anyMatch(source -> source == id)),
                feature("a gap between operands", RandomGraphsTest::hasGap),
                feature("an operand with several readers", (plan, id) -> readers(plan, id) > 1),
                feature("a node without readers", (plan, id) -> plan.graph().isNode(id) && readers(plan, id) == 0),
                feature("a leaf without readers", (plan, id) -> plan.graph().isLeaf(id) && readers(plan, id) == 0));
    }

    static Stream<Arguments> oddFeatures() {
        return Stream.of(
                feature(
                        "a view that is a leaf",
                        (plan, id) ->
                                plan.graph().isLeaf(id) && tensor(plan, id).isView()),
                feature(
                        "a view of a node that is a leaf",
                        (plan, id) -> plan.graph().isLeaf(id)
                                && plan.graph().isNode(plan.graph().viewSource(id))),
                feature(
                        "an input computed by an op that can work in place",
                        (plan, id) -> plan.graph().isNode(id)
                                && plan.graph().isInput(id)
                                && plan.graph().op(id).canWorkInPlace()));
    }

    private static void assertHeldManyTimes(
            String name, BiPredicate<MemoryPlan, Integer> has, LongFunction<Graph> graphs) {
        long holding = LongStream.range(0, SEEDS)
                .mapToObj(seed -> Planner.ggml().plan(RandomGraphs.request(graphs.apply(seed), seed)))
                .filter(plan -> IntStream.range(0, plan.graph().size()).anyMatch(id -> has.test(plan, id)))
                .count();

        assertThat(holding).as("of %d graphs those with %s", SEEDS, name).isGreaterThan(SEEDS / 20);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("features")
    void holdManyTimes(String name, BiPredicate<MemoryPlan, Integer> has) {
        assertHeldManyTimes(name, has, RandomGraphs::graph);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("oddFeatures")
    void holdManyTimesWhereTheyAreOdd(String name, BiPredicate<MemoryPlan, Integer> has) {
        assertHeldManyTimes(name, has, RandomGraphs::oddGraph);
    }

    @Test
    void holdNoViewAsALeafUnlessTheyAreOdd() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(RandomGraphs.graph(seed).hasViewsAsLeaves())
                    .as("seed %d", seed)
                    .isFalse();
        }
    }

    @Test
    void areTheSameForTheSameSeed() {
        for (long seed = 0; seed < 20; seed++) {
            Graph graph = RandomGraphs.graph(seed);

            assertThat(RandomGraphs.graph(seed).dump()).as("seed %d", seed).isEqualTo(graph.dump());
            assertThat(RandomGraphs.graph(seed).isWiredLike(graph))
                    .as("seed %d", seed)
                    .isTrue();
        }
    }

    private static Tensor tensor(MemoryPlan plan, int id) {
        return plan.graph().tensor(id);
    }

    private static IntStream sources(MemoryPlan plan, int id) {
        return IntStream.range(plan.graph().firstSlot(id), plan.graph().endSlot(id))
                .map(plan.graph()::sourceAt);
    }

    private static boolean leavesSurplus(MemoryPlan plan, int id) {
        return plan.inPlaceOf(id) != Graph.NO_ID && plan.size(id) < plan.size(plan.inPlaceOf(id));
    }

    private static boolean isViewOfView(MemoryPlan plan, int id) {
        return tensor(plan, id).isView()
                && sources(plan, id)
                        .anyMatch(source ->
                                source != Graph.NO_ID && tensor(plan, source).isView());
    }

    private static boolean isWriter(MemoryPlan plan, int id) {
        Tensor tensor = tensor(plan, id);
        return plan.graph().isNode(id)
                && tensor.isView()
                && !tensor.isLeaf()
                && !tensor.op().isViewOp();
    }

    private static boolean isKeeper(MemoryPlan plan, int id) {
        return plan.graph().isNode(id) && tensor(plan, id).isLeaf();
    }

    private static boolean readsTwice(MemoryPlan plan, int id) {
        return sources(plan, id).distinct().count() < sources(plan, id).count();
    }

    private static boolean hasGap(MemoryPlan plan, int id) {
        return sources(plan, id).anyMatch(source -> source == Graph.NO_ID);
    }

    private static long readers(MemoryPlan plan, int id) {
        return IntStream.range(0, plan.graph().nodeCount())
                .filter(node -> sources(plan, node).anyMatch(source -> source == id))
                .count();
    }
}
