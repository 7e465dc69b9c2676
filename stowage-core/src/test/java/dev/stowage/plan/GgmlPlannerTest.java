package dev.stowage.plan;

import static dev.stowage.plan.TestTensors.add;
import static dev.stowage.plan.TestTensors.cont;
import static dev.stowage.plan.TestTensors.copy;
import static dev.stowage.plan.TestTensors.floats;
import static dev.stowage.plan.TestTensors.keeper;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.node;
import static dev.stowage.plan.TestTensors.view;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The rules of ggml's graph allocator one by one, on graphs of a few nodes. */
class GgmlPlannerTest {

    private static final MeasuringBufferType MEMORY = MeasuringBufferType.of("memory", 1);

    private static MemoryPlan plan(Graph graph) {
        return plan(PlanRequest.of(graph, MEMORY));
    }

    private static MemoryPlan plan(PlanRequest request) {
        return PlanValidator.requireValid(Planner.ggml().plan(request));
    }

    private static long offset(MemoryPlan plan, Tensor tensor) {
        return plan.placement(tensor).orElseThrow().offset();
    }

    private static void assertInPlace(MemoryPlan plan, Tensor result, Tensor operand) {
        assertThat(plan.inPlaceOf(plan.graph().idOf(result)))
                .isEqualTo(plan.graph().idOf(operand));
        assertThat(offset(plan, result)).isEqualTo(offset(plan, operand));
    }

    private static void assertNotInPlace(MemoryPlan plan, Tensor result) {
        assertThat(plan.inPlaceOf(plan.graph().idOf(result))).isEqualTo(Graph.NO_ID);
    }

    @Nested
    class TheLeaves {

        @Test
        void comeFirstInTheirOrder() {
            Tensor a = leaf("a", 3);
            Tensor b = leaf("b", 5);
            Tensor sum = cont("sum", 2, b, a);
            MemoryPlan plan = plan(Graph.listed(List.of(sum), List.of(a, b)));

            assertThat(offset(plan, a)).isZero();
            assertThat(offset(plan, b)).isEqualTo(12);
            assertThat(offset(plan, sum)).isEqualTo(32);
            assertThat(plan.size()).isEqualTo(40);
        }

        @Test
        void giveTheirPlaceUpAfterTheLastReader() {
            Tensor a = leaf("a", 4);
            Tensor first = cont("first", 4, a);
            Tensor second = cont("second", 4, first);
            MemoryPlan plan = plan(Graph.of(second));

            assertThat(offset(plan, second)).isEqualTo(offset(plan, a));
        }

        @Test
        void keepTheirPlaceWhereNoNodeReadsThem() {
            Tensor unread = leaf("unread", 4);
            Tensor a = leaf("a", 4);
            Tensor first = cont("first", 4, a);
            Tensor second = cont("second", 4, first);
            Tensor third = cont("third", 4, second);
            MemoryPlan plan = plan(Graph.listed(List.of(first, second, third), List.of(unread, a)));

            assertThat(List.of(offset(plan, first), offset(plan, second), offset(plan, third)))
                    .doesNotContain(offset(plan, unread));
        }
    }

    @Nested
    class AResultTakesThePlaceOfAnOperand {

        private final Tensor x = leaf("x", 8);

        @Test
        void thatNoOtherNodeNeeds() {
            Tensor y = add("y", 8, x);
            MemoryPlan plan = plan(Graph.of(y));

            assertInPlace(plan, y, x);
            assertThat(plan.size()).isEqualTo(32);
        }

        @Test
        void thatIsTheFirstThatCan() {
            Tensor other = leaf("other", 8);
            Tensor y = add("y", 8, x, other);

            assertInPlace(plan(Graph.of(y)), y, x);
        }

        @Test
        void thatIsTheSecondWhereTheFirstCannot() {
            Tensor other = leaf("other", 8).asOutput();
            Tensor y = add("y", 8, other, x);

            assertInPlace(plan(Graph.of(y)), y, x);
        }

