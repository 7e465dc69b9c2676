package dev.stowage.plan;

import static dev.stowage.plan.TestTensors.add;
import static dev.stowage.plan.TestTensors.cont;
import static dev.stowage.plan.TestTensors.isAt;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class GraphAllocatorTest {

    private static final MeasuringBufferType RULES = MeasuringBufferType.of("memory", 16);

    /** Counts what is asked for, anew for every test. */
    private final MeasuringBufferType memory = RULES.withHost(false);

    private final MeasuringBufferType other = MeasuringBufferType.of("other", 16);

    /** Three results, each in a place of its own for a while. */
    private static Graph chain(long floats) {
        Tensor x = leaf("x", floats).asInput();
        Tensor y = cont("y", floats, x);
        Tensor z = cont("z", floats, y);
        return Graph.of(cont("w", floats, z).asOutput());
    }

    /** Every planned tensor is bound where the plan says, in the buffers that the allocator has. */
    private static MemoryPlan assertBound(BoundGraph bound, GraphAllocator allocator) {
        Graph graph = bound.graph();
        MemoryPlan plan = bound.plan().orElseThrow();
        for (int id = 0; id < graph.size(); id++) {
            if (plan.isPlanned(id)) {
                Buffer buffer = allocator.buffers(plan.buffer(id)).get(plan.chunk(id));
                assertThat(bound.buffer(id)).as(graph.label(id)).isSameAs(buffer);
                assertThat(bound.offset(id)).as(graph.label(id)).isEqualTo(plan.offset(id));
                assertThat(graph.tensor(id).isPlaced()).as(graph.label(id)).isFalse();
            }
        }
        return plan;
    }

    private static MemoryPlan planOf(BoundGraph bound) {
        return bound.plan().orElseThrow();
    }

    @Nested
    class Measuring {

        @Test
        void takesNoMemoryAndMovesNothing() {
            Graph graph = chain(4);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                MemoryPlan plan = allocator.measure(graph);

                assertThat(plan.size()).isEqualTo(32);
                assertThat(memory.requests()).isZero();
                assertThat(allocator.size()).isZero();
                assertThat(allocator.plan()).isEmpty();
                assertThat(graph.nodes()).noneMatch(Tensor::isPlaced);
            }
        }

        @Test
        void usesTheGivenPlanner() {
            MemoryPlan made = Planner.ggml().plan(PlanRequest.of(chain(1), memory));
            Planner fixed = new Planner() {
                @Override
                public String name() {
                    return "fixed";
                }

                @Override
                public MemoryPlan plan(PlanRequest request) {
                    return made;
                }
            };
            try (GraphAllocator allocator = GraphAllocator.on(List.of(memory), fixed)) {
                assertThat(allocator.measure(chain(4))).isSameAs(made);
            }
        }
    }

    @Nested
    class Reserving {

        @Test
        void takesThePlannedMemoryForComputing() {
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                MemoryPlan plan = allocator.reserve(chain(4));

                assertThat(allocator.size()).isEqualTo(plan.size());
                assertThat(memory.openBytes()).isEqualTo(plan.size());
                assertThat(allocator.buffers(0)).extracting(Buffer::usage).containsOnly(BufferUsage.COMPUTE);
                assertThat(allocator.plan()).containsSame(plan);
            }
        }

        @Test
        void movesNothing() {
            Graph graph = chain(4);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                allocator.reserve(graph);

                assertThat(graph.nodes()).noneMatch(Tensor::isPlaced);
            }
        }

        @Test
        void takesNoMemoryAgainForWhatFits() {
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                allocator.reserve(chain(4));
                List<Buffer> before = allocator.buffers(0);
                allocator.reserve(chain(2));

                assertThat(allocator.buffers(0)).isEqualTo(before);
                assertThat(memory.requests()).isEqualTo(1);
            }
        }

        @Test
        void givesTheOldMemoryBackWhenItGrows() {
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                allocator.reserve(chain(4));
                Buffer before = allocator.buffers(0).getFirst();
                MemoryPlan larger = allocator.reserve(chain(400));

                assertThat(before.isClosed()).isTrue();
                assertThat(memory.openBuffers()).isEqualTo(1);
                assertThat(allocator.size()).isEqualTo(larger.size());
            }
        }

        @Test
        void growsOnlyTheTypeThatIsTooSmall() {
            int[] allInOther = {1, 1, 1};
            try (GraphAllocator allocator = GraphAllocator.on(memory, other)) {
                allocator.reserve(chain(4), new int[] {1, 0, 1}, new int[] {1});
                Buffer kept = allocator.buffers(0).getFirst();
                allocator.reserve(chain(400), allInOther, new int[] {1});

                assertThat(allocator.buffers(0)).containsExactly(kept);
                assertThat(kept.isClosed()).isFalse();
                assertThat(other.requests()).isEqualTo(2);
            }
        }

        @Test
        void takesOneBufferForEachChunk() {
            MeasuringBufferType small = memory.withMaxBufferSize(20);
            try (GraphAllocator allocator = GraphAllocator.on(small)) {
                MemoryPlan plan = allocator.reserve(chain(4));

                assertThat(plan.chunkCount(0)).isEqualTo(2);
                assertThat(allocator.buffers(0)).extracting(Buffer::size).containsExactly(16L, 16L);
            }
        }

        @Test
        void takesATypeThatIsListedTwiceOnce() {
            try (GraphAllocator allocator = GraphAllocator.on(memory, memory)) {
                MemoryPlan plan = allocator.reserve(chain(4), new int[] {0, 1, 0}, new int[] {1});

                assertThat(memory.openBuffers()).isEqualTo(1);
                assertThat(allocator.buffers(1)).isEqualTo(allocator.buffers(0));
                assertThat(allocator.size()).isEqualTo(plan.size());
                assertThat(allocator.bufferSize(1)).isZero();
            }
        }

        @Test
        void takesOnAPlanMadeBefore() {
            Graph graph = chain(4);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                MemoryPlan measured = allocator.measure(graph);
                allocator.reserve(measured);

                assertThat(planOf(allocator.bind(graph))).isSameAs(measured);
            }
        }

        @Test
        void refusesAPlanForOtherMemory() {
            MemoryPlan foreign = Planner.ggml().plan(PlanRequest.of(chain(4), other));
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                assertThatExceptionOfType(InvalidPlanException.class)
                        .isThrownBy(() -> allocator.reserve(foreign))
                        .withMessageContaining("memory");
                assertThat(allocator.plan()).isEmpty();
            }
        }

        @Test
        void neverShrinks() {
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                long before = 0;
                for (long seed = 0; seed < 200; seed++) {
                    long needed = allocator.reserve(RandomGraphs.graph(seed)).size();

                    assertThat(allocator.size()).as("seed %d", seed).isEqualTo(Math.max(before, needed));
                    before = allocator.size();
                }
            }
        }

        @Test
        void keepsEveryChunkForAPlanWithFewer() {
            MeasuringBufferType small = memory.withMaxBufferSize(20);
            try (GraphAllocator allocator = GraphAllocator.on(small)) {
                allocator.reserve(chain(4));
                List<Buffer> before = allocator.buffers(0);
                allocator.reserve(Graph.of(leaf("alone", 1)));

                assertThat(allocator.buffers(0)).isEqualTo(before).hasSize(2);
            }
        }
    }

    @Nested
    class Binding {

        @Test
        void givesEveryPlannedTensorItsPlace() {
            Graph graph = chain(4);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                allocator.reserve(graph);

                assertBound(allocator.bind(graph), allocator);
            }
        }

        @Test
        void reservesWhereNothingWasReserved() {
            Graph graph = chain(4);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                assertBound(allocator.bind(graph), allocator);
                assertThat(memory.requests()).isEqualTo(1);
            }
        }

        @Test
        void bindsRandomGraphsOneAfterTheOther() {
            try (GraphAllocator allocator = GraphAllocator.on(memory.withMaxBufferSize(2000));
                    Buffer weights = memory.allocate(1 << 20)) {
                for (long seed = 0; seed < 300; seed++) {
                    Graph graph = RandomGraphs.graph(seed);
                    graph.leaves().stream().filter(Tensor::isWeight).forEach(weight -> weights.place(weight, 0));

                    assertBound(allocator.bind(graph), allocator);
                }
            }
        }

        @Test
        void placesViewsWithTheirSources() {
            Tensor x = leaf("x", 8);
            Tensor view = view("view", x, 3, 2);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                BoundGraph bound = allocator.bind(Graph.of(cont("y", 2, view)));

                assertThat(bound.tensor(view).buffer()).isSameAs(bound.tensor(x).buffer());
                assertThat(bound.tensor(view).offset())
                        .isEqualTo(bound.tensor(x).offset() + 12);
            }
        }

        @Test
        void leavesWeightsWhereTheyAre() {
            Tensor weight = leaf("weight", 4).asWeight();
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer own = memory.allocate(64)) {
                own.place(weight, 32);
                BoundGraph bound = allocator.bind(Graph.of(cont("y", 4, weight)));

                assertThat(isAt(weight, own, 32)).isTrue();
                assertThat(bound.tensor(weight)).isEqualTo(BoundTensor.of(weight));
            }
        }

        @Test
        void refusesAWeightThatHasNoMemory() {
            Graph graph = Graph.of(cont("y", 4, leaf("the weight", 4).asWeight()));
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                assertThatExceptionOfType(InvalidPlanException.class)
                        .isThrownBy(() -> allocator.bind(graph))
                        .withMessageContaining("'the weight'");
                assertThat(graph.node(0).isPlaced()).isFalse();
                assertThat(memory.requests()).isZero();
            }
        }

        /** The last two nodes of a chain, which read the first from outside. */
        private final Graph whole = chain(4);

        private final Graph slice = whole.slice(1, 3);
        private final Tensor read = whole.node(0);

        private void assertRefused(GraphAllocator allocator, Graph graph, String... words) {
            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> allocator.bind(graph))
                    .withMessageContainingAll(words);
        }

        @Test
        void refusesATensorReadFromOutsideThatHasNoMemory() {
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                assertRefused(allocator, slice, "'y'", "no memory");
                assertThat(slice.nodes()).noneMatch(Tensor::isPlaced);
                assertThat(allocator.plan()).isEmpty();
                assertThat(memory.requests()).isZero();
            }
        }

        @Test
        void refusesATensorThatIsOnlyViewedFromOutsideAndHasNoMemory() {
            Tensor part = view("part", read, 0, 2);
            Graph reading = Graph.listed(List.of(cont("reader", 2, part)), List.of(part));
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                assertRefused(allocator, reading, "'y'", "no memory");
                assertThat(memory.requests()).isZero();
            }
        }

        @Test
        void refusesATensorReadFromOutsideThatHasNoMemoryWhateverWasReserved() {
            try (GraphAllocator allocator = GraphAllocator.on(memory, other)) {
                MemoryPlan plan = allocator.reserve(slice, new int[] {0, 1}, new int[] {});

                assertRefused(allocator, slice, "'y'", "no memory");
                assertThat(allocator.plan()).containsSame(plan);
                assertThat(slice.nodes()).noneMatch(Tensor::isPlaced);
            }
        }

        @Test
        void refusesATensorReadFromOutsideThoughTheWholeIsBound() {
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                BoundGraph bound = allocator.bind(whole);

                assertRefused(allocator, slice, "'y'", "no memory");
                assertThat(allocator.plan()).containsSame(planOf(bound));
                assertBound(bound, allocator);
                assertThat(memory.requests()).isEqualTo(1);
            }
        }

        @Test
        void refusesATensorThatIsOnlyViewedFromOutsideThoughTheWholeIsBound() {
            Tensor part = view("part", read, 0, 2);
            Graph reading = Graph.listed(List.of(cont("reader", 2, part)), List.of(part));
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                BoundGraph bound = allocator.bind(whole);

                assertRefused(allocator, reading, "'y'", "no memory");
                assertBound(bound, allocator);
            }
        }

        @Test
        void bindsAPartOfABoundGraphWhereTheWholeIs() {
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                BoundGraph bound = allocator.bind(whole);
                BoundGraph part = bound.part(slice);

                assertThat(part.graph()).isSameAs(slice);
                for (int id = 0; id < slice.size(); id++) {
                    assertThat(part.tensor(id)).isEqualTo(bound.tensor(slice.tensor(id)));
                }
            }
        }

        @Test
        void leavesATensorReadFromOutsideInTheBufferOfTheCaller() {
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer own = memory.allocate(64)) {
                own.place(read, 32);
                BoundGraph bound = allocator.bind(slice);

                assertThat(planOf(bound).placement(read)).isEmpty();
                assertThat(isAt(read, own, 32)).isTrue();
                assertThat(bound.tensor(read).buffer()).isSameAs(own);
                assertThat(bound.tensor(read).offset()).isEqualTo(32);
                assertBound(bound, allocator);
            }
        }

        @Test
        void doesNotSeeWhereAnotherAllocatorHasBoundATensorReadFromOutside() {
            try (GraphAllocator first = GraphAllocator.on(memory);
                    GraphAllocator second = GraphAllocator.on(memory)) {
                BoundGraph before = first.bind(whole.slice(0, 1));

                assertRefused(second, slice, "'y'", "no memory");
                assertBound(before, first);
            }
        }

        @Test
        void bindsAGraphThatAnotherAllocatorHasBound() {
            Graph graph = chain(4);
            try (GraphAllocator first = GraphAllocator.on(memory);
                    GraphAllocator second = GraphAllocator.on(memory)) {
                BoundGraph before = first.bind(graph);
                BoundGraph bound = second.bind(graph);

                MemoryPlan plan = assertBound(bound, second);
                assertThat(PlanParts.lines(plan)).isEqualTo(PlanParts.lines(assertBound(before, first)));
            }
        }

        @Test
        void bindsAGraphThatAnAllocatorHadBoundThatWasClosed() {
            Graph graph = chain(4);
            try (GraphAllocator first = GraphAllocator.on(memory)) {
                first.bind(graph);
            }
            try (GraphAllocator second = GraphAllocator.on(memory)) {
                assertBound(second.bind(graph), second);
            }
        }
    }

    @Nested
    class BindingAgain {

        @Test
        void givesTheSameBoundGraph() {
            Graph graph = chain(4);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                BoundGraph bound = allocator.bind(graph);

                assertThat(allocator.bind(graph)).isSameAs(bound);
                assertThat(memory.requests()).isEqualTo(1);
            }
        }

        @Test
        void givesTheSameBoundGraphAlthoughOtherTensorsHaveBeenPlacedAndOtherBuffersClosed() {
            Graph graph = chain(4);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                BoundGraph bound = allocator.bind(graph);
                Buffer other = HostBufferType.standard().allocate(64);
                other.place(chain(4).node(0), 0);
                assertThat(allocator.bind(graph)).isSameAs(bound);
                other.close();

                assertThat(allocator.bind(graph)).isSameAs(bound);
            }
        }

        @Test
        void givesTheSameBoundSlice() {
            Graph slice = chain(4).slice(1, 3);
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer own = memory.allocate(64)) {
                own.place(slice.node(0).source(0), 0);
                BoundGraph bound = allocator.bind(slice);

                assertThat(allocator.bind(slice))
                        .as("nothing about the slice has changed")
                        .isSameAs(bound);
            }
        }

        @Test
        void leavesWhatASliceReadsWhenATensorOfItHasGotMemoryOfItsOwn() {
            Graph slice = chain(4).slice(1, 3);
            Tensor read = slice.node(0).source(0);
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer own = memory.allocate(64)) {
                own.place(read, 32);
                allocator.bind(slice);
                own.place(slice.node(0), 16);
                BoundGraph bound = allocator.bind(slice);

                assertThat(planOf(bound).placement(slice.node(0))).isEmpty();
                assertThat(bound.tensor(slice.node(0)).buffer()).isSameAs(own);
                assertThat(isAt(read, own, 32)).isTrue();
                assertBound(bound, allocator);
            }
        }

        /** Two slices of one node each, wired alike, which read what was computed before. */
        @Test
        void keepsThePlanForAnotherSliceThatIsWiredAlike() {
            Tensor first = cont("first", 4, leaf("x", 4));
            Tensor second = cont("second", 4, first);
            Graph early = Graph.of(cont("early", 4, first)).slice(1, 2);
            Graph late = Graph.of(cont("late", 4, second)).slice(2, 3);
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer own = memory.allocate(64)) {
                own.place(first, 0);
                own.place(second, 16);
                BoundGraph boundEarly = allocator.bind(early);
                BoundGraph boundLate = allocator.bind(late);

                assertThat(planOf(boundLate)).as("the plan serves both").isSameAs(planOf(boundEarly));
                assertThat(boundEarly.tensor(first).offset()).isZero();
                assertThat(boundLate.tensor(second).offset()).isEqualTo(16);
            }
        }

        @Test
        void keepsThePlanOfASliceThatReadsAViewOfItsLeafFromOutside() {
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                MemoryPlan plan = planOf(allocator.bind(readingAView()));

                assertThat(planOf(allocator.bind(readingAView()))).isSameAs(plan);
            }
        }

        private Graph readingAView() {
            Tensor x = leaf("x", 4);
            return Graph.of(cont("reader", 4, view("view", x, 0, 2), x)).slice(1, 2);
        }

        @Test
        void plansAnewWhenAResultHasGotMemoryOfItsOwnAndLeavesWhatWasBound() {
            Graph graph = chain(4);
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer own = memory.allocate(64)) {
                BoundGraph before = allocator.bind(graph);
                MemoryPlan plan = planOf(before);
                own.place(graph.node(1), 16);
                BoundGraph bound = allocator.bind(graph);

                assertThat(bound.tensor(graph.node(1)).buffer()).isSameAs(own);
                assertThat(before.tensor(graph.node(1)).buffer()).isNotSameAs(own);
                assertThat(before.offset(1)).isEqualTo(plan.offset(1));
            }
        }

        @Test
        void keepsThePlanForASmallerGraphOfTheSameWiring() {
            Graph small = chain(2);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                MemoryPlan plan = allocator.reserve(chain(4));

                assertThat(assertBound(allocator.bind(small), allocator)).isSameAs(plan);
            }
        }

        @Test
        void plansALargerGraphAnew() {
            Graph large = chain(8);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                MemoryPlan plan = allocator.reserve(chain(4));

                MemoryPlan larger = assertBound(allocator.bind(large), allocator);

                assertThat(larger).isNotSameAs(plan);
                assertThat(allocator.plan()).containsSame(larger);
            }
        }

        /** The same counts and sizes: y is read by the last node in the one and by its neighbour in the other. */
        private Graph threeNodes(boolean keepsFirst) {
            Tensor x = leaf("x", 4);
            Tensor first = cont("first", 4, x);
            Tensor second = cont("second", 4, first);
            Tensor third = cont("third", 4, second);
            return Graph.of(cont("fourth", 4, third, keepsFirst ? first : third));
        }

        @Test
        void plansAGraphOfEqualSizesAndOtherWiringAnew() {
            Graph graph = threeNodes(true);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                MemoryPlan unsuitable = allocator.reserve(threeNodes(false));
                MemoryPlan plan = assertBound(allocator.bind(graph), allocator);

                assertThat(unsuitable.offset(0))
                        .as("the old plan would overwrite 'first'")
                        .isEqualTo(unsuitable.offset(2));
                assertThat(plan.offset(0)).isNotEqualTo(plan.offset(2));
                assertThat(PlanValidator.check(plan)).isEmpty();
            }
        }

        @Test
        void plansAGraphWithOtherMarksAnew() {
            Graph graph = chain(4);
            graph.node(0).asOutput();
            Graph marked = Graph.of(graph.node(2));
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                allocator.reserve(graph);

                assertThat(PlanValidator.check(planOf(allocator.bind(marked)))).isEmpty();
                assertThat(allocator.plan().orElseThrow().graph()).isSameAs(marked);
            }
        }

        @Test
        void plansAnewWhereAResultCanNoLongerOverwriteItsOperand() {
            Tensor x = leaf("x", 4);
            Graph inPlace = Graph.of(add("sum", 4, x));
            Graph notInPlace = Graph.of(add("sum", 2, leaf("x", 4)));
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                allocator.reserve(inPlace);
                MemoryPlan plan = planOf(allocator.bind(notInPlace));

                assertThat(plan.graph()).isSameAs(notInPlace);
                assertThat(PlanValidator.check(plan)).isEmpty();
            }
        }

        @Test
        void plansAnewWhenATensorHasGotMemoryOfItsOwn() {
            Graph graph = chain(4);
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer own = memory.allocate(64)) {
                allocator.reserve(graph);
                own.place(graph.leaf(0), 16);
                BoundGraph bound = allocator.bind(graph);

                assertThat(planOf(bound).placement(graph.leaf(0))).isEmpty();
                assertThat(isAt(graph.leaf(0), own, 16)).isTrue();
                assertThat(bound.tensor(graph.leaf(0)).buffer()).isSameAs(own);
            }
        }
    }

    @Nested
    class WithSeveralTypes {

        private final int[] nodes = {0, 1, 0};
        private final int[] leaves = {1};

        private void assertRefused(GraphAllocator allocator, Graph graph, String... words) {
            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> allocator.bind(graph))
                    .withMessageContainingAll(words);
            assertThat(graph.nodes()).noneMatch(Tensor::isPlaced);
        }

        @Test
        void bindsWhatWasReserved() {
            Graph graph = chain(4);
            try (GraphAllocator allocator = GraphAllocator.on(memory, other)) {
                MemoryPlan plan = allocator.reserve(graph, nodes, leaves);

                assertThat(assertBound(allocator.bind(graph), allocator)).isSameAs(plan);
            }
        }

        @Test
        void refusesWhereNothingWasReserved() {
            try (GraphAllocator allocator = GraphAllocator.on(memory, other)) {
                assertRefused(allocator, chain(4), "nothing was reserved", "reserve");
            }
        }

        @Test
        void refusesOtherCountsAndNamesThem() {
            Graph longer = Graph.of(cont("more", 4, chain(4).node(2)));
            try (GraphAllocator allocator = GraphAllocator.on(memory, other)) {
                allocator.reserve(chain(4), nodes, leaves);

                assertRefused(allocator, longer, "4 nodes", "1 leaves", "3 and 1");
            }
        }

        @Test
        void refusesALargerTensorAndNamesIt() {
            Graph larger = chain(8);
            try (GraphAllocator allocator = GraphAllocator.on(memory, other)) {
                MemoryPlan plan = allocator.reserve(chain(4), nodes, leaves);

                assertRefused(allocator, larger, "'y'", "32 bytes", "16");
                assertThat(allocator.plan()).containsSame(plan);
            }
        }

        @Test
        void refusesOtherWiringAndSaysSo() {
            Tensor x = leaf("x", 4).asInput();
            Tensor y = cont("y", 4, x);
            Graph rewired = Graph.of(cont("w", 4, cont("z", 4, y), y).asOutput());
            try (GraphAllocator allocator = GraphAllocator.on(memory, other)) {
                MemoryPlan plan = allocator.reserve(chain(4), nodes, leaves);

                assertRefused(allocator, rewired, "not the one memory was reserved for", "read");
                assertThat(allocator.plan()).containsSame(plan);
            }
        }

        @Test
        void refusesAResultThatCanNoLongerOverwriteItsOperand() {
            Graph inPlace = Graph.of(add("sum", 4, leaf("x", 4)));
            Graph notInPlace = Graph.of(add("sum", 2, leaf("x", 4)));
            try (GraphAllocator allocator = GraphAllocator.on(memory, other)) {
                allocator.reserve(inPlace, new int[] {0}, new int[] {0});

                assertRefused(allocator, notInPlace, "'sum'", "'x'", "place");
            }
        }

        @Test
        void refusesATensorThatHasGotMemoryOfItsOwnAndNamesIt() {
            Graph graph = chain(4);
            try (GraphAllocator allocator = GraphAllocator.on(memory, other);
                    Buffer own = memory.allocate(64)) {
                allocator.reserve(graph, nodes, leaves);
                own.place(graph.leaf(0), 16);

                assertRefused(allocator, graph, "'x'", "has memory of its own now");
            }
        }
    }

    @Nested
    class WhenClosed {

        private final GraphAllocator closed = GraphAllocator.on(memory);

        private void assertThrowsClosed(ThrowingCallable call) {
            closed.close();
            assertThatExceptionOfType(ClosedException.class).isThrownBy(call);
        }

        @Test
        void givesItsMemoryBack() {
            closed.reserve(chain(4));
            Buffer buffer = closed.buffers(0).getFirst();
            closed.close();

            assertThat(buffer.isClosed()).isTrue();
            assertThat(memory.openBuffers()).isZero();
            assertThat(closed.size()).isZero();
            assertThat(closed.plan()).isEmpty();
        }

        @Test
        void canBeClosedAgain() {
            closed.reserve(chain(4));
            closed.close();
            closed.close();

            assertThat(memory.openBuffers()).isZero();
        }

        @Test
        void refusesToMeasure() {
            assertThrowsClosed(() -> closed.measure(chain(4)));
        }

        @Test
        void refusesToReserve() {
            assertThrowsClosed(() -> closed.reserve(chain(4)));
        }

        @Test
        void refusesToTakeOnAPlan() {
            MemoryPlan plan = closed.measure(chain(4));

            assertThrowsClosed(() -> closed.reserve(plan));
        }

        @Test
        void refusesToBind() {
            assertThrowsClosed(() -> closed.bind(chain(4)));
        }

        @Test
        void refusesToShowItsBuffers() {
            assertThrowsClosed(() -> closed.buffers(0));
        }

        @Test
        void itsTensorsCanNoLongerBeRead() {
            Graph graph = chain(4);
            GraphAllocator host = GraphAllocator.on(HostBufferType.standard());
            BoundTensor x = host.bind(graph).tensor(graph.leaf(0));
            TensorData.setFloats(x, 1, 2, 3, 4);
            host.close();

            assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> TensorData.getFloats(x));
        }
    }

    @Test
    void needsABufferType() {
        assertThatExceptionOfType(InvalidPlanException.class).isThrownBy(GraphAllocator::on);
    }
}
