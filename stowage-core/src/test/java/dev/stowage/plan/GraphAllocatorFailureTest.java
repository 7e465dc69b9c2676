package dev.stowage.plan;

import static dev.stowage.plan.TestTensors.cont;
import static dev.stowage.plan.TestTensors.isAt;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reserve that fails half way through, at every buffer it takes, leaves everything as it was; a refused bind binds nothing. */
class GraphAllocatorFailureTest {

    private static final long LARGEST = 128;

    private final RefusingMemory first = new RefusingMemory("first", LARGEST);
    private final RefusingMemory second = new RefusingMemory("second", LARGEST);

    /** All results are kept, so that each chunk holds one or two of them. */
    private static Graph outputs(int nodes, long floats) {
        Tensor last = leaf("x", floats).asOutput();
        for (int i = 0; i < nodes; i++) {
            last = cont("node" + i, floats, last).asOutput();
        }
        return Graph.of(last);
    }

    private static int[] alternating(int count) {
        int[] buffers = new int[count];
        for (int i = 0; i < count; i++) {
            buffers[i] = i % 2;
        }
        return buffers;
    }

    private static void assertHolds(BoundTensor tensor, float value) {
        assertThat(TensorData.getFloats(tensor)).containsOnly(value);
    }

    private static void fill(BoundTensor tensor, float value) {
        float[] values = new float[(int) tensor.shape().elements()];
        Arrays.fill(values, value);
        TensorData.setFloats(tensor, values);
    }

    /** The larger graph takes eight chunks, four of each type: the number refused stands for each of them. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    void keepsBuffersPlanAndBytesWhateverBufferIsRefused(int refused) {
        Graph bound = outputs(3, 8);
        Graph larger = outputs(7, 32);
        try (GraphAllocator allocator = GraphAllocator.on(first, second)) {
            MemoryPlan plan = allocator.reserve(bound, alternating(3), new int[] {1});
            BoundTensor result = allocator.bind(bound).tensor(bound.node(2));
            fill(result, 7);
            List<Buffer> before = List.copyOf(first.openBuffers());
            List<Buffer> beforeOther = List.copyOf(second.openBuffers());
            (refused < 4 ? first : second).refuseAfter(refused % 4);

            assertThatExceptionOfType(AllocationException.class)
                    .isThrownBy(() -> allocator.reserve(larger, alternating(7), new int[] {1}));

            assertThat(first.openBuffers()).as("buffers of the first type").isEqualTo(before);
            assertThat(second.openBuffers()).as("buffers of the second type").isEqualTo(beforeOther);
            assertThat(allocator.plan()).containsSame(plan);
            assertThat(allocator.bind(bound).plan()).containsSame(plan);
            assertThat(allocator.bind(bound).tensor(bound.node(2))).isEqualTo(result);
            assertHolds(result, 7);
        }
        assertThat(first.openBuffers()).isEmpty();
        assertThat(second.openBuffers()).isEmpty();
    }

    @Test
    void takesEightBuffersWhereNoneIsRefused() {
        try (GraphAllocator allocator = GraphAllocator.on(first, second)) {
            allocator.reserve(outputs(7, 32), alternating(7), new int[] {1});

            assertThat(first.givenBuffers()).isEqualTo(4);
            assertThat(second.givenBuffers()).isEqualTo(4);
        }
    }

    @Test
    void canReserveAgainAfterARefusal() {
        try (GraphAllocator allocator = GraphAllocator.on(first)) {
            first.refuseAfter(1);
            assertThatExceptionOfType(AllocationException.class).isThrownBy(() -> allocator.reserve(outputs(3, 32)));
            MemoryPlan plan = allocator.reserve(outputs(3, 32));

            assertThat(allocator.size()).isEqualTo(plan.size());
        }
    }

    @Test
    void keepsTheOldBindingWhenBindingALargerGraphIsRefused() {
        Graph bound = outputs(1, 8);
        Graph larger = outputs(1, 16);
        try (GraphAllocator allocator = GraphAllocator.on(first)) {
            BoundGraph before = allocator.bind(bound);
            fill(before.tensor(bound.node(0)), 3);
            first.refuseAfter(0);

            assertThatExceptionOfType(AllocationException.class).isThrownBy(() -> allocator.bind(larger));

            assertThat(allocator.plan()).isEqualTo(before.plan());
            assertThat(allocator.bind(bound)).isSameAs(before);
            assertHolds(before.tensor(bound.node(0)), 3);
        }
    }

    @Nested
    class WhenMemoryRefusesATensor {

        private final FussyMemory fussy = new FussyMemory();
        private final Tensor weight = leaf("weight", 4).asWeight();
        private final Tensor x = leaf("x", 4);
        private final Tensor y = cont("y", 4, x, weight);
        private final Tensor window = view("window", y, 1, 2);
        private final Tensor z = cont("z", 4, window);
        private final Graph graph = Graph.of(z);

        private void assertRefused(GraphAllocator allocator, String name) {
            fussy.refused = name;
            assertThatExceptionOfType(AllocationException.class)
                    .isThrownBy(() -> allocator.bind(graph))
                    .withMessageContaining("'" + name + "'");
            fussy.refused = "none";
        }

        @ParameterizedTest
        @ValueSource(strings = {"x", "y", "window", "z"})
        void bindsNothing(String name) {
            try (GraphAllocator allocator = GraphAllocator.on(fussy);
                    Buffer own = fussy.allocate(64)) {
                own.place(weight, 16);
                assertRefused(allocator, name);

                assertThat(List.of(x, y, window, z)).noneMatch(Tensor::isPlaced);
                assertThat(isAt(weight, own, 16)).isTrue();
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"x", "y", "window", "z"})
        void aLaterBindInformsItAboutEveryTensorAgain(String name) {
            try (GraphAllocator allocator = GraphAllocator.on(fussy);
                    Buffer own = fussy.allocate(64)) {
                own.place(weight, 16);
                assertRefused(allocator, name);
                fussy.accepted.clear();
                BoundGraph bound = allocator.bind(graph);
                MemoryPlan plan = bound.plan().orElseThrow();

                assertThat(fussy.accepted).containsExactlyInAnyOrder("x", "y", "window", "z");
                Buffer chunk = allocator.buffers(0).getFirst();
                for (Tensor tensor : List.of(x, y, z)) {
                    assertThat(bound.tensor(tensor))
                            .isEqualTo(BoundTensor.at(tensor, chunk, plan.offset(graph.idOf(tensor))));
                }
            }
        }

        @Test
        void theGraphStaysBoundWhereAnotherAllocatorHasBoundIt() {
            try (GraphAllocator first = GraphAllocator.on(fussy);
                    GraphAllocator second = GraphAllocator.on(fussy);
                    Buffer own = fussy.allocate(64)) {
                own.place(weight, 16);
                BoundGraph bound = first.bind(graph);
                assertRefused(second, "z");

                assertThat(bound.isStale()).isFalse();
                assertThat(first.bind(graph)).isSameAs(bound);
            }
        }
    }

    @Test
    void tensorsBoundBeforeItGrewCanNoLongerBeRead() {
        Graph bound = outputs(1, 8);
        try (GraphAllocator allocator = GraphAllocator.on(first)) {
            BoundTensor result = allocator.bind(bound).tensor(bound.node(0));
            fill(result, 3);
            allocator.reserve(outputs(1, 16));

            assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> TensorData.getFloats(result));
        }
    }
}