        @Test
        void thatComesAfterAGap() {
            Tensor y = Tensor.builder(floats(8)).op(Op.ADD).sourceAt(2, x).build();

            assertInPlace(plan(Graph.of(y)), y, x);
        }

        @Test
        void whoseViewsHaveAllBeenRead() {
            Tensor read = cont("read", 1, view("view", x, 2, 3));
            Tensor y = add("y", 8, x);

            assertInPlace(plan(Graph.of(read, y)), y, x);
        }

        @Test
        void inAChainThatNeedsThePlaceOnce() {
            Tensor y = x;
            for (int i = 0; i < 10; i++) {
                y = add("y" + i, 8, y);
            }

            assertThat(plan(Graph.of(y)).size()).isEqualTo(32);
        }

        @Test
        void inTheOperandsBufferWhateverBufferWasAskedFor() {
            Tensor y = add("y", 8, x);
            BufferType elsewhere = MeasuringBufferType.of("elsewhere", 1);
            PlanRequest request = PlanRequest.of(Graph.of(y), List.of(MEMORY, elsewhere), new int[] {1}, new int[] {0});

            assertThat(plan(request).placement(y)).contains(new PlannedPlace(0, 0, 0, 32));
        }
    }

    @Nested
    class AResultGetsAPlaceOfItsOwnWhereTheOperand {

        private final Tensor x = leaf("x", 8);

        @Test
        void isReadByALaterNode() {
            Tensor y = add("y", 8, x);
            Tensor later = cont("later", 8, x);

            assertNotInPlace(plan(Graph.of(y, later)), y);
        }

        @Test
        void isReadTwiceByTheNode() {
            Tensor y = add("y", 8, x, x);

            assertNotInPlace(plan(Graph.of(y)), y);
        }

        @Test
        void isAnOutput() {
            x.asOutput();
            Tensor y = add("y", 8, x);

            assertNotInPlace(plan(Graph.of(y)), y);
        }

        @Test
        void hasAViewThatIsStillToBeRead() {
            Tensor view = view("view", x, 0, 8);
            Tensor y = add("y", 8, x);
            Tensor later = cont("later", 8, view);

            assertNotInPlace(plan(Graph.listed(List.of(view, y, later), List.of(x))), y);
        }

        @Test
        void hasAViewThatNoNodeReads() {
            Tensor view = view("view", x, 0, 8);
            Tensor y = add("y", 8, x);

            assertNotInPlace(plan(Graph.of(view, y)), y);
        }

        @Test
        void isAViewItself() {
            Tensor y = add("y", 8, view("view", x, 0, 8));

            assertNotInPlace(plan(Graph.of(y)), y);
        }

        @Test
        void hasAnotherShape() {
            Tensor y = Tensor.builder(Layout.contiguous(ElementType.F32, 4, 2))
                    .op(Op.ADD)
                    .sources(x)
                    .build();

            assertNotInPlace(plan(Graph.of(y)), y);
        }

        @Test
        void hasAnotherType() {
            Tensor y = Tensor.builder(Layout.contiguous(ElementType.I32, 8))
                    .op(Op.ADD)
                    .sources(x)
                    .build();

            assertNotInPlace(plan(Graph.of(y)), y);
        }

        @Test
        void hasOtherStrides() {
            Layout plain = Layout.contiguous(ElementType.F32, 2, 2);
            Layout turned = Layout.strided(ElementType.F32, plain.shape(), new Strides(8, 4, 16, 16));
            Tensor operand = Tensor.leaf(plain);
            Tensor y = Tensor.builder(turned).op(Op.ADD).sources(operand).build();

            assertNotInPlace(plan(Graph.of(y)), y);
        }

        @Test
        void isReadByAnOpThatCannotWorkInPlace() {
            Tensor y = cont("y", 8, x);

            assertNotInPlace(plan(Graph.of(y)), y);
        }

