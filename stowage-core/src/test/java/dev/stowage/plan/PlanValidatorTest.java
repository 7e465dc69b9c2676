package dev.stowage.plan;

import static dev.stowage.plan.TestTensors.add;
import static dev.stowage.plan.TestTensors.cont;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.node;
import static dev.stowage.plan.TestTensors.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.plan.PlanViolation.Kind;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** For every rule a plan that breaks just that one, and plans that look as if they broke one and do not. */
class PlanValidatorTest {

    private static final BufferType MEMORY = MeasuringBufferType.of("memory", 16);
    private static final BufferType OTHER = MeasuringBufferType.of("other", 16);

    private final Tensor x = leaf("x", 4);
    private final Tensor y = cont("y", 4, x);
    private final Tensor z = cont("z", 4, y);
    private final Graph graph = Graph.of(z);
    private final PlanRequest request = PlanRequest.of(graph, List.of(MEMORY, OTHER), new int[] {0, 0}, new int[] {0});

    private static PlanParts planned(PlanRequest request) {
        MemoryPlan plan = Planner.ggml().plan(request);
        assertThat(PlanValidator.check(plan))
                .as("the plan before it is changed")
                .isEmpty();
        return PlanParts.of(plan);
    }

    private static PlanParts planned(Graph graph) {
        return planned(PlanRequest.of(graph, MEMORY));
    }

    /** Checks that there is one violation, of that kind and about that tensor, and that its message has these words. */
    private static void assertBroken(PlanParts parts, Kind kind, int tensor, String... words) {
        List<PlanViolation> found = PlanValidator.check(parts.plan());
        assertThat(found).extracting(PlanViolation::kind).containsExactly(kind);
        assertThat(found.getFirst().tensor()).isEqualTo(tensor);
        assertThat(found.getFirst().message()).contains(words);
    }

    @Nested
    class FindsThat {

        private final PlanParts parts = planned(request);
        private final int second = graph.idOf(z);

        @Test
        void aTensorHasNoPlace() {
            parts.buffers[second] = MemoryPlan.NOT_PLANNED;

            assertBroken(parts, Kind.MISSING, second, "'z'");
        }

        @Test
        void aLeafHasNoPlace() {
            parts.buffers[graph.idOf(x)] = MemoryPlan.NOT_PLANNED;

            assertBroken(parts, Kind.MISSING, graph.idOf(x), "'x'");
        }

        @Test
        void aTensorThatIsReadFromOutsideHasNoPlace() {
            Graph slice = graph.slice(1, 2);
            PlanParts sliced = planned(slice);
            sliced.buffers[slice.idOf(y)] = MemoryPlan.NOT_PLANNED;

            assertBroken(sliced, Kind.MISSING, slice.idOf(y), "'y'");
        }

        @Test
        void aTensorThatIsReadFromOutsideAndLastThroughAViewHasNoPlace() {
            Tensor view = view("view", y, 0, 4);
            Graph slice = Graph.listed(List.of(z, view, cont("last", 4, view)), List.of());
            PlanParts sliced = planned(slice);
            sliced.buffers[slice.idOf(y)] = MemoryPlan.NOT_PLANNED;

            assertBroken(sliced, Kind.MISSING, slice.idOf(y), "'y'");
        }

        @Test
        void aViewHasAPlace() {
            Tensor view = view("view", x, 0, 4);
            Graph viewed = Graph.of(cont("node", 4, view));
            PlanParts withView = planned(viewed);
            withView.buffers[viewed.idOf(view)] = 0;

            assertBroken(withView, Kind.UNWANTED, viewed.idOf(view), "'view'");
        }

        @Test
        void aWeightHasAPlace() {
            x.asWeight();
            PlanParts withWeight = planned(Graph.of(z));
            withWeight.buffers[2] = 0;

            assertBroken(withWeight, Kind.UNWANTED, 2, "'x'");
        }

        @Test
        void aTensorHasTooFewBytes() {
            parts.sizes[second]--;

            assertBroken(parts, Kind.TOO_SMALL, second, "'z'", "15", "16");
        }

        @Test
        void aTensorIsStoredInAnotherKindOfMemory() {
            parts.buffers[second] = 1;
            parts.chunkSizes[1] = new long[] {64};
            parts.offsets[second] = 48;

            assertBroken(parts, Kind.WRONG_BUFFER, second, "'z'", "buffer 1");
        }

