package dev.stowage.plan;

import static dev.stowage.plan.TestTensors.cont;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlanRequestTest {

    private static final BufferType MEMORY = MeasuringBufferType.of("memory", 16);
    private static final BufferType OTHER = MeasuringBufferType.of("other", 16);

    private final Tensor x = leaf("x", 4);
    private final Tensor y = cont("y", 4, x);
    private final Graph graph = Graph.of(cont("z", 4, y));

    @Test
    void putsEverythingIntoTheOnlyMemory() {
        PlanRequest request = PlanRequest.of(graph, MEMORY);

        assertThat(request.bufferCount()).isEqualTo(1);
        assertThat(request.bufferType(0)).isSameAs(MEMORY);
        assertThat(request.buffer(1)).isZero();
        assertThat(request.buffer(graph.nodeCount())).isZero();
    }

    @Test
    void keepsWhatWasAskedFor() {
        int[] nodes = {1, 0};
        int[] leaves = {1};
        PlanRequest request = PlanRequest.of(graph, List.of(MEMORY, OTHER), nodes, leaves);
        nodes[0] = 0;
        leaves[0] = 0;

        assertThat(request.buffer(0)).isEqualTo(1);
        assertThat(request.buffer(1)).isZero();
        assertThat(request.buffer(graph.nodeCount())).isEqualTo(1);
    }

    @Test
    void knowsWhichTypesAreTheSame() {
        PlanRequest request = PlanRequest.of(graph, List.of(MEMORY, OTHER, MEMORY, OTHER), new int[2], new int[1]);

        assertThat(List.of(
                        request.firstWithSameType(0),
                        request.firstWithSameType(1),
                        request.firstWithSameType(2),
                        request.firstWithSameType(3)))
                .containsExactly(0, 1, 0, 1);
    }

    @Test
    void takesEqualTypesForTheSame() {
        List<BufferType> equal =
                List.of(HostBufferType.standard(), HostBufferType.standard().withName("host"));

        assertThat(PlanRequest.of(graph, equal, new int[2], new int[1]).firstWithSameType(1))
                .isZero();
    }

    @Test
    void needsABufferType() {
        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> PlanRequest.of(graph, List.of(), new int[2], new int[1]));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void needsABufferForEveryNode(int count) {
        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> PlanRequest.of(graph, List.of(MEMORY), new int[count], new int[1]))
                .withMessageContainingAll("2 nodes", Integer.toString(count));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void needsABufferForEveryLeaf(int count) {
        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> PlanRequest.of(graph, List.of(MEMORY), new int[2], new int[count]))
                .withMessageContaining(Integer.toString(count));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 2})
    void refusesABufferThatIsNotThere(int buffer) {
        List<BufferType> types = List.of(MEMORY, OTHER);

        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> PlanRequest.of(graph, types, new int[] {0, buffer}, new int[1]))
                .withMessageContainingAll("node 1", "buffer " + buffer);
        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> PlanRequest.of(graph, types, new int[2], new int[] {buffer}))
                .withMessageContainingAll("leaf 0", "buffer " + buffer);
    }

    @Nested
    class ATensorIsFixed {

        private boolean isFixed(Graph in, Tensor tensor) {
            return PlanRequest.of(in, MEMORY).isFixed(in.idOf(tensor));
        }

        @Test
        void ifItIsAWeight() {
            x.asWeight();

            assertThat(isFixed(Graph.of(y), x)).isTrue();
            assertThat(isFixed(Graph.of(y), y)).isFalse();
        }

        @Test
        void ifItIsInABufferOfTheCaller() {
            try (Buffer own = MEMORY.allocate(16)) {
                own.place(x, 0);

                assertThat(isFixed(graph, x)).isTrue();
            }
        }

        @Test
        void ifItIsAViewOfOneThatIsThere() {
            Tensor view = view("view", x, 0, 2);
            try (Buffer own = MEMORY.allocate(16)) {
                own.place(x, 0);
                PlanRequest request = PlanRequest.of(Graph.of(view), MEMORY);

                assertThat(request.isFixed(0)).isTrue();
                assertThat(request.isPlannable(0)).isFalse();
            }
        }

        @Test
        void notIfAnAllocatorHasBoundIt() {
            try (GraphAllocator allocator = GraphAllocator.on(MEMORY)) {
                allocator.bind(graph);

                assertThat(isFixed(graph, x)).isFalse();
                assertThat(isFixed(graph, y)).isFalse();
            }
        }

        @Test
        void ifItIsInABufferForComputing() {
            try (Buffer compute = MEMORY.allocate(16).setUsage(BufferUsage.COMPUTE)) {
                compute.place(y, 0);

                assertThat(isFixed(graph, y)).isTrue();
                assertThat(isFixed(graph.slice(1, 2), y)).isTrue();
            }
        }

        @Test
        void notIfItIsAViewFromOutsideOfOneThatIsPlanned() {
            Tensor view = view("view", x, 0, 2);
            Graph slice = Graph.of(cont("reader", 4, view, x)).slice(1, 2);

            assertThat(isFixed(slice, x)).isFalse();
            assertThat(isFixed(slice, view)).isFalse();
        }

        @Test
        void asItWasWhenTheRequestWasMade() {
            PlanRequest request = PlanRequest.of(graph, MEMORY);
            try (Buffer own = MEMORY.allocate(16)) {
                own.place(x, 0);

                assertThat(request.isFixed(graph.idOf(x))).isFalse();
            }
        }
    }

    @Test
    void viewsAreNotPlannable() {
        Tensor view = view("view", x, 0, 2);
        PlanRequest request = PlanRequest.of(Graph.of(view), MEMORY);

        assertThat(request.isPlannable(0)).isFalse();
        assertThat(request.isPlannable(1)).isTrue();
    }
}