        @Test
        void isAWeight() {
            x.asWeight();
            Tensor y = add("y", 8, x);

            assertNotInPlace(plan(Graph.of(y)), y);
        }

        @Test
        void liesInABufferOfTheCaller() {
            try (Buffer own = MEMORY.allocate(32)) {
                own.place(x, 0);
                Tensor y = add("y", 8, x);

                assertNotInPlace(plan(Graph.of(y)), y);
            }
        }

        @Test
        void isTheResultItself() {
            x.asOutput();
            Tensor y = Tensor.builder(floats(8))
                    .op(Op.ADD)
                    .sources(x)
                    .sourceItself(1)
                    .build();
            MemoryPlan plan = plan(Graph.of(y));

            assertNotInPlace(plan, y);
            assertThat(offset(plan, y)).isNotEqualTo(offset(plan, x));
        }

        @Test
        void isOverwrittenByAnInput() {
            Tensor given = add("given", 8, x).asInput();

            assertNotInPlace(plan(Graph.of(given)), given);
        }

        @Test
        void takesFewerBytesThanTheResult() {
            BufferType opSized = new OpSizedMemory("op-sized", 1, Long.MAX_VALUE, 4);
            Tensor y = node("y", Op.SCALE, 8, x);
            MemoryPlan plan = plan(PlanRequest.of(Graph.of(y), opSized));

            assertThat(opSized.allocationSize(y)).isGreaterThan(opSized.allocationSize(x));
            assertNotInPlace(plan, y);
        }
    }

    @Nested
    class WhatAnOperandHadMoreThanItsResult {

        private final BufferType opSized = new OpSizedMemory("op-sized", 8, Long.MAX_VALUE, 24);
        private final Tensor x = leaf("x", 8);
        private final Tensor y = add("y", 8, x);
        private final Tensor z = cont("z", 0, y);
        private final MemoryPlan plan = plan(PlanRequest.of(Graph.of(z), opSized));

        @Test
        void isFreed() {
            assertThat(opSized.allocationSize(x) - opSized.allocationSize(y)).isEqualTo(24);
            assertInPlace(plan, y, x);
            assertThat(offset(plan, z))
                    .as("24 bytes, after what the result keeps")
                    .isEqualTo(32);
        }

        @Test
        void isNotCountedAsItsSize() {
            assertThat(plan.size(plan.graph().idOf(y))).isEqualTo(32);
            assertThat(plan.size(plan.graph().idOf(x))).isEqualTo(56);
        }
    }

    @Nested
    class AView {

        @Test
        void hasNoPlaceOfItsOwnAndIsStoredWithinItsSource() {
            Tensor x = leaf("x", 8);
            Tensor view = view("view", x, 3, 2);
            MemoryPlan plan = plan(Graph.of(cont("y", 2, view)));

            assertThat(plan.isPlanned(plan.graph().idOf(view))).isFalse();
            assertThat(plan.placement(view)).contains(new PlannedPlace(0, 0, offset(plan, x) + 12, 8));
        }

        @Test
        void keepsItsSourceUntilItHasBeenRead() {
            Tensor x = leaf("x", 8);
            Tensor view = view("view", x, 0, 8);
            Tensor between = cont("between", 8, leaf("other", 1));
            Tensor last = cont("last", 8, view, between);
            Tensor after = cont("after", 8, last);
            MemoryPlan plan = plan(Graph.of(view, between, last, after));

            assertThat(List.of(offset(plan, between), offset(plan, last))).doesNotContain(offset(plan, x));
            assertThat(offset(plan, after)).isEqualTo(offset(plan, x));
        }