        @Test
        void aTensorIsStoredInAnotherKindOfMemoryAtTheOffsetOfItsOperand() {
            Tensor inPlace = add("in place", 4, y);
            Graph adding = Graph.of(inPlace);
            PlanParts elsewhere =
                    planned(PlanRequest.of(adding, List.of(MEMORY, OTHER), new int[] {0, 0}, new int[] {0}));
            elsewhere.buffers[adding.idOf(inPlace)] = 1;
            elsewhere.chunkSizes[1] = elsewhere.chunkSizes[0].clone();
            elsewhere.inPlaceOf[adding.idOf(inPlace)] = Graph.NO_ID;

            assertBroken(elsewhere, Kind.WRONG_BUFFER, adding.idOf(inPlace), "'in place'", "buffer 1");
        }

        @Test
        void aTensorIsStoredInAnotherKindOfMemoryWithItsOperandButIsNotSaidToTakeItsPlace() {
            Graph adding = Graph.of(add("sum", 4, x));
            PlanParts together = planned(PlanRequest.of(adding, List.of(MEMORY, OTHER), new int[] {1}, new int[] {0}));
            together.inPlaceOf[0] = Graph.NO_ID;

            assertBroken(together, Kind.WRONG_BUFFER, 0, "'sum'", "buffer 0");
        }

        @Test
        void aTensorIsStoredInAnotherKindOfMemoryAndIsWronglySaidToTakeThePlaceOfItsOperand() {
            parts.buffers[second] = 1;
            parts.chunkSizes[1] = new long[] {64};
            parts.inPlaceOf[second] = graph.idOf(y);

            assertThat(PlanValidator.check(parts.plan()))
                    .extracting(PlanViolation::kind)
                    .containsExactlyInAnyOrder(Kind.IN_PLACE, Kind.WRONG_BUFFER);
        }

        @Test
        void aResultIsSaidToTakeThePlaceOfAnOperandAndIsStoredElsewhere() {
            Graph adding = Graph.of(add("sum", 4, x));
            PlanParts apart = planned(adding);
            apart.offsets[0] = 32;
            apart.chunkSizes[0][0] = 48;

            assertBroken(apart, Kind.IN_PLACE, 0, "'sum'", "'x'");
        }

        @Test
        void aResultIsSaidToTakeThePlaceOfAnOperandAndIsStoredAtItsOffsetInAnotherChunk() {
            Graph adding = Graph.of(add("sum", 4, x));
            PlanParts apart = planned(adding);
            apart.chunks[0] = 1;
            apart.chunkSizes[0] = new long[] {16, 16};

            assertBroken(apart, Kind.IN_PLACE, 0, "'sum'", "'x'");
        }

        @Test
        void aResultIsSaidToTakeThePlaceOfAnOperandThatHasNone() {
            Tensor weight = leaf("weight", 4).asWeight();
            Graph adding = Graph.of(add("sum", 4, weight));
            PlanParts claiming = planned(adding);
            claiming.inPlaceOf[0] = adding.idOf(weight);

            assertBroken(claiming, Kind.IN_PLACE, 0, "'sum'", "'weight'");
        }

        @Test
        void aLeafIsSaidToTakeThePlaceOfAnother() {
            Tensor other = leaf("other", 4);
            Graph two = Graph.of(cont("node", 4, x, other));
            PlanParts claiming = planned(two);
            claiming.inPlaceOf[two.idOf(other)] = two.idOf(x);

            assertBroken(claiming, Kind.IN_PLACE, two.idOf(other), "'other'", "'x'");
        }

        @Test
        void anInputIsSaidToTakeThePlaceOfAnOperand() {
            Graph adding = Graph.of(add("given", 4, x).asInput());
            PlanParts claiming = planned(adding);
            claiming.moveOnto(0, adding.idOf(x));
            claiming.inPlaceOf[0] = adding.idOf(x);

            assertBroken(claiming, Kind.IN_PLACE, 0, "'given'", "'x'");
        }

        @Test
        void anInputIsSaidToTakeThePlaceOfAnotherThatIsThereFromTheStartToo() {
            Tensor first = cont("first", 4, x).asInput();
            Graph adding = Graph.of(add("second", 4, first).asInput());
            PlanParts claiming = planned(adding);
            claiming.moveOnto(1, 0);
            claiming.inPlaceOf[1] = 0;

            assertBroken(claiming, Kind.IN_PLACE, 1, "'second'", "'first'");
        }

