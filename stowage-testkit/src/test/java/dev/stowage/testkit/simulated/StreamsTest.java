package dev.stowage.testkit.simulated;

import static dev.stowage.testkit.simulated.Parts.bytes;
import static dev.stowage.testkit.simulated.Parts.floats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.Backend;
import dev.stowage.device.Event;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several streams at once. They are held at gates, so that what is shown does not depend on how fast anything is. */
@Timeout(120)
class StreamsTest {

    private final Gate gate = new Gate("slow");
    private final SimulatedDevice device =
            SimulatedDevice.named("gpu0").delays(gate).build();
    private final SimulatedDevice other = SimulatedDevice.named("gpu1").build();

    private final GraphBuilder builder = new GraphBuilder();
    private final Tensor x = builder.input("x", ElementType.F32, 2);
    private final Tensor slow = builder.scale(x, 10).named("slow");
    private final Tensor fast = builder.scale(x, 100).named("fast");
    private final Graph slowGraph = builder.build(slow);
    private final Graph fastGraph = builder.build(fast);
    private final Buffer buffer = Allocations.allocateAll(builder, device.bufferType());

    private final Tensor copy = floats("copy", 2);
    private final Tensor twice = floats("twice", 2);
    private final Buffer otherBuffer = Allocations.allocateAll(List.of(copy, twice), other.bufferType());

    private final Backend first = device.open();
    private final Backend second = device.open();
    private final Backend third = other.open();
    private final Event event = device.createEvent();

    StreamsTest() {
        TensorData.setFloats(x, 1, 2);
    }