        @Test
        void ofAViewKeepsTheSourceOfBoth() {
            Tensor x = leaf("x", 8);
            Tensor view = view("view of view", view("view", x, 2, 6), 2, 2);
            Tensor between = cont("between", 8, leaf("other", 1));
            Tensor last = cont("last", 8, view, between);
            MemoryPlan plan = plan(Graph.of(view, between, last));

            assertThat(plan.placement(view)).contains(new PlannedPlace(0, 0, offset(plan, x) + 16, 8));
            assertThat(List.of(offset(plan, between), offset(plan, last))).doesNotContain(offset(plan, x));
        }

        @Test
        void thatNoNodeReadsKeepsItsSourceToTheEnd() {
            Tensor x = leaf("x", 8);
            Tensor view = view("view", x, 0, 8);
            Tensor first = cont("first", 8, leaf("other", 8));
            Tensor second = cont("second", 8, first);
            Tensor third = cont("third", 8, second);
            MemoryPlan plan = plan(Graph.of(view, third));

            assertThat(List.of(offset(plan, first), offset(plan, second), offset(plan, third)))
                    .doesNotContain(offset(plan, x));
        }

        @Test
        void thatIsWrittenKeepsWhatItIsWrittenInto() {
            Tensor cache = leaf("cache", 8);
            Tensor written = copy("written", leaf("from", 8), cache);
            Tensor between = cont("between", 8, leaf("other", 8));
            Tensor last = cont("last", 1, written, between);
            MemoryPlan plan = plan(Graph.of(written, between, last));

            assertThat(offset(plan, between)).isNotEqualTo(offset(plan, cache));
            assertThat(offset(plan, written)).isEqualTo(offset(plan, cache));
        }

        @Test
        void withoutAnOpKeepsItsSourceUntilItRunsAndNoLonger() {
            Tensor x = leaf("x", 8);
            Tensor before = cont("before", 8, leaf("other", 8));
            Tensor keeper = keeper("keeper", x);
            Tensor after = cont("after", 8, before);
            MemoryPlan plan = plan(Graph.listed(List.of(before, keeper, after), List.of(x, before.source(0))));

            assertThat(offset(plan, before)).isNotEqualTo(offset(plan, x));
            assertThat(offset(plan, after)).isEqualTo(offset(plan, x));
        }
    }

    /** What ggml frees or overwrites too early, as it takes a view off the count that it was never part of. */
    @Nested
    class AViewThatNoNodeMakes {

        private final Tensor x = leaf("x", 8);
        private final Tensor bare =
                Tensor.builder(floats(8)).viewOf(x, 0).name("bare").build();

        private static void assertWrongByTheRules(Graph graph, PlanViolation.Kind kind) {
            assertThat(PlanValidator.check(new NaiveGgmlPlanner(PlanRequest.of(graph, MEMORY)).plan()))
                    .extracting(PlanViolation::kind)
                    .containsExactly(kind);
        }

        @Test
        void doesNotFreeItsSourceForAnotherView() {
            Tensor view = view("view", x, 0, 8);
            Tensor first = cont("first", 1, bare);
            Tensor between = cont("between", 8, leaf("other", 1));
            Tensor last = cont("last", 1, view, between);
            Graph graph = Graph.listed(List.of(view, first, between, last), List.of(x, bare, between.source(0)));
            MemoryPlan plan = plan(graph);

            assertThat(offset(plan, between)).isNotEqualTo(offset(plan, x));
            assertWrongByTheRules(graph, PlanViolation.Kind.OVERLAP);
        }

        @Test
        void doesNotFreeItsSourceForAnOutputThatNoNodeReads() {
            Tensor view = view("view", x, 0, 8).asOutput();
            Tensor first = cont("first", 1, bare);
            Tensor last = cont("last", 8, leaf("other", 1));
            Graph graph = Graph.listed(List.of(view, first, last), List.of(x, bare, last.source(0)));
            MemoryPlan plan = plan(graph);

            assertThat(offset(plan, last)).isNotEqualTo(offset(plan, x));
            assertThat(PlanValidator.hazards(plan)).isEmpty();
            assertThat(PlanValidator.hazards(new NaiveGgmlPlanner(PlanRequest.of(graph, MEMORY)).plan()))
                    .extracting(PlanViolation::kind)
                    .containsExactly(PlanViolation.Kind.OUTPUT_OVERWRITTEN);
        }

