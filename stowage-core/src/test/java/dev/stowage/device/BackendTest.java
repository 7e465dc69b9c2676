package dev.stowage.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.device.AddingDevice.AddingBackend;
import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BackendTest {

    private final AddingDevice device = new AddingDevice("adder", DeviceType.CPU, 0);
    private final AddingBackend backend = device.open(BackendOptions.defaults());
    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 2);
    private final Tensor y = b.add(x, x).asOutput();
    private final Graph graph = b.build(y);
    private final Buffer memory = Allocations.allocateAll(b, HostBufferType.standard());

    @AfterEach
    void close() {
        backend.close();
        memory.close();
    }

    @Test
    void doesWhatIsSubmittedInOrder() {
        float[] result = new float[2];

        backend.setAsync(BoundTensor.of(x), 0, MemorySegment.ofArray(new float[] {1, 2}));
        backend.computeAsync(BoundGraph.of(graph));
        backend.getAsync(BoundTensor.of(y), 0, MemorySegment.ofArray(result));
        backend.synchronize();

        assertThat(result).containsExactly(2, 4);
    }

    @Test
    void runsAPreparedGraphAgainAndAgain() {
        TensorData.setFloats(x, 1, 2);
        try (PreparedGraph prepared = backend.prepare(BoundGraph.of(graph))) {
            backend.compute(prepared);
            TensorData.setFloats(x, 3, 4);
            backend.compute(prepared);
        }

        assertThat(TensorData.getFloats(y)).containsExactly(6, 8);
    }

    @Test
    void aPreparedGraphCannotRunOnceItIsClosed() {
        PreparedGraph prepared = backend.prepare(BoundGraph.of(graph));
        prepared.close();
        prepared.close();

        assertThatExceptionOfType(ClosedException.class).isThrownBy(prepared::computeAsync);
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> prepared.update(BoundGraph.of(graph)));
    }

    @Test
    void copiesAtOnceWhereItCannotSubmitACopy() {
        Tensor z = b.tensor(ElementType.F32, 2);
        TensorData.setFloats(x, 5, 6);
        try (Buffer more = Allocations.allocateAll(b, HostBufferType.standard())) {
            assertThat(more.size()).isPositive();
            assertThat(backend.copyAsync(backend, BoundTensor.of(x), BoundTensor.of(z)))
                    .isFalse();
            assertThat(TensorData.getFloats(z)).containsExactly(5, 6);
        }
    }

    @Test
    void refusesATransferOutOfTheTensor() {
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> backend.setAsync(BoundTensor.of(x), 4, MemorySegment.ofArray(new float[2])))
                .withMessageContaining("8 bytes at byte 4");
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> backend.getAsync(BoundTensor.of(x), -1, MemorySegment.ofArray(new float[1])));
    }

    @Test
    void leavesACopyItCannotSubmitToTheCaller() {
        Tensor z = b.tensor(ElementType.F32, 2);
        TensorData.setFloats(x, 5, 6);
        try (Buffer more = Allocations.allocateAll(b, HostBufferType.standard())) {
            more.clear((byte) 0);

            assertThat(backend.tryCopyAsync(backend, BoundTensor.of(x), BoundTensor.of(z)))
                    .isFalse();
            assertThat(TensorData.getFloats(z)).containsExactly(0, 0);
        }
    }

    @Test
    void hasNoEventsUnlessItSaysSo() {
        assertThatExceptionOfType(DeviceException.class)
                .isThrownBy(device::createEvent)
                .satisfies(e -> assertThat(e.device()).isEqualTo("adder"))
                .satisfies(e -> assertThat(e.call()).isEqualTo("createEvent"));
    }

    @Test
    void refusesASecondThreadWhileOneIsInside() {
        backend.whileRunning = () -> {
            CompletableFuture<Void> other = CompletableFuture.runAsync(backend::synchronize);
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(other::join)
                    .havingCause()
                    .isInstanceOf(DeviceException.class)
                    .withMessageContaining("one thread at a time");
        };

        backend.compute(graph);
    }

    @Test
    void mayBeUsedByOneThreadAfterTheOther() {
        backend.compute(graph);

        assertThatCode(() ->
                        CompletableFuture.runAsync(() -> backend.compute(graph)).join())
                .doesNotThrowAnyException();
    }

    @Test
    void worksAgainAfterAFailure() {
        Graph wrong = new GraphBuilder().build(b.mul(x, x));
        try (Buffer more = Allocations.allocateAll(b, HostBufferType.standard())) {
            assertThat(more.size()).isPositive();
            assertThatExceptionOfType(DeviceException.class).isThrownBy(() -> backend.compute(wrong));
        }
        TensorData.setFloats(x, 1, 1);

        backend.compute(graph);

        assertThat(TensorData.getFloats(y)).containsExactly(2, 2);
    }

    static List<Consumer<BackendTest>> uses() {
        return Stream.<Consumer<BackendTest>>of(
                        t -> t.backend.setAsync(BoundTensor.of(t.x), 0, MemorySegment.ofArray(new float[2])),
                        t -> t.backend.getAsync(BoundTensor.of(t.x), 0, MemorySegment.ofArray(new float[2])),
                        t -> t.backend.copyAsync(t.backend, BoundTensor.of(t.x), BoundTensor.of(t.y)),
                        t -> t.backend.tryCopyAsync(t.backend, BoundTensor.of(t.x), BoundTensor.of(t.y)),
                        t -> t.backend.computeAsync(BoundGraph.of(t.graph)),
                        t -> t.backend.compute(t.graph),
                        t -> t.backend.prepare(BoundGraph.of(t.graph)),
                        t -> t.backend.synchronize())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("uses")
    void cannotBeUsedOnceItIsClosed(Consumer<BackendTest> use) {
        backend.close();
        backend.close();

        assertThat(backend.released).isOne();
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> use.accept(this));
    }

    @Test
    void everyBackendHasItsOwnNumber() {
        try (Backend other = device.open()) {
            assertThat(other.id()).isNotEqualTo(backend.id());
        }
    }
}
