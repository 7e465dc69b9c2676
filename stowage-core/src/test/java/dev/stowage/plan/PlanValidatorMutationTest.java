package dev.stowage.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.memory.MeasuringBufferType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Spoils good plans of random graphs by one move each; the validator must notice every time. */
class PlanValidatorMutationTest {

    private static final int SEEDS = 1000;

    private record Pair(int moved, int there) {}

    /** Tensors with bytes that are needed at the same time, and not just while one is computed from the other. */
    private static List<Pair> liveTogether(MemoryPlan plan) {
        Graph graph = plan.graph();
        BruteForceLives lives = new BruteForceLives(graph);
        List<Pair> pairs = new ArrayList<>();
        for (int a = 0; a < graph.size(); a++) {
            for (int b = 0; b < graph.size(); b++) {
                boolean haveBytes =
                        a != b && plan.isPlanned(a) && plan.isPlanned(b) && plan.size(a) > 0 && plan.size(b) > 0;
                if (haveBytes && lives.liveTogether(a, b) && !meetOnce(lives, a, b) && !meetOnce(lives, b, a)) {
                    pairs.add(new Pair(a, b));
                }
            }
        }
        return pairs;
    }

    /** Whether {@code late} begins where {@code early} ends. */
    private static boolean meetOnce(BruteForceLives lives, int early, int late) {
        return lives.to(early) == lives.from(late);
    }

    @Test
    void noticesATensorMovedOntoAnotherThatIsNeededAtTheSameTime() {
        int spoilt = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            PlanRequest request = PlanRequest.of(RandomGraphs.graph(seed), MeasuringBufferType.of("memory", 32));
            MemoryPlan plan = Planner.ggml().plan(request);
            List<Pair> pairs = liveTogether(plan);
            if (pairs.isEmpty()) {
                continue;
            }
            Pair pair = pairs.get(new Random(seed).nextInt(pairs.size()));
            PlanParts parts = PlanParts.of(plan);
            parts.moveOnto(pair.moved, pair.there);

            assertThat(PlanValidator.check(parts.plan()))
                    .as("seed %d: %d moved onto %d", seed, pair.moved, pair.there)
                    .extracting(PlanViolation::kind)
                    .contains(PlanViolation.Kind.OVERLAP);
            spoilt++;
        }
        assertThat(spoilt).as("plans spoilt").isGreaterThan(SEEDS * 3 / 4);
    }

    /** Results with bytes that take the place of an operand. */
    private static List<Integer> resultsInPlace(MemoryPlan plan) {
        return IntStream.range(0, plan.graph().size())
                .filter(id -> plan.inPlaceOf(id) != Graph.NO_ID && plan.size(id) > 0)
                .boxed()
                .toList();
    }

    /** Changes one result that takes the place of an operand in each of the plans, and gives what is found. */
    private static void assertNoticed(BiConsumer<PlanParts, Integer> change, PlanViolation.Kind kind) {
        int spoilt = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            PlanRequest request = PlanRequest.of(RandomGraphs.graph(seed), MeasuringBufferType.of("memory", 32));
            MemoryPlan plan = Planner.ggml().plan(request);
            List<Integer> inPlace = resultsInPlace(plan);
            if (!inPlace.isEmpty()) {
                int result = inPlace.get(new Random(seed).nextInt(inPlace.size()));
                PlanParts parts = PlanParts.of(plan);
                change.accept(parts, result);

                assertThat(PlanValidator.check(parts.plan()))
                        .as("seed %d, result %d", seed, result)
                        .extracting(PlanViolation::kind)
                        .contains(kind);
                spoilt++;
            }
        }
        assertThat(spoilt).as("plans spoilt").isGreaterThan(SEEDS / 4);
    }

    @Test
    void noticesAResultInThePlaceOfAnOperandThatIsNotSaidToBe() {
        assertNoticed((parts, result) -> parts.inPlaceOf[result] = Graph.NO_ID, PlanViolation.Kind.OVERLAP);
    }

    @Test
    void noticesAResultThatIsSaidToBeInThePlaceOfAnOperandAndIsNot() {
        assertNoticed(
                (parts, result) -> {
                    parts.offsets[result] = Math.ceilDiv(parts.chunkSizes[0][0], 32) * 32;
                    parts.chunkSizes[0][0] = parts.offsets[result] + parts.sizes[result];
                },
                PlanViolation.Kind.IN_PLACE);
    }

    @Test
    void agreesWithEveryPairOfTensorsComparedOneByOne() {
        int good = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            MemoryPlan plan = shuffled(RandomGraphs.graph(seed), seed);
            boolean expected = sharesNothing(plan) && saysTheTruth(plan);

            assertThat(PlanValidator.check(plan).isEmpty())
                    .as("seed %d: whether the plan is good", seed)
                    .isEqualTo(expected);
            good += expected ? 1 : 0;
        }
        assertThat(good).as("good plans among them").isBetween(SEEDS / 10, SEEDS * 9 / 10);
    }

    /** A good plan of which a few tensors have been put anywhere, or are said to take the place of any operand. */
    private static MemoryPlan shuffled(Graph graph, long seed) {
        Random random = new Random(seed);
        MemoryPlan plan = Planner.ggml().plan(PlanRequest.of(graph, MeasuringBufferType.of("memory", 32)));
        PlanParts parts = PlanParts.of(plan);
        for (int i = 0; i < random.nextInt(4); i++) {
            int id = random.nextInt(graph.size());
            if (plan.isPlanned(id) && random.nextInt(3) == 0 && graph.endSlot(id) > graph.firstSlot(id)) {
                parts.inPlaceOf[id] = graph.sourceAt(random.nextInt(graph.firstSlot(id), graph.endSlot(id)));
            } else if (plan.isPlanned(id)) {
                parts.offsets[id] = random.nextInt(100) * 32L;
                parts.chunkSizes[0][0] = Math.max(parts.chunkSizes[0][0], parts.offsets[id] + parts.sizes[id]);
            }
        }
        return parts.plan();
    }

    /** Whether every result that is said to take the place of an operand may do so and does. */
    private static boolean saysTheTruth(MemoryPlan plan) {
        BruteForceLives lives = new BruteForceLives(plan.graph());
        return IntStream.range(0, plan.graph().size())
                .filter(id -> plan.inPlaceOf(id) != Graph.NO_ID)
                .allMatch(id -> lives.isInPlace(plan, id, plan.inPlaceOf(id)));
    }

    private static boolean sharesNothing(MemoryPlan plan) {
        BruteForceLives lives = new BruteForceLives(plan.graph());
        for (int a = 0; a < plan.graph().size(); a++) {
            for (int b = 0; b < a; b++) {
                boolean share = plan.isPlanned(a)
                        && plan.isPlanned(b)
                        && Math.max(plan.offset(a), plan.offset(b))
                                < Math.min(plan.offset(a) + plan.size(a), plan.offset(b) + plan.size(b));
                if (share && lives.liveTogether(a, b) && !lives.isInPlace(plan, a, b) && !lives.isInPlace(plan, b, a)) {
                    return false;
                }
            }
        }
        return true;
    }
}
