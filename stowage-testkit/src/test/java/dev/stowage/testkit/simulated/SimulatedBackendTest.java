package dev.stowage.testkit.simulated;

import static dev.stowage.testkit.simulated.Parts.bytes;
import static dev.stowage.testkit.simulated.Parts.expected;
import static dev.stowage.testkit.simulated.Parts.floats;
import static dev.stowage.testkit.simulated.Parts.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
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
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class SimulatedBackendTest {

    private final SimulatedDevice device = SimulatedDevice.named("gpu0").build();
    private final GraphBuilder builder = new GraphBuilder();
    private final Tensor x = builder.input("x", ElementType.F32, 4, 3);
    private final Tensor w = builder.weight("w", ElementType.F32, 4);
    private final Tensor y = builder.sqr(builder.add(builder.scale(x, 2), w)).named("y");
    private final Graph graph = builder.build(y);

    private Buffer placeAll(SimulatedDevice on) {
        Buffer buffer = Allocations.allocateAll(builder, on.bufferType());
        Random random = new Random(1);
        TensorData.setFloats(x, random(random, 12));
        TensorData.setFloats(w, random(random, 4));
        return buffer;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void computesWhatTheReferenceComputes(boolean async) {
        SimulatedDevice made = SimulatedDevice.named("gpu").async(async).build();
        try (Buffer _ = placeAll(made);
                Backend backend = made.open()) {
            backend.compute(graph);

            assertThat(TensorData.getFloats(y)).containsExactly(expected(graph, y));
        }
    }

    @Test
    void computesOnViewsAndInPlace() {
        Tensor flipped = builder.transpose(x);
        Tensor part = builder.view2d(x, 2, 3, x.stride(1), 8);
        Tensor result = builder.add(builder.addInplace(part, part), builder.scale(part, 3));
        Tensor turned = builder.sqr(flipped);
        Graph views = builder.build(turned, result);
        try (Buffer _ = placeAll(device);
                Backend backend = device.open()) {
            float[] expectedResult = expected(views, result);
            float[] expectedTurned = expected(views, turned);

            backend.compute(views);

            assertThat(TensorData.getFloats(result)).containsExactly(expectedResult);
            assertThat(TensorData.getFloats(turned)).containsExactly(expectedTurned);
        }
    }

    @Test
    void computesSlicesWhoseOperandsAreNotInTheirLists() {
        try (Buffer _ = placeAll(device);
                Backend backend = device.open()) {
            for (int node = 0; node < graph.nodeCount(); node++) {
                backend.compute(graph.slice(node, node + 1));
            }

            assertThat(TensorData.getFloats(y)).containsExactly(expected(graph, y));
        }
    }

    @Test
    void computesFromOperandsInMemoryOfOthersThatItReads() {
        SimulatedDevice other = SimulatedDevice.named("gpu1").build();
        SimulatedDevice reading = SimulatedDevice.named("gpu2")
                .readingHostMemory()
                .reading("gpu1")
                .build();
        try (Buffer host = HostBufferType.standard().allocate(64);
                Buffer elsewhere = other.bufferType().allocate(64)) {
            host.place(x, 0);
            elsewhere.place(w, 0);
            try (Buffer _ = placeAll(reading);
                    Backend backend = reading.open()) {
                backend.compute(graph);

                assertThat(TensorData.getFloats(y)).containsExactly(expected(graph, y));
            }
        }
    }

    @Test
    void refusesOperandsInMemoryItDoesNotRead() {
        try (Buffer host = HostBufferType.standard().allocate(64)) {
            host.place(x, 0);
            try (Buffer _ = placeAll(device);
                    Backend backend = device.open()) {
                assertThatThrownBy(() -> backend.computeAsync(BoundGraph.of(graph)))
                        .isInstanceOf(DeviceException.class)
                        .hasMessageContainingAll("gpu0", "compute", "'x'", "host");
                backend.synchronize();
            }
        }
    }

    @Test
    void refusesTensorsWithoutMemoryBeforeAnythingRuns() {
        try (Backend backend = device.open()) {
            assertThatThrownBy(() -> backend.computeAsync(BoundGraph.of(graph)))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("no memory");
            backend.synchronize();
            assertThat(device.faults().calls()).isZero();
        }
    }

    @Test
    void refusesOpsItWasMadeWithoutAndComputesNothing() {
        SimulatedDevice adder = SimulatedDevice.named("adder")
                .supporting(Set.of(Op.ADD, Op.SCALE))
                .build();
        try (Buffer _ = placeAll(adder);
                Backend backend = adder.open()) {
            assertThatThrownBy(() -> backend.computeAsync(BoundGraph.of(graph)))
                    .isInstanceOfSatisfying(DeviceException.class, refused -> {
                        assertThat(refused.device()).isEqualTo("adder");
                        assertThat(refused.call()).isEqualTo("compute");
                        assertThat(refused.tensor()).contains(y.describe());
                    });
            backend.synchronize();
            assertThat(adder.faults().calls(CallKind.COMPUTE)).isZero();
        }
    }

    @Test
    void doesTransfersAndGraphsInTheOrderTheyWereSubmitted() {
        float[] first = new float[12];
        float[] second = new float[12];
        float[] values = random(new Random(2), 12);
        try (Buffer _ = placeAll(device);
                Backend backend = device.open()) {
            float[] expectedFirst = expected(graph, y);
            backend.computeAsync(BoundGraph.of(graph));
            backend.getAsync(BoundTensor.of(y), 0, MemorySegment.ofArray(first));
            backend.setAsync(BoundTensor.of(x), 0, bytes(values));
            backend.computeAsync(BoundGraph.of(graph));
            backend.getAsync(BoundTensor.of(y), 0, MemorySegment.ofArray(second));
            backend.synchronize();

            assertThat(first).containsExactly(expectedFirst);
            assertThat(second).containsExactly(expected(graph, y)).isNotEqualTo(first);
        }
    }

    @Test
    void transfersPartsOfATensor() {
        float[] read = new float[2];
        try (Buffer _ = placeAll(device);
                Backend backend = device.open()) {
            backend.setAsync(BoundTensor.of(x), 8, bytes(7, 8, 9));
            backend.getAsync(BoundTensor.of(x), 12, MemorySegment.ofArray(read));
            backend.synchronize();

            assertThat(read).containsExactly(8, 9);
        }
    }

    @Test
    void takesSegmentsThatOnlyTheCallerReaches() {
        try (Buffer _ = placeAll(device);
                Backend backend = device.open();
                Arena mine = Arena.ofConfined()) {
            MemorySegment out = mine.allocate(48);
            backend.setAsync(BoundTensor.of(x), 0, mine.allocate(48).fill((byte) 0));
            backend.getAsync(BoundTensor.of(x), 0, out);
            backend.synchronize();

            assertThat(out.mismatch(MemorySegment.ofArray(new float[12]))).isEqualTo(-1);
        }
    }

    @Test
    void refusesRangesOutsideATensorBeforeAnythingIsSubmitted() {
        try (Buffer _ = placeAll(device);
                Backend backend = device.open()) {
            long before = device.faults().calls();
            for (long offset : new long[] {-4, 44, Long.MAX_VALUE}) {
                assertThatThrownBy(() -> backend.setAsync(BoundTensor.of(x), offset, bytes(1, 2)))
                        .isInstanceOf(AccessException.class)
                        .hasMessageContaining("'x'");
                assertThatThrownBy(() -> backend.getAsync(BoundTensor.of(x), offset, bytes(1, 2)))
                        .isInstanceOf(AccessException.class);
            }
            backend.synchronize();

            assertThat(device.faults().calls()).isEqualTo(before);
        }
    }

    @Test
    void refusesToReadIntoAReadOnlySegment() {
        try (Buffer _ = placeAll(device);
                Backend backend = device.open()) {
            assertThatThrownBy(() ->
                            backend.getAsync(BoundTensor.of(x), 0, bytes(1, 2).asReadOnly()))
                    .isInstanceOf(AccessException.class);
        }
    }

    @Test
    void refusesSegmentsOfClosedArenas() {
        Arena arena = Arena.ofShared();
        MemorySegment gone = arena.allocate(8);
        arena.close();
        try (Buffer _ = placeAll(device);
                Backend backend = device.open()) {
            assertThatThrownBy(() -> backend.setAsync(BoundTensor.of(x), 0, gone))
                    .isInstanceOf(ClosedException.class);
        }
    }

    @Test
    void computesWhereTheGraphWasBoundWhateverItIsBoundToMeanwhile() throws InterruptedException {
        Gate gate = new Gate("y");
        SimulatedDevice gated = SimulatedDevice.named("gpu").delays(gate).build();
        Tensor own = floats("own", 12);
        Tensor doubled = new GraphBuilder().add(own, own).named("y").asOutput();
        Graph twice = Graph.of(doubled);
        try (Buffer _ = Allocations.allocateAll(List.of(own), gated.bufferType());
                GraphAllocator first = GraphAllocator.on(gated.bufferType());
                GraphAllocator second = GraphAllocator.on(gated.bufferType());
                Backend backend = gated.open()) {
            TensorData.setFloats(own, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
            BoundGraph bound = first.bind(twice);
            backend.computeAsync(bound);
            gate.awaitReached();
            BoundGraph other = second.bind(twice);
            TensorData.setFloats(other.tensor(doubled), new float[12]);
            gate.open();
            backend.synchronize();

            assertThat(TensorData.getFloats(bound.tensor(doubled)))
                    .containsExactly(2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24);
            assertThat(TensorData.getFloats(other.tensor(doubled))).containsOnly(0);
        }
    }

    @Test
    void stopsBetweenNodesWhenAskedTo() {
        BackendOptions stopping = BackendOptions.defaults().withAbort(() -> true);
        try (Buffer _ = placeAll(device);
                Backend backend = device.open(stopping)) {
            backend.computeAsync(BoundGraph.of(graph));

            assertThatThrownBy(backend::synchronize)
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining("asked to stop");
            assertThat(device.faults().calls(CallKind.COMPUTE)).isZero();
        }
    }

    @Test
    void refusesWorkAfterItWasClosed() {
        Backend backend = device.open();
        assertThat(device.openBackends()).isEqualTo(1);
        try (Buffer _ = placeAll(device)) {
            backend.close();
            backend.close();

            assertThat(device.openBackends()).isZero();
            assertThatThrownBy(() -> backend.computeAsync(BoundGraph.of(graph))).isInstanceOf(ClosedException.class);
            assertThatThrownBy(() -> backend.setAsync(BoundTensor.of(x), 0, bytes(1)))
                    .isInstanceOf(ClosedException.class);
            assertThatThrownBy(backend::synchronize).isInstanceOf(ClosedException.class);
        }
    }

    @Test
    void refusesToCopyFromABackendThatWasClosed() {
        Tensor copy = floats("copy", 4);
        Backend closed = device.open();
        closed.close();
        try (Buffer _ = placeAll(device);
                Buffer place = Allocations.allocateAll(List.of(copy), device.bufferType());
                Backend backend = device.open()) {
            assertThat(place.size()).isPositive();
            assertThatThrownBy(() -> backend.copyAsync(closed, BoundTensor.of(w), BoundTensor.of(copy)))
                    .isInstanceOf(ClosedException.class);
            backend.synchronize();
        }
    }

    @Test
    void finishesSubmittedWorkBeforeItCloses() {
        float[] read = new float[12];
        try (Buffer _ = placeAll(device)) {
            try (Backend backend = device.open()) {
                backend.computeAsync(BoundGraph.of(graph));
                backend.getAsync(BoundTensor.of(y), 0, MemorySegment.ofArray(read));
            }

            assertThat(read).containsExactly(expected(graph, y));
        }
    }

    @Test
    void finishesWorkOnABufferThatWasClosedMeanwhileAndThenGivesItBack() throws InterruptedException {
        Gate gate = new Gate("y");
        SimulatedDevice gated = SimulatedDevice.named("gpu").delays(gate).build();
        Buffer buffer = placeAll(gated);
        float[] right = expected(graph, y);
        float[] read = new float[12];
        try (Backend backend = gated.open()) {
            backend.computeAsync(BoundGraph.of(graph));
            backend.getAsync(BoundTensor.of(y), 0, MemorySegment.ofArray(read));
            gate.awaitReached();
            int open = gated.openBuffers();
            buffer.close();
            assertThat(buffer.isClosed()).isTrue();
            assertThat(gated.openBuffers()).isEqualTo(open);
            gate.open();
            backend.synchronize();

            assertThat(read).containsExactly(right);
            assertThat(gated.openBuffers()).isZero();
            assertThatThrownBy(() -> backend.computeAsync(BoundGraph.of(graph))).isInstanceOf(ClosedException.class);
        }
        assertThat(gated.openBuffers()).isZero();
    }
}