        @Test
        void aResultIsSaidToTakeThePlaceOfItself() {
            Tensor own = Tensor.builder(x.layout())
                    .op(Op.ADD)
                    .sources(leaf("kept", 4).asOutput())
                    .sourceItself(1)
                    .name("own")
                    .build();
            PlanParts claiming = planned(Graph.of(own));
            claiming.inPlaceOf[0] = 0;

            assertBroken(claiming, Kind.IN_PLACE, 0, "'own'");
        }

        @Test
        void aResultTakesThePlaceOfAnOperandAndIsNotSaidTo() {
            Graph adding = Graph.of(add("sum", 4, x));
            PlanParts silent = planned(adding);
            silent.inPlaceOf[0] = Graph.NO_ID;

            assertBroken(silent, Kind.OVERLAP, 0, "'sum'", "'x'");
        }

        @Test
        void aResultTakesThePlaceOfOneOperandAndIsSaidToTakeThatOfAnother() {
            Tensor other = leaf("other", 4);
            Graph adding = Graph.of(add("sum", 4, x, other));
            PlanParts mistaken = planned(adding);
            mistaken.inPlaceOf[0] = adding.idOf(other);

            assertBroken(mistaken, Kind.IN_PLACE, 0, "'sum'", "'other'");
        }

        @Test
        void aTensorIsStoredInABufferThatIsNotThere() {
            parts.buffers[second] = 2;

            assertBroken(parts, Kind.WRONG_BUFFER, second, "'z'", "buffer 2");
        }

        @Test
        void aResultIsSaidToTakeThePlaceOfATensorInABufferThatIsNotThere() {
            Graph adding = Graph.of(add("sum", 4, x));
            PlanParts nowhere = planned(adding);
            nowhere.buffers[adding.idOf(x)] = 7;

            assertThat(PlanValidator.check(nowhere.plan()))
                    .extracting(PlanViolation::kind)
                    .containsExactlyInAnyOrder(Kind.IN_PLACE, Kind.WRONG_BUFFER);
        }

        @Test
        void aResultIsSaidToTakeThePlaceOfATensorThatTheGraphDoesNotHave() {
            parts.inPlaceOf[second] = 99;

            assertBroken(parts, Kind.IN_PLACE, second, "'z'", "99");
        }

        @Test
        void aTensorIsStoredAtAnOddOffset() {
            parts.offsets[second] += 33;
            parts.chunkSizes[0][0] += 33;

            assertBroken(parts, Kind.MISALIGNED, second, "'z'", "33", "16");
        }

        @Test
        void aTensorReachesBeyondItsChunk() {
            parts.offsets[second] = 32;

            assertBroken(parts, Kind.OUT_OF_CHUNK, second, "'z'", "16 bytes", "32");
        }

        @Test
        void aTensorReachesBeyondItsChunkByMoreThanALongCanCount() {
            parts.offsets[second] = Long.MAX_VALUE - 15;

            assertBroken(parts, Kind.OUT_OF_CHUNK, second, "'z'");
        }

        @Test
        void aTensorBeginsBeforeItsChunk() {
            parts.offsets[second] = -16;

            assertBroken(parts, Kind.OUT_OF_CHUNK, second, "'z'", "-16");
        }

        @Test
        void aTensorIsStoredInAChunkThatIsNotThere() {
            parts.chunks[second] = 1;

            assertBroken(parts, Kind.OUT_OF_CHUNK, second, "'z'", "chunk 1");
        }

        @Test
        void aTensorIsStoredInANegativeChunk() {
            parts.chunks[second] = -1;

            assertBroken(parts, Kind.OUT_OF_CHUNK, second, "'z'", "chunk -1");
        }

        @Test
        void aTensorIsStoredInAChunkThatItsTypeDoesNotHaveWhereItIsListedFirst() {
            PlanParts twice = planned(PlanRequest.of(graph, List.of(MEMORY, MEMORY), new int[] {0, 1}, new int[] {0}));
            twice.chunkSizes[1] = new long[] {32, 16};
            twice.chunks[second] = 1;
            twice.offsets[second] = 0;

            assertThat(PlanValidator.check(twice.plan()))
                    .as("both list the same memory, which has one chunk")
                    .isNotEmpty();
        }