        @Test
        void keepsItsSourceFromBeingOverwritten() {
            Tensor y = add("y", 8, x);
            Tensor last = cont("last", 1, bare, y);
            Graph graph = Graph.listed(List.of(y, last), List.of(x, bare));
            MemoryPlan plan = plan(graph);

            assertNotInPlace(plan, y);
            assertWrongByTheRules(graph, PlanViolation.Kind.IN_PLACE);
        }

        @Test
        void keepsItsSourceFromBeingOverwrittenByANodeThatReadsBoth() {
            Tensor y = add("y", 8, x, bare);
            Graph graph = Graph.listed(List.of(y), List.of(x, bare));

            assertNotInPlace(plan(graph), y);
            assertWrongByTheRules(graph, PlanViolation.Kind.IN_PLACE);
        }

        @Test
        void doesNotFreeItsSourceForAnotherViewWhereItIsListedAsANode() {
            Tensor view = view("view", x, 0, 8);
            Tensor kept = keeper("kept", x);
            Tensor first = cont("first", 1, kept);
            Tensor between = cont("between", 8, leaf("other", 1));
            Tensor last = cont("last", 1, view, between);
            Graph graph = Graph.listed(List.of(view, kept, first, between, last), List.of(x, between.source(0)));

            assertThat(offset(plan(graph), between)).isNotEqualTo(offset(plan(graph), x));
            assertWrongByTheRules(graph, PlanViolation.Kind.OVERLAP);
        }

        @Test
        void keepsItsSourceFromBeingOverwrittenWhereItIsListedAsANode() {
            Tensor kept = keeper("kept", x);
            Tensor y = add("y", 8, x);
            Graph graph = Graph.listed(List.of(kept, y, cont("last", 1, kept, y)), List.of(x));

            assertNotInPlace(plan(graph), y);
            assertWrongByTheRules(graph, PlanViolation.Kind.IN_PLACE);
        }

        @Test
        void doesNotKeepWhatItIsNotAViewOf() {
            Tensor given = leaf("given", 8);
            Tensor y = add("y", 8, given);
            Graph graph = Graph.listed(List.of(y, cont("last", 1, bare, y)), List.of(x, bare, given));

            assertInPlace(plan(graph), y, given);
        }

        @Test
        void keepsItsSourceWhereASliceReadsItFromOutside() {
            Tensor outside = view("outside", x, 0, 8);
            Tensor y = add("y", 8, x);
            Tensor last = cont("last", 1, outside, y);
            Graph slice = Graph.of(outside, y, last).slice(1, 3);
            MemoryPlan plan = plan(slice);

            assertThat(slice.isExternal(slice.idOf(outside))).isTrue();
            assertNotInPlace(plan, y);
            assertWrongByTheRules(slice, PlanViolation.Kind.IN_PLACE);
        }
    }

    @Nested
    class WhatIsMarkedAsAnInput {

        @Test
        void isNotComputedInThePlaceOfAnOperandThatOthersNeedBefore() {
            Tensor x = cont("x", 4, leaf("first", 4));
            Tensor given = add("given", 4, x).asInput();
            Graph graph = Graph.of(cont("last", 1, given));
            MemoryPlan plan = plan(graph);

            assertNotInPlace(plan, given);
            assertThat(offset(plan, x)).isNotEqualTo(offset(plan, given));
        }

        @Test
        void canBeOverwrittenByAResult() {
            Tensor given = cont("given", 4, leaf("x", 4)).asInput();
            Tensor sum = add("sum", 4, given);

            assertInPlace(plan(Graph.of(sum)), sum, given);
        }

