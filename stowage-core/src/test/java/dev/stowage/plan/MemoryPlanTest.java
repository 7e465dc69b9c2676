package dev.stowage.plan;

import static dev.stowage.plan.TestTensors.add;
import static dev.stowage.plan.TestTensors.cont;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class MemoryPlanTest {

    private static final BufferType MEMORY = MeasuringBufferType.of("memory", 16);
    private static final BufferType OTHER = MeasuringBufferType.of("other", 32);

    private final Tensor x = leaf("x", 4);
    private final Tensor y = cont("y", 5, x);
    private final Tensor window = view("window", y, 2, 3);
    private final Tensor z = add("z", 3, window);
    private final Graph graph = Graph.of(z);
    private final PlanRequest request =
            PlanRequest.of(graph, List.of(MEMORY, OTHER), new int[] {0, 0, 1}, new int[] {0});
    private final MemoryPlan plan = Planner.ggml().plan(request);

    @Nested
    class ThePlacement {

        @Test
        void ofATensorIsItsBufferChunkOffsetAndSize() {
            assertThat(plan.placement(y)).contains(new PlannedPlace(0, 0, 16, 20));
            assertThat(plan.placement(z)).contains(new PlannedPlace(1, 0, 0, 12));
        }

        @Test
        void ofAViewIsAPartOfThatOfItsSource() {
            assertThat(plan.placement(window)).contains(new PlannedPlace(0, 0, 24, 12));
        }

        @Test
        void isAskedForByIdOrByTensor() {
            for (int id = 0; id < graph.size(); id++) {
                assertThat(plan.placement(id)).isEqualTo(plan.placement(graph.tensor(id)));
            }
        }

        @Test
        void isOnlyForTensorsOfTheGraph() {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> plan.placement(leaf("foreign", 1)))
                    .withMessageContaining("'foreign'");
        }

        @Test
        void isEmptyForAViewOfAWeight() {
            Tensor weight = leaf("weight", 4).asWeight();
            Tensor part = view("part", weight, 0, 2);
            MemoryPlan weighted = Planner.ggml().plan(PlanRequest.of(Graph.of(cont("node", 1, part)), MEMORY));

            assertThat(weighted.placement(part)).isEmpty();
        }
    }

    @Test
    void knowsItsSizes() {
        assertThat(plan.chunkSize(0, 0)).isEqualTo(48);
        assertThat(plan.bufferSize(0)).isEqualTo(48);
        assertThat(plan.bufferSize(1)).isEqualTo(32);
        assertThat(plan.size()).isEqualTo(80);
        assertThat(plan).hasToString("MemoryPlan[ggml, 3 nodes, 80 bytes]");
    }

    @Nested
    class IsEqual {

        private MemoryPlan planOf(long seed) {
            return Planner.ggml().plan(RandomGraphs.request(RandomGraphs.graph(seed), seed));
        }

        private PlanParts parts() {
            return PlanParts.of(plan);
        }

        @Test
        void toOneWithTheSamePlacesOnAGraphOfTheSameWiring() {
            for (long seed = 0; seed < 50; seed++) {
                assertThat(planOf(seed))
                        .as("seed %d", seed)
                        .isEqualTo(planOf(seed))
                        .hasSameHashCodeAs(planOf(seed));
            }
        }

        @Test
        void toOneThatWasSavedAndRead() {
            assertThat(MemoryPlan.fromJson(plan.toJson(), request))
                    .isEqualTo(plan)
                    .hasSameHashCodeAs(plan);
        }

        @Test
        void whicheverPlannerMadeIt() {
            assertThat(parts().plan()).isEqualTo(plan).hasSameHashCodeAs(plan);
        }

        @Test
        void toNoneOnAnotherGraph() {
            for (long seed = 0; seed < 50; seed++) {
                assertThat(planOf(seed)).as("seed %d", seed).isNotEqualTo(planOf(seed + 1));
            }
        }

        @Test
        void toNoneOnAGraphWithAnotherMark() {
            MemoryPlan before = Planner.ggml().plan(PlanRequest.of(graph, MEMORY));
            z.asOutput();
            MemoryPlan after = Planner.ggml().plan(PlanRequest.of(Graph.of(z), MEMORY));

            assertThat(PlanParts.lines(after)).isEqualTo(PlanParts.lines(before));
            assertThat(after).isNotEqualTo(before);
        }

        static Stream<Arguments> changes() {
            return Stream.of(
                    change("buffer", parts -> parts.buffers[0] = 1),
                    change("chunk", parts -> parts.chunks[0] = 1),
                    change("offset", parts -> parts.offsets[0] = 32),
                    change("size", parts -> parts.sizes[0]++),
                    change("operand", parts -> parts.inPlaceOf[0] = 3),
                    change("size of a chunk", parts -> parts.chunkSizes[0][0]++));
        }

        private static Arguments change(String name, Consumer<PlanParts> change) {
            return arguments(name, change);
        }

        @ParameterizedTest(name = "{0}")
        @MethodSource("changes")
        void toNoneWithAnother(String name, Consumer<PlanParts> change) {
            PlanParts changed = parts();
            change.accept(changed);

            assertThat(changed.plan()).as(name).isNotEqualTo(plan);
        }

        @Test
        void toNothingElse() {
            assertThat(plan).isNotEqualTo(plan.toString());
        }
    }

    @Nested
    class Building {

        @Test
        void putsTensorsWhereTheCallerWants() {
            MemoryPlan built = MemoryPlan.builder("mine", request)
                    .place(graph.idOf(x), 0, 1, 32)
                    .place(graph.idOf(y), 0, 0, 16)
                    .place(graph.idOf(z), 1, 0, 64)
                    .build();

            assertThat(built.planner()).isEqualTo("mine");
            assertThat(built.placement(x)).contains(new PlannedPlace(0, 1, 32, 16));
            assertThat(built.placement(z)).contains(new PlannedPlace(1, 0, 64, 12));
            assertThat(built.chunkSize(0, 0)).as("up to the padded end of y").isEqualTo(48);
            assertThat(built.chunkSize(0, 1)).isEqualTo(48);
            assertThat(built.bufferSize(1)).isEqualTo(96);
            assertThat(PlanValidator.check(built)).isEmpty();
        }

        @Test
        void rebuildsWhatThePlannerPlanned() {
            for (long seed = 0; seed < 200; seed++) {
                MemoryPlan original = Planner.ggml().plan(RandomGraphs.request(RandomGraphs.graph(seed), seed));
                MemoryPlanBuilder builder = MemoryPlan.builder("again", original.request());
                for (int id = 0; id < original.graph().size(); id++) {
                    if (original.isPlanned(id) && original.inPlaceOf(id) == Graph.NO_ID) {
                        builder.place(id, original.buffer(id), original.chunk(id), original.offset(id));
                    }
                }
                for (int node = 0; node < original.graph().nodeCount(); node++) {
                    if (original.inPlaceOf(node) != Graph.NO_ID) {
                        builder.placeOver(node, original.inPlaceOf(node));
                    }
                }

                assertThat(PlanParts.lines(builder.build())).as("seed %d", seed).isEqualTo(PlanParts.lines(original));
            }
        }

        @Test
        void putsAResultOverItsOperand() {
            Tensor sum = add("sum", 4, x);
            Graph adding = Graph.of(sum);
            MemoryPlan built = MemoryPlan.builder("mine", PlanRequest.of(adding, MEMORY))
                    .place(1, 0, 0, 32)
                    .placeOver(0, 1)
                    .build();

            assertThat(built.inPlaceOf(0)).isEqualTo(1);
            assertThat(built.placement(sum)).isEqualTo(built.placement(x));
            assertThat(PlanValidator.check(built)).isEmpty();
        }

        @Test
        void canMoveAResultAwayFromItsOperandAgain() {
            Graph adding = Graph.of(add("sum", 4, x));
            MemoryPlan built = MemoryPlan.builder("mine", PlanRequest.of(adding, MEMORY))
                    .place(1, 0, 0, 0)
                    .placeOver(0, 1)
                    .place(0, 0, 0, 16)
                    .build();

            assertThat(built.inPlaceOf(0)).isEqualTo(Graph.NO_ID);
            assertThat(PlanValidator.check(built)).isEmpty();
        }

        @Test
        void putsNothingOverWhatHasNoPlace() {
            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> MemoryPlan.builder("mine", request).placeOver(graph.idOf(z), graph.idOf(y)))
                    .withMessageContainingAll("'z'", "'y'");
        }

        @ParameterizedTest
        @CsvSource({"-1, 0, 0", "2, 0, 0", "0, -1, 0", "0, 0, -16"})
        void refusesAPlaceThatCannotBe(int buffer, int chunk, long offset) {
            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> MemoryPlan.builder("mine", request).place(0, buffer, chunk, offset))
                    .withMessageContainingAll("'y'", "buffer " + buffer, "chunk " + chunk, "offset " + offset);
        }

        @Test
        void canGoOn() {
            MemoryPlanBuilder builder = MemoryPlan.builder("mine", request).place(0, 0, 0, 16);
            MemoryPlan first = builder.build();
            builder.place(0, 0, 0, 512);

            assertThat(first.offset(0)).isEqualTo(16);
            assertThat(first.chunkSize(0, 0)).isEqualTo(48);
        }
    }

    @Nested
    class Saving {

        @Test
        void keepsEverything() {
            for (long seed = 0; seed < 200; seed++) {
                PlanRequest random = RandomGraphs.request(RandomGraphs.graph(seed), seed);
                MemoryPlan saved = Planner.ggml().plan(random);
                MemoryPlan read = MemoryPlan.fromJson(saved.toJson(), random);

                assertThat(PlanParts.lines(read)).as("seed %d", seed).isEqualTo(PlanParts.lines(saved));
                assertThat(read.planner()).isEqualTo("ggml");
            }
        }

        @Test
        void servesTheSameGraphMadeAnew() {
            PlanRequest anew = RandomGraphs.request(RandomGraphs.graph(5), 5);
            MemoryPlan saved = Planner.ggml().plan(RandomGraphs.request(RandomGraphs.graph(5), 5));

            assertThat(PlanParts.lines(MemoryPlan.fromJson(saved.toJson(), anew)))
                    .isEqualTo(PlanParts.lines(saved));
        }

        @Test
        void doesNotServeAnotherGraph() {
            String json = plan.toJson();
            for (long seed = 0; seed < 50; seed++) {
                PlanRequest other = RandomGraphs.request(RandomGraphs.graph(seed), seed);

                assertThatExceptionOfType(InvalidPlanException.class)
                        .as("seed %d", seed)
                        .isThrownBy(() -> MemoryPlan.fromJson(json, other))
                        .withMessageContaining("another graph");
            }
        }

        @Test
        void doesNotServeAGraphWithAnotherMark() {
            String json = plan.toJson();
            y.asOutput();
            PlanRequest marked =
                    PlanRequest.of(Graph.of(z), List.of(MEMORY, OTHER), new int[] {0, 0, 1}, new int[] {0});

            assertThatExceptionOfType(InvalidPlanException.class).isThrownBy(() -> MemoryPlan.fromJson(json, marked));
        }

        @Test
        void doesNotServeOtherMemory() {
            PlanRequest exchanged = PlanRequest.of(graph, List.of(OTHER, MEMORY), new int[] {0, 0, 1}, new int[] {0});

            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> MemoryPlan.fromJson(plan.toJson(), exchanged))
                    .withMessageContainingAll("'memory'", "16", "'other'", "32");
        }

        @Test
        void doesNotServeFewerKindsOfMemory() {
            PlanRequest fewer = PlanRequest.of(graph, MEMORY);

            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> MemoryPlan.fromJson(plan.toJson(), fewer))
                    .withMessageContainingAll("2 buffers", "1");
        }

        static Stream<Arguments> mistakes() {
            return Stream.of(
                    arguments("\"stowage-plan\"", "\"shopping list\"", "stowage-plan"),
                    arguments("\"version\": 1", "\"version\": 2", "version 2"),
                    arguments("\"id\": 2", "\"id\": 9", "9"),
                    arguments("\"id\": 2", "\"id\": -1", "-1"),
                    arguments("\"id\": 2", "\"id\": 0", "tensor 0"),
                    arguments("\"buffer\": 1", "\"buffer\": 2", "2"),
                    arguments("\"chunk\": 0", "\"chunk\": -1", "-1"),
                    arguments("\"offset\": 16", "\"offset\": \"16\"", "offset"),
                    arguments("\"planner\"", "\"planer\"", "planner"));
        }

        @ParameterizedTest(name = "{1}")
        @MethodSource("mistakes")
        void noticesWhatCannotBeRead(String right, String wrong, String named) {
            String json = plan.toJson();
            assertThat(json).contains(right);

            assertThatExceptionOfType(MalformedDataException.class)
                    .isThrownBy(() -> MemoryPlan.fromJson(json.replace(right, wrong), request))
                    .withMessageContaining(named);
        }

        @Test
        void noticesWhatIsNotJson() {
            assertThatExceptionOfType(MalformedDataException.class)
                    .isThrownBy(() -> MemoryPlan.fromJson("plan", request));
        }

        @Test
        void noticesThatAPlanWasSpoilt() {
            String json = plan.toJson();

            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> MemoryPlan.fromJson(json.replace("\"offset\": 16", "\"offset\": 0"), request))
                    .withMessageContainingAll("'y'", "'x'");
        }

        private final Graph adding = Graph.of(add("sum", 4, x));
        private final PlanRequest inPlace = PlanRequest.of(adding, MEMORY);
        private final String saved = Planner.ggml().plan(inPlace).toJson();

        private void assertNoticed(String spoilt, String... words) {
            assertThat(spoilt).isNotEqualTo(saved);
            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> MemoryPlan.fromJson(spoilt, inPlace))
                    .withMessageContainingAll(words);
        }

        @Test
        void noticesThatAResultInPlaceOfAnOperandIsNoLongerSaidToBe() {
            assertNoticed(saved.replaceAll(",\\s*\"in_place_of\": \\d+", ""), "'sum'", "'x'");
        }

        @Test
        void noticesThatAResultIsSaidToBeInPlaceOfAnother() {
            assertNoticed(saved.replaceAll("\"in_place_of\": \\d+", "\"in_place_of\": 0"), "'sum'");
        }

        @Test
        void noticesThatAResultIsNoLongerWhereItIsSaidToBe() {
            String moved = saved.replaceFirst("\"offset\": 0", "\"offset\": 16").replaceFirst("16(\\s*])", "32$1");

            assertThat(moved).contains("\"chunks\"", "32");
            assertNoticed(moved, "'sum'", "'x'");
        }

        @Test
        void noticesChunksThatDifferBetweenBuffersOfTheSameType() {
            PlanRequest twice = PlanRequest.of(graph, List.of(MEMORY, MEMORY), new int[] {1, 1, 1}, new int[] {1});
            MemoryPlan saved = Planner.ggml().plan(twice);
            PlanParts spoilt = PlanParts.of(saved);
            spoilt.chunkSizes[1] = new long[] {4096};
            spoilt.offsets[graph.idOf(z)] = 2048;

            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> MemoryPlan.fromJson(spoilt.plan().toJson(), twice));
        }
    }
}