        @Test
        void aChunkOfSeveralTensorsIsLargerThanTheLargestBuffer() {
            PlanParts limited = planned(
                    PlanRequest.of(graph, MeasuringBufferType.of("small", 16).withMaxBufferSize(32)));
            limited.chunkSizes[0][0] = 48;

            assertBroken(limited, Kind.CHUNK_TOO_LARGE, Graph.NO_ID, "48", "32");
        }

        @Test
        void twoTensorsThatAreNeededTogetherShareAllBytes() {
            parts.moveOnto(second, graph.idOf(y));

            assertBroken(parts, Kind.OVERLAP, second, "'z'", "'y'");
        }

        @Test
        void twoTensorsThatAreNeededTogetherShareAFewBytes() {
            Tensor large = cont("large", 8, x);
            Graph wide = Graph.of(cont("last", 4, large));
            PlanParts overlapping = planned(wide);
            overlapping.offsets[wide.idOf(large)] = overlapping.offsets[1] + 16;
            overlapping.offsets[1] = overlapping.offsets[wide.idOf(large)] + 16;
            overlapping.chunkSizes[0][0] = 1024;

            assertBroken(overlapping, Kind.OVERLAP, 1, "'last'", "'large'");
        }

        @Test
        void twoLeavesShareBytes() {
            Tensor other = leaf("other", 4);
            Graph two = Graph.of(cont("node", 4, x, other));
            PlanParts sharing = planned(two);
            sharing.moveOnto(two.idOf(other), two.idOf(x));

            assertBroken(sharing, Kind.OVERLAP, two.idOf(other), "'x'", "'other'");
        }

        @Test
        void anOutputIsOverwrittenAfterItsLastReader() {
            y.asOutput();
            Tensor last = cont("last", 4, z);
            Graph kept = Graph.of(last);
            PlanParts overwriting = planned(kept);
            overwriting.moveOnto(kept.idOf(last), kept.idOf(y));

            assertBroken(overwriting, Kind.OVERLAP, kept.idOf(last), "'last'", "'y'");
        }

        @Test
        void theSourceOfAViewIsOverwrittenBeforeTheViewIsRead() {
            Tensor view = view("view", x, 0, 4);
            Tensor between = cont("between", 4, leaf("other", 4));
            Graph viewed = Graph.of(view, between, cont("last", 4, view, between));
            PlanParts overwriting = planned(viewed);
            overwriting.moveOnto(viewed.idOf(between), viewed.idOf(x));

            assertBroken(overwriting, Kind.OVERLAP, viewed.idOf(between), "'between'", "'x'");
        }
    }

    static Stream<Arguments> resultsThatMustNotOverwrite() {
        Layout matrix = Layout.contiguous(ElementType.F32, 2, 2);
        return Stream.of(
                wrongPlace("is read by a later node", x -> List.of(add("result", 4, x), cont("later", 4, x))),
                wrongPlace("is read twice by the node", x -> List.of(add("result", 4, x, x))),
                wrongPlace("is read through a view by the node", x -> List.of(add("result", 4, x, view("v", x, 0, 4)))),
                wrongPlace("is an output", x -> List.of(add("result", 4, x.asOutput()))),
                wrongPlace("is not read by the node", x -> {
                    Tensor other = leaf("other", 4);
                    Tensor result = add("result", 4, other);
                    return List.of(result, cont("later", 1, x, result));
                }),
                wrongPlace(
                        "has another shape",
                        x -> List.of(Tensor.builder(matrix)
                                .op(Op.ADD)
                                .sources(x)
                                .name("result")
                                .build())),
                wrongPlace(
                        "has another type",
                        x -> List.of(Tensor.builder(Layout.contiguous(ElementType.I32, 4))
                                .op(Op.ADD)
                                .sources(x)
                                .name("result")
                                .build())),
                wrongPlace(
                        "begins before the view of it that the node reads",
                        x -> List.of(add("result", 3, view("v", x, 1, 3)))),
                wrongPlace(
                        "has a view of another shape that the node reads",
                        x -> List.of(Tensor.builder(matrix)
                                .op(Op.ADD)
                                .sources(view("v", x, 0, 4))
                                .name("result")
                                .build())),
                wrongPlace(
                        "is in a slot that the op must not overwrite",
                        x -> List.of(node("result", Op.NORM, 4, leaf("other", 4), x))),
                wrongPlace(
                        "is read by an op that cannot work in place",
                        x -> List.of(Tensor.builder(x.layout())
                                .op(Op.MUL_MAT)
                                .sources(x)
                                .name("result")
                                .build())));
    }