        @Test
        void isPlacedBeforeAnyNodeRuns() {
            Tensor x = leaf("x", 4);
            Tensor first = cont("first", 4, x);
            Tensor given = cont("given", 4, first).asInput();
            MemoryPlan plan = plan(Graph.of(given));

            assertThat(offset(plan, given)).isEqualTo(16);
            assertThat(offset(plan, first)).isEqualTo(32);
        }

        @Test
        void isPlacedInTheBufferOfItsFirstReaderWhereItIsNeitherNodeNorLeaf() {
            Tensor outside = leaf("outside", 4).asInput();
            Tensor first = cont("first", 4, leaf("x", 4));
            Tensor second = cont("second", 4, first, outside);
            BufferType other = MeasuringBufferType.of("other", 1);
            Graph graph = Graph.listed(List.of(first, second), List.of(first.source(0)));
            MemoryPlan plan = plan(PlanRequest.of(graph, List.of(MEMORY, other), new int[] {0, 1}, new int[] {0}));

            assertThat(plan.placement(outside)).contains(new PlannedPlace(1, 0, 0, 16));
            assertThat(plan.placement(second)).contains(new PlannedPlace(1, 0, 16, 16));
        }
    }

    @Nested
    class AnOutput {

        @Test
        void keepsItsPlaceToTheEnd() {
            Tensor kept = cont("kept", 4, leaf("x", 4)).asOutput();
            Tensor last = kept;
            for (int i = 0; i < 5; i++) {
                last = cont("later" + i, 4, last);
            }
            MemoryPlan plan = plan(Graph.of(last));

            for (int node = 1; node < 6; node++) {
                assertThat(plan.offset(node)).isNotEqualTo(offset(plan, kept));
            }
        }

        @Test
        void thatIsAViewDoesNotKeepItsSource() {
            Tensor x = leaf("x", 4);
            Tensor view = view("view", x, 0, 4).asOutput();
            Tensor first = cont("first", 4, view);
            Tensor second = cont("second", 4, first);
            MemoryPlan plan = plan(Graph.of(second));

            assertThat(offset(plan, second)).isEqualTo(offset(plan, x));
        }
    }

    @Nested
    class Buffers {

        private final BufferType first = MeasuringBufferType.of("first", 1);
        private final BufferType second = MeasuringBufferType.of("second", 1);
        private final Tensor x = leaf("x", 4);
        private final Tensor y = cont("y", 4, x);
        private final Tensor z = cont("z", 4, y);
        private final Graph graph = Graph.of(z);

        @Test
        void areThoseAskedFor() {
            MemoryPlan plan = plan(PlanRequest.of(graph, List.of(first, second), new int[] {1, 0}, new int[] {1}));

            assertThat(plan.placement(x)).contains(new PlannedPlace(1, 0, 0, 16));
            assertThat(plan.placement(y)).contains(new PlannedPlace(1, 0, 16, 16));
            assertThat(plan.placement(z)).contains(new PlannedPlace(0, 0, 0, 16));
        }

        @Test
        void ofDifferentTypesShareNothing() {
            MemoryPlan plan = plan(PlanRequest.of(graph, List.of(first, second), new int[] {0, 1}, new int[] {0}));

            assertThat(plan.bufferSize(0)).isEqualTo(32);
            assertThat(plan.bufferSize(1)).isEqualTo(16);
        }

        @Test
        void ofTheSameTypeAreTheSameMemory() {
            MemoryPlan plan = plan(PlanRequest.of(graph, List.of(first, first), new int[] {0, 1}, new int[] {1}));

            assertThat(offset(plan, z))
                    .as("x, in the other buffer, is free by then")
                    .isEqualTo(offset(plan, x));
            assertThat(plan.bufferSize(0)).isEqualTo(32);
            assertThat(plan.bufferSize(1)).as("counted already").isZero();
            assertThat(plan.size()).isEqualTo(32);
        }