    @AfterEach
    void nothingIsLeftOpen() {
        gate.open();
        for (AutoCloseable each : List.<AutoCloseable>of(first, second, third, event, buffer, otherBuffer)) {
            try {
                each.close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
        for (SimulatedDevice each : List.of(device, other)) {
            assertThat(List.of(each.openBackends(), each.openBuffers(), each.openEvents()))
                    .as(each.name())
                    .containsOnly(0);
            assertThat(each.openBytes()).isZero();
        }
    }

    @Test
    void theCallerGetsAheadOfTheWork() throws InterruptedException {
        float[] read = new float[2];
        first.computeAsync(BoundGraph.of(slowGraph));
        first.getAsync(BoundTensor.of(slow), 0, MemorySegment.ofArray(read));
        gate.awaitReached();
        assertThat(read).containsExactly(0, 0);

        gate.open();
        first.synchronize();

        assertThat(read).containsExactly(10, 20);
    }

    @Test
    void withoutAsyncEachCallIsDoneWhenItReturns() {
        SimulatedDevice eager = SimulatedDevice.named("eager").async(false).build();
        float[] read = new float[2];
        Tensor here = floats("here", 2);
        try (Buffer place = Allocations.allocateAll(List.of(here), eager.bufferType());
                Backend backend = eager.open()) {
            assertThat(place.size()).isPositive();
            backend.setAsync(BoundTensor.of(here), 0, bytes(3, 4));
            assertThat(TensorData.getFloats(here)).containsExactly(3, 4);
            backend.getAsync(BoundTensor.of(here), 0, MemorySegment.ofArray(read));
            assertThat(read).containsExactly(3, 4);
        }
    }

    @Test
    void aSecondStreamOfTheSameDeviceGetsOnWhileTheFirstIsHeld() throws InterruptedException {
        first.computeAsync(BoundGraph.of(slowGraph));
        gate.awaitReached();

        second.compute(fastGraph);

        assertThat(TensorData.getFloats(fast)).containsExactly(100, 200);
        assertThat(TensorData.getFloats(slow)).containsOnly(Float.NaN);
    }

    @Test
    void aStreamThatWaitsForAnEventDoesNotHoldAnother() throws InterruptedException {
        float[] read = new float[2];
        first.computeAsync(BoundGraph.of(slowGraph));
        first.record(event);
        third.await(event);
        third.setAsync(BoundTensor.of(copy), 0, bytes(5, 6));
        third.getAsync(BoundTensor.of(copy), 0, MemorySegment.ofArray(read));
        gate.awaitReached();

        second.compute(fastGraph);
        assertThat(TensorData.getFloats(fast)).containsExactly(100, 200);
        assertThat(read).containsExactly(0, 0);
        assertThat(other.faults().calls(CallKind.SET)).isZero();

        gate.open();
        third.synchronize();
        assertThat(read).containsExactly(5, 6);
    }

    @Test
    void workAfterAWaitSeesTheWorkBeforeTheEvent() {
        float[] read = new float[2];
        first.computeAsync(BoundGraph.of(slowGraph));
        first.record(event);
        second.await(event);
        second.getAsync(BoundTensor.of(slow), 0, MemorySegment.ofArray(read));
        gate.open();

        second.synchronize();

        assertThat(read).containsExactly(10, 20);
    }

    @Test
    void anEventNeverRecordedCountsAsReached() {
        third.await(event);
        third.setAsync(BoundTensor.of(copy), 0, bytes(5, 6));
        third.synchronize();
        event.synchronize();

        assertThat(TensorData.getFloats(copy)).containsExactly(5, 6);
    }

    @Test
    void recordingAgainMovesTheMark() {
        first.record(event);
        first.synchronize();
        event.synchronize();
        first.computeAsync(BoundGraph.of(slowGraph));
        first.record(event);
        third.await(event);
        third.setAsync(BoundTensor.of(copy), 0, bytes(5, 6));
        second.compute(fastGraph);
        assertThat(other.faults().calls(CallKind.SET)).isZero();

        gate.open();
        event.synchronize();
        assertThat(TensorData.getFloats(slow)).containsExactly(10, 20);
        third.synchronize();
        assertThat(TensorData.getFloats(copy)).containsExactly(5, 6);
    }

    @Test
    void whoWaitsBeforeTheEventIsRecordedAgainWaitsForTheOldMark() throws InterruptedException {
        first.record(event);
        third.await(event);
        first.computeAsync(BoundGraph.of(slowGraph));
        first.record(event);
        third.setAsync(BoundTensor.of(copy), 0, bytes(5, 6));

        third.synchronize();

        assertThat(TensorData.getFloats(copy)).containsExactly(5, 6);
        gate.awaitReached();
    }

    @Test
    void refusesToRecordAnEventOfAnotherDevice() {
        assertThatThrownBy(() -> third.record(event))
                .isInstanceOf(DeviceException.class)
                .hasMessageContainingAll("gpu1", "record", "gpu0");
    }

    @Test
    void refusesToRecordOrAwaitAClosedEvent() {
        event.close();

        assertThatThrownBy(() -> first.record(event)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> third.await(event)).isInstanceOf(ClosedException.class);
    }

    @Test
    void aCopyWaitsForTheWorkOfItsProducer() throws InterruptedException {
        first.computeAsync(BoundGraph.of(slowGraph));
        assertThat(third.copyAsync(first, BoundTensor.of(slow), BoundTensor.of(copy)))
                .isTrue();
        gate.awaitReached();
        assertThat(other.faults().calls(CallKind.COPY)).isZero();

        gate.open();
        third.synchronize();

        assertThat(TensorData.getFloats(copy)).containsExactly(10, 20);
    }

    @Test
    void aCopyWaitsForTheWorkOfItsConsumer() throws InterruptedException {
        float[] before = new float[2];
        TensorData.setFloats(copy, 7, 8);
        first.computeAsync(BoundGraph.of(slowGraph));
        first.record(event);
        third.await(event);
        third.getAsync(BoundTensor.of(copy), 0, MemorySegment.ofArray(before));
        assertThat(third.copyAsync(second, BoundTensor.of(x), BoundTensor.of(copy)))
                .isTrue();
        gate.awaitReached();
        assertThat(TensorData.getFloats(copy)).containsExactly(7, 8);

        gate.open();
        third.synchronize();

        assertThat(before).containsExactly(7, 8);
        assertThat(TensorData.getFloats(copy)).containsExactly(1, 2);
    }

    @Test
    void theProducersWorkAfterACopyWaitsUntilItIsDone() {
        first.computeAsync(BoundGraph.of(slowGraph));
        first.record(event);
        third.await(event);
        third.copyAsync(second, BoundTensor.of(x), BoundTensor.of(copy));
        second.setAsync(BoundTensor.of(x), 0, bytes(-1, -1));
        gate.open();

        third.synchronize();
        second.synchronize();

        assertThat(TensorData.getFloats(copy)).containsExactly(1, 2);
        assertThat(TensorData.getFloats(x)).containsExactly(-1, -1);
    }

    @Test
    void aBackendCopiesFromItself() {
        third.setAsync(BoundTensor.of(copy), 0, bytes(5, 6));
        assertThat(third.copyAsync(third, BoundTensor.of(copy), BoundTensor.of(twice)))
                .isTrue();
        third.synchronize();

        assertThat(TensorData.getFloats(twice)).containsExactly(5, 6);
    }

    @Test
    void aCopyFromADeviceThatIsNotAsyncIsMadeAtOnce() {
        SimulatedDevice eager = SimulatedDevice.named("eager").async(false).build();
        Tensor here = floats("here", 2);
        try (Buffer place = Allocations.allocateAll(List.of(here), eager.bufferType());
                Backend backend = eager.open()) {
            assertThat(place.size()).isPositive();
            backend.setAsync(BoundTensor.of(here), 0, bytes(3, 4));

            assertThat(third.copyAsync(backend, BoundTensor.of(here), BoundTensor.of(copy)))
                    .isFalse();

            assertThat(TensorData.getFloats(copy)).containsExactly(3, 4);
        }
    }

    @Test
    void refusesToCopyBetweenDifferentLayouts() {
        Tensor wide = floats("wide", 4);
        try (Buffer place = Allocations.allocateAll(List.of(wide), other.bufferType())) {
            assertThat(place.size()).isPositive();
            assertThatThrownBy(() -> third.copyAsync(second, BoundTensor.of(x), BoundTensor.of(wide)))
                    .isInstanceOf(InvalidTensorException.class);
        }
    }

    @Test
    void refusesACallWhileAnotherThreadIsInOne() throws InterruptedException {
        first.computeAsync(BoundGraph.of(slowGraph));
        Thread waiting = Thread.ofPlatform().start(first::synchronize);
        gate.awaitReached();
        while (waiting.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }

        assertThatThrownBy(() -> first.computeAsync(BoundGraph.of(fastGraph)))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("one thread at a time");

        gate.open();
        waiting.join();
        first.compute(fastGraph);
        assertThat(TensorData.getFloats(fast)).containsExactly(100, 200);
    }

    @Test
    void takesCallsFromOneThreadAfterTheOther() throws InterruptedException {
        gate.open();
        List<Throwable> failures = new ArrayList<>();
        Thread another = Thread.ofPlatform().unstarted(() -> first.computeAsync(BoundGraph.of(slowGraph)));
        another.setUncaughtExceptionHandler((_, failure) -> failures.add(failure));
        another.start();
        another.join();
        first.synchronize();

        assertThat(failures).isEmpty();
        assertThat(TensorData.getFloats(slow)).containsExactly(10, 20);
    }
}