    interface Roots {
        List<Tensor> of(Tensor x);
    }

    private static Arguments wrongPlace(String operand, Roots roots) {
        return arguments(operand, roots);
    }

    @ParameterizedTest(name = "the operand {0}")
    @MethodSource("resultsThatMustNotOverwrite")
    void findsAResultThatOverwritesAnOperandWhere(String operand, Roots roots) {
        Graph overwriting = Graph.of(roots.of(x));
        PlanParts parts = planned(overwriting);
        int result = overwriting.idOf(overwriting.find("result").orElseThrow());
        parts.moveOnto(result, overwriting.idOf(x));

        assertThat(PlanValidator.check(parts.plan()))
                .as(operand)
                .extracting(PlanViolation::kind)
                .containsOnly(Kind.OVERLAP)
                .isNotEmpty();
    }

    @ParameterizedTest(name = "the operand {0}")
    @MethodSource("resultsThatMustNotOverwrite")
    void findsAResultThatIsSaidToTakeThePlaceOfAnOperandWhere(String operand, Roots roots) {
        Graph overwriting = Graph.of(roots.of(x));
        PlanParts parts = planned(overwriting);
        int result = overwriting.idOf(overwriting.find("result").orElseThrow());
        parts.moveOnto(result, overwriting.idOf(x));
        parts.inPlaceOf[result] = overwriting.idOf(x);

        assertThat(PlanValidator.check(parts.plan()))
                .as(operand)
                .extracting(PlanViolation::kind)
                .containsOnly(Kind.IN_PLACE)
                .isNotEmpty();
    }

    @Nested
    class LetsPass {

        private void assertGood(Graph good, Consumer<PlanParts> change) {
            PlanParts parts = planned(good);
            change.accept(parts);

            assertThat(PlanValidator.check(parts.plan())).isEmpty();
        }

        @Test
        void aResultInThePlaceOfAnOperandInAnotherBuffer() {
            Graph adding = Graph.of(add("sum", 4, x));
            PlanRequest elsewhere = PlanRequest.of(adding, List.of(MEMORY, OTHER), new int[] {1}, new int[] {0});
            MemoryPlan plan = Planner.ggml().plan(elsewhere);

            assertThat(plan.buffer(0)).isZero();
            assertThat(PlanValidator.check(plan)).isEmpty();
        }

        @Test
        void aResultInThePlaceOfAnOperandThatIsSaidToBeThere() {
            Tensor other = leaf("other", 4);
            Graph adding = Graph.of(add("sum", 4, x, other));

            assertGood(adding, parts -> {
                parts.moveOnto(0, adding.idOf(other));
                parts.inPlaceOf[0] = adding.idOf(other);
            });
        }

        @Test
        void aResultInThePlaceOfWhatItsOperandIsAViewOf() {
            Graph adding = Graph.of(add("sum", 4, view("v", x, 0, 4)));
            int sum = adding.idOf(adding.find("sum").orElseThrow());

            assertGood(adding, parts -> {
                parts.moveOnto(sum, adding.idOf(x));
                parts.inPlaceOf[sum] = adding.idOf(x);
            });
        }

        @Test
        void aResultOverAnOperandThatGgmlWouldKeepUnlessItIsToBeHeldToThat() {
            Graph gating = Graph.of(node("gated", Op.GLU, 4, leaf("gate", 4), x));
            PlanParts parts = planned(gating);
            parts.moveOnto(0, gating.idOf(x));
            parts.inPlaceOf[0] = gating.idOf(x);

            assertThat(PlanValidator.check(parts.plan())).isEmpty();
            assertThat(PlanValidator.check(parts.plan(), InPlaceRules.ggml()))
                    .extracting(PlanViolation::kind)
                    .containsExactly(Kind.IN_PLACE);
        }