        @Test
        void areDividedIntoChunksAtTheLargestSize() {
            MemoryPlan plan = plan(PlanRequest.of(graph, MEMORY.withMaxBufferSize(20)));

            assertThat(plan.placement(x)).contains(new PlannedPlace(0, 0, 0, 16));
            assertThat(plan.placement(y)).contains(new PlannedPlace(0, 1, 0, 16));
            assertThat(plan.placement(z)).contains(new PlannedPlace(0, 0, 0, 16));
            assertThat(plan.chunkCount(0)).isEqualTo(2);
        }

        @Test
        void alignEveryTensor() {
            MemoryPlan plan = plan(PlanRequest.of(graph, MeasuringBufferType.of("aligned", 64)));

            assertThat(offset(plan, y)).isEqualTo(64);
            assertThat(plan.size()).isEqualTo(128);
        }
    }

    @Nested
    class WhatHasMemoryOfItsOwn {

        @Test
        void isNotPlanned() {
            Tensor weight = leaf("weight", 100).asWeight();
            Tensor y = cont("y", 4, weight);
            MemoryPlan plan = plan(Graph.of(y));

            assertThat(plan.placement(weight)).isEmpty();
            assertThat(plan.size()).isEqualTo(16);
        }

        @Test
        void isLeftWhereItIsStored() {
            Tensor x = leaf("x", 4);
            try (Buffer own = MEMORY.allocate(64)) {
                own.place(x, 16);
                MemoryPlan plan = plan(Graph.of(cont("y", 4, x)));

                assertThat(plan.placement(x)).isEmpty();
                assertThat(TestTensors.isAt(x, own, 16)).isTrue();
            }
        }

        @Test
        void mayBeInABufferOfAnyUsage() {
            for (BufferUsage usage : BufferUsage.values()) {
                Tensor x = leaf("x", 4);
                try (Buffer own = MEMORY.allocate(64).setUsage(usage)) {
                    own.place(x, 16);

                    assertThat(plan(Graph.of(cont("y", 4, x))).placement(x))
                            .as("%s", usage)
                            .isEmpty();
                }
            }
        }

        @Test
        void doesNotIncludeWhatABoundGraphHasPlaced() {
            Tensor x = leaf("x", 4);
            Graph graph = Graph.of(cont("y", 4, x));
            List<String> before = PlanParts.lines(plan(graph));
            try (GraphAllocator allocator = GraphAllocator.on(MEMORY)) {
                allocator.bind(graph);

                assertThat(PlanParts.lines(plan(graph))).isEqualTo(before);
            }
        }
    }

    @Nested
    class WhatIsEmpty {

        @Test
        void takesNoBytes() {
            Tensor empty = Tensor.leaf(Layout.contiguous(ElementType.F32, new Shape(8, 0, 2, 1)));
            MemoryPlan plan = plan(Graph.of(cont("y", 4, empty)));

            assertThat(plan.size()).isEqualTo(16);
        }

        @Test
        void canBeReadWhenWhatLayBesideItIsGone() {
            Tensor x = leaf("x", 8);
            Tensor empty = cont("empty", 0, x);
            Tensor y = cont("y", 16, empty);
            Tensor z = cont("z", 16, y);

            assertThat(plan(Graph.of(z)).size()).as("y and z at once").isEqualTo(128);
        }
    }

    @Test
    void doesNotTouchTheGraph() {
        Graph graph = RandomGraphs.graph(1);
        String before = graph.dump();
        Planner.ggml().plan(PlanRequest.of(graph, MEMORY));

        assertThat(graph.dump()).isEqualTo(before);
        assertThat(graph.nodes()).noneMatch(Tensor::isPlaced);
    }

    @Test
    void hasAName() {
        assertThat(Planner.ggml().name()).isEqualTo("ggml");
        assertThat(plan(RandomGraphs.graph(1)).planner()).isEqualTo("ggml");
    }

    @Test
    void needsNothingForAnEmptyGraph() {
        assertThat(plan(Graph.listed(List.of(), List.of())).size()).isZero();
    }
}
