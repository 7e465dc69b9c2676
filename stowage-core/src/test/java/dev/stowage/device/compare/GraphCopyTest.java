package dev.stowage.device.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.device.AddingDevice;
import dev.stowage.device.Backend;
import dev.stowage.device.DeviceType;
import dev.stowage.error.AllocationException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GraphCopyTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 4, 2);
    private final Tensor turned = b.transpose(x);
    private final Tensor sum = b.add(x, x).named("sum");
    private final Tensor row = b.view1d(sum, 4, 16).named("row");
    private final Tensor cast = b.cast(sum, ElementType.F16);
    private final Tensor y = b.add(row, row).named("y").asOutput();
    private final Graph graph = b.build(turned, cast, y);
    private final Buffer memory = Allocations.allocateAll(b, HostBufferType.standard());

    @AfterEach
    void close() {
        memory.close();
    }

    @Test
    void hasTheSameWiring() {
        try (GraphCopy copy = GraphCopy.of(graph, HostBufferType.standard())) {
            assertThat(copy.graph().isWiredLike(graph)).isTrue();
            assertThat(copy.graph().dump()).isEqualTo(graph.dump());
        }
    }

    @Test
    void holdsTheSameBytesInOtherMemory() {
        TensorData.setFloats(x, 1, 2, 3, 4, 5, 6, 7, 8);
        try (GraphCopy copy = GraphCopy.of(graph, HostBufferType.standard())) {
            Tensor copied = copy.copyOf(x);

            assertThat(copied).isNotSameAs(x);
            assertThat(TensorData.getFloats(copied)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
            assertThat(copy.bound().tensor(copied).buffer()).isNotSameAs(Buffer.of(x));
        }
    }

    @Test
    void viewsAreViewsOfTheCopies() {
        try (GraphCopy copy = GraphCopy.of(graph, HostBufferType.standard())) {
            assertThat(copy.copyOf(row).viewSource()).isSameAs(copy.copyOf(sum));
            assertThat(copy.copyOf(row).viewOffset()).isEqualTo(16);
        }
    }

    @Test
    void runsOnItsOwn() {
        TensorData.setFloats(x, 1, 2, 3, 4, 5, 6, 7, 8);
        Graph adding = b.build(y);
        try (GraphCopy copy = GraphCopy.of(adding, HostBufferType.standard());
                Backend backend = new AddingDevice("adder", DeviceType.CPU, 0).open()) {
            backend.compute(copy.graph());

            assertThat(TensorData.getFloats(copy.copyOf(y))).containsExactly(20, 24, 28, 32);
            assertThat(TensorData.getFloats(y)).containsExactly(0, 0, 0, 0);
        }
    }

    @Test
    void takesNothingWhereThereIsTooLittle() {
        MeasuringBufferType small = MeasuringBufferType.of("small", 64).withCapacity(64);

        assertThatExceptionOfType(AllocationException.class).isThrownBy(() -> GraphCopy.of(graph, small));
        assertThat(small.openBuffers()).isZero();
    }
}