        @Test
        void twoTensorsInTheSamePlaceOneAfterTheOther() {
            assertGood(graph, parts -> parts.moveOnto(graph.idOf(z), graph.idOf(x)));
        }

        @Test
        void anEmptyTensorAmongTheBytesOfAnother() {
            Graph empty = Graph.of(cont("node", 0, x));

            assertGood(empty, parts -> parts.offsets[0] = 16);
        }

        @Test
        void moreBytesThanATensorNeeds() {
            assertGood(graph, parts -> {
                parts.offsets[graph.idOf(z)] = 64;
                parts.sizes[graph.idOf(z)] = 100;
                parts.chunkSizes[0][0] = 164;
            });
        }

        @Test
        void aChunkLargerThanTheLargestBufferThatHoldsOneTensor() {
            PlanRequest small =
                    PlanRequest.of(graph, MeasuringBufferType.of("small", 16).withMaxBufferSize(1));
            MemoryPlan plan = Planner.ggml().plan(small);

            assertThat(plan.chunkSize(0, 0)).isEqualTo(16);
            assertThat(PlanValidator.check(plan)).isEmpty();
        }

        @Test
        void anExternalTensorThatIsOnlyViewed() {
            Tensor view = view("view", x, 0, 4);
            Graph sliced = Graph.of(cont("node", 4, view)).slice(1, 2);

            assertThat(PlanValidator.check(Planner.ggml().plan(PlanRequest.of(sliced, MEMORY))))
                    .isEmpty();
        }

        @Test
        void aGraphWithoutTensors() {
            assertGood(Graph.listed(List.of(), List.of()), _ -> {});
        }
    }

    @Nested
    class TheHazards {

        private final Tensor seen = view("seen", x, 0, 2).asOutput();
        private final Tensor first = cont("first", 4, seen);
        private final Tensor second = cont("second", 4, first);

        @Test
        void areOutputsWhoseBytesAreUsedAgainSinceTheyAreViews() {
            Graph hazardous = Graph.of(second);
            MemoryPlan plan = Planner.ggml().plan(PlanRequest.of(hazardous, MEMORY));
            List<PlanViolation> hazards = PlanValidator.hazards(plan);

            assertThat(PlanValidator.check(plan)).isEmpty();
            assertThat(hazards).extracting(PlanViolation::kind).containsExactly(Kind.OUTPUT_OVERWRITTEN);
            assertThat(hazards.getFirst().tensor()).isEqualTo(hazardous.idOf(second));
            assertThat(hazards.getFirst().message()).contains("'x'", "'second'", "mark");
        }

        @Test
        void areGoneWhenTheSourceOfTheViewIsMarkedToo() {
            x.asOutput();

            assertThat(PlanValidator.hazards(Planner.ggml().plan(PlanRequest.of(Graph.of(second), MEMORY))))
                    .isEmpty();
        }

        @Test
        void includeResultsComputedInPlaceOfTheSourceOfTheView() {
            Tensor read = cont("read", 1, seen);
            Tensor inPlace = add("in place", 4, x);
            MemoryPlan plan = Planner.ggml().plan(PlanRequest.of(Graph.of(read, inPlace), MEMORY));

            assertThat(plan.inPlaceOf(plan.graph().idOf(inPlace)))
                    .isEqualTo(plan.graph().idOf(x));
            assertThat(PlanValidator.hazards(plan))
                    .extracting(PlanViolation::tensor)
                    .containsExactly(plan.graph().idOf(inPlace));
        }

        @Test
        void areNoneWhereTheBytesAreNotReused() {
            assertThat(PlanValidator.hazards(Planner.ggml().plan(PlanRequest.of(Graph.of(first), MEMORY))))
                    .isEmpty();
        }
    }

    @Nested
    class RequiringAValidPlan {

        @Test
        void givesTheSamePlanBack() {
            MemoryPlan plan = Planner.ggml().plan(request);

            assertThat(PlanValidator.requireValid(plan)).isSameAs(plan);
        }

        @Test
        void refusesABrokenOneNamingWhatIsWrong() {
            PlanParts parts = planned(request);
            parts.sizes[0] = 3;
            parts.sizes[1] = 5;

            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> PlanValidator.requireValid(parts.plan()))
                    .withMessageContainingAll("breaks the rules of plans 2 times:", "'y'", "3 bytes", "'z'", "5 bytes");
        }
    }
}
