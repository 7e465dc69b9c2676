package dev.stowage.plan;

import static dev.stowage.plan.TestTensors.add;
import static dev.stowage.plan.TestTensors.cont;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
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

    private static void assertBound(Graph graph, MemoryPlan plan, GraphAllocator allocator) {
        for (int id = 0; id < graph.size(); id++) {
            if (plan.isPlanned(id)) {
                Buffer buffer = allocator.buffers(plan.buffer(id)).get(plan.chunk(id));
                assertThat(graph.tensor(id).liesAt(buffer, plan.offset(id)))
                        .as(graph.label(id))
                        .isTrue();
            }
        }
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

                assertThat(allocator.bind(graph)).isSameAs(measured);
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

                assertBound(graph, allocator.bind(graph), allocator);
            }
        }

        @Test
        void reservesWhereNothingWasReserved() {
            Graph graph = chain(4);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                assertBound(graph, allocator.bind(graph), allocator);
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

                    assertBound(graph, allocator.bind(graph), allocator);
                }
            }
        }

        @Test
        void placesViewsWithTheirSources() {
            Tensor x = leaf("x", 8);
            Tensor view = view("view", x, 3, 2);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                allocator.bind(Graph.of(cont("y", 2, view)));

                assertThat(view.isPlaced()).isTrue();
                assertThat(view.storageOffset()).isEqualTo(x.storageOffset() + 12);
            }
        }

        @Test
        void leavesWeightsWhereTheyLie() {
            Tensor weight = leaf("weight", 4).asWeight();
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer own = memory.allocate(64)) {
                own.place(weight, 32);
                allocator.bind(Graph.of(cont("y", 4, weight)));

                assertThat(weight.liesAt(own, 32)).isTrue();
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
        void refusesATensorReadFromOutsideThatLiesInItsOwnBuffers() {
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                MemoryPlan plan = allocator.bind(whole);

                assertRefused(allocator, slice, "'y'", "as a whole");
                assertThat(allocator.plan()).containsSame(plan);
                assertBound(whole, plan, allocator);
                assertThat(memory.requests()).isEqualTo(1);
            }
        }

        @Test
        void refusesATensorThatIsOnlyViewedFromOutsideAndLiesInItsOwnBuffers() {
            Tensor part = view("part", read, 0, 2);
            Graph reading = Graph.listed(List.of(cont("reader", 2, part)), List.of(part));
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                MemoryPlan plan = allocator.bind(whole);

                assertRefused(allocator, reading, "'y'", "as a whole");
                assertBound(whole, plan, allocator);
            }
        }

        @Test
        void leavesATensorReadFromOutsideInTheBufferOfTheCaller() {
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer own = memory.allocate(64)) {
                own.place(read, 32);
                MemoryPlan plan = allocator.bind(slice);

                assertThat(plan.placement(read)).isEmpty();
                assertThat(read.liesAt(own, 32)).isTrue();
                assertBound(slice, plan, allocator);
            }
        }

        @Test
        void leavesATensorReadFromOutsideInTheBuffersOfAnotherAllocator() {
            try (GraphAllocator first = GraphAllocator.on(memory);
                    GraphAllocator second = GraphAllocator.on(memory)) {
                MemoryPlan before = first.bind(whole.slice(0, 1));
                MemoryPlan plan = second.bind(slice);

                assertBound(whole.slice(0, 1), before, first);
                assertThat(plan.placement(read)).isEmpty();
                assertBound(slice, plan, second);
            }
        }

        @Test
        void takesTensorsOverFromAnotherAllocator() {
            Graph graph = chain(4);
            try (GraphAllocator first = GraphAllocator.on(memory);
                    GraphAllocator second = GraphAllocator.on(memory)) {
                MemoryPlan before = first.bind(graph);
                MemoryPlan plan = second.bind(graph);

                assertBound(graph, plan, second);
                assertThat(PlanParts.lines(plan)).isEqualTo(PlanParts.lines(before));
            }
        }

        @Test
        void takesTensorsOverFromAnAllocatorThatWasClosed() {
            Graph graph = chain(4);
            try (GraphAllocator first = GraphAllocator.on(memory)) {
                first.bind(graph);
            }
            try (GraphAllocator second = GraphAllocator.on(memory)) {
                assertBound(graph, second.bind(graph), second);
            }
        }
    }

    @Nested
    class BindingAgain {

        @Test
        void keepsPlanAndMemoryOfTheSameGraph() {
            Graph graph = chain(4);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                MemoryPlan plan = allocator.bind(graph);

                assertThat(allocator.bind(graph)).isSameAs(plan);
                assertThat(memory.requests()).isEqualTo(1);
            }
        }

        @Test
        void keepsPlanAndMemoryOfTheSameSlice() {
            Graph slice = chain(4).slice(1, 3);
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer own = memory.allocate(64)) {
                own.place(slice.node(0).source(0), 0);
                MemoryPlan plan = allocator.bind(slice);

                assertThat(allocator.bind(slice))
                        .as("nothing about the slice has changed")
                        .isSameAs(plan);
            }
        }

        @Test
        void leavesWhatASliceReadsWhenATensorOfItWasMovedAway() {
            Graph slice = chain(4).slice(1, 3);
            Tensor read = slice.node(0).source(0);
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer elsewhere = memory.allocate(64).setUsage(BufferUsage.COMPUTE)) {
                elsewhere.place(read, 32);
                MemoryPlan plan = allocator.bind(slice);
                elsewhere.place(slice.node(0), 16);

                assertThat(allocator.bind(slice)).isSameAs(plan);
                assertThat(read.liesAt(elsewhere, 32)).isTrue();
                assertBound(slice, plan, allocator);
            }
        }

        /** Two slices of one node each, wired alike, of which the second reads what the first computes. */
        @Test
        void refusesASliceWhoseOperandHasMovedIntoItsOwnBuffers() {
            Tensor first = cont("first", 4, leaf("x", 4));
            Tensor second = cont("second", 4, first);
            Graph graph = Graph.of(cont("third", 4, second));
            Graph early = graph.slice(1, 2);
            Graph late = graph.slice(2, 3);
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer own = memory.allocate(64);
                    Buffer elsewhere = memory.allocate(64).setUsage(BufferUsage.COMPUTE)) {
                own.place(first, 0);
                elsewhere.place(second, 0);
                MemoryPlan plan = allocator.bind(late);
                assertThat(allocator.bind(early)).as("the plan serves both").isSameAs(plan);

                assertThatExceptionOfType(InvalidPlanException.class)
                        .isThrownBy(() -> allocator.bind(late))
                        .withMessageContaining("'second'");
            }
        }

        @Test
        void keepsThePlanOfASliceThatReadsAViewOfItsLeafFromOutside() {
            Tensor x = leaf("x", 4);
            Graph slice = Graph.of(cont("reader", 4, view("view", x, 0, 2), x)).slice(1, 2);
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer elsewhere = memory.allocate(64).setUsage(BufferUsage.COMPUTE)) {
                MemoryPlan plan = allocator.bind(slice);
                elsewhere.place(slice.node(0), 16);

                assertThat(allocator.bind(slice)).isSameAs(plan);
            }
        }

        @Test
        void putsBackATensorThatWasMovedAway() {
            Graph graph = chain(4);
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer elsewhere = memory.allocate(64).setUsage(BufferUsage.COMPUTE)) {
                MemoryPlan plan = allocator.bind(graph);
                elsewhere.place(graph.node(1), 16);

                assertThat(allocator.bind(graph)).isSameAs(plan);
                assertBound(graph, plan, allocator);
            }
        }

        @Test
        void keepsThePlanForASmallerGraphOfTheSameWiring() {
            Graph small = chain(2);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                MemoryPlan plan = allocator.reserve(chain(4));

                assertThat(allocator.bind(small)).isSameAs(plan);
                assertBound(small, plan, allocator);
            }
        }

        @Test
        void plansALargerGraphAnew() {
            Graph large = chain(8);
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                MemoryPlan plan = allocator.reserve(chain(4));

                assertThat(allocator.bind(large)).isNotSameAs(plan);
                assertBound(large, allocator.plan().orElseThrow(), allocator);
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
                MemoryPlan plan = allocator.bind(graph);

                assertThat(unsuitable.offset(0))
                        .as("the old plan would overwrite 'first'")
                        .isEqualTo(unsuitable.offset(2));
                assertThat(plan.offset(0)).isNotEqualTo(plan.offset(2));
                assertThat(PlanValidator.check(plan)).isEmpty();
                assertBound(graph, plan, allocator);
            }
        }

        @Test
        void plansAGraphWithOtherMarksAnew() {
            Graph graph = chain(4);
            graph.node(0).asOutput();
            Graph marked = Graph.of(graph.node(2));
            try (GraphAllocator allocator = GraphAllocator.on(memory)) {
                allocator.reserve(graph);

                assertThat(PlanValidator.check(allocator.bind(marked))).isEmpty();
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
                MemoryPlan plan = allocator.bind(notInPlace);

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
                MemoryPlan plan = allocator.bind(graph);

                assertThat(plan.placement(graph.leaf(0))).isEmpty();
                assertThat(graph.leaf(0).liesAt(own, 16)).isTrue();
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

                assertThat(allocator.bind(graph)).isSameAs(plan);
                assertBound(graph, plan, allocator);
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
            host.bind(graph);
            TensorData.setFloats(graph.leaf(0), 1, 2, 3, 4);
            host.close();

            assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> TensorData.getFloats(graph.leaf(0)));
        }
    }

    @Test
    void needsABufferType() {
        assertThatExceptionOfType(InvalidPlanException.class).isThrownBy(GraphAllocator::on);
    }
}
