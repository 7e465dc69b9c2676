package dev.stowage.testkit.simulated;

import static dev.stowage.testkit.simulated.Parts.bytes;
import static dev.stowage.testkit.simulated.Parts.floats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.device.Backend;
import dev.stowage.device.Event;
import dev.stowage.error.AllocationException;
import dev.stowage.error.DeviceException;
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
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a failure looks like to the caller, and that the devices work after it. */
@Timeout(120)
class FailuresTest {

    private final SimulatedDevice device = SimulatedDevice.named("gpu0").build();
    private final SimulatedDevice other = SimulatedDevice.named("gpu1").build();

    private final GraphBuilder builder = new GraphBuilder();
    private final Tensor x = builder.input("x", ElementType.F32, 2);
    private final Tensor y = builder.scale(x, 10).named("y");
    private final Tensor z = builder.sqr(y).named("z");
    private final Graph graph = builder.build(z);
    private final Buffer buffer = Allocations.allocateAll(builder, device.bufferType());

    private final Tensor copy = floats("copy", 2);
    private final Buffer otherBuffer = Allocations.allocateAll(List.of(copy), other.bufferType());

    private final Backend first = device.open();
    private final Backend second = other.open();
    private final Event event = device.createEvent();

    FailuresTest() {
        TensorData.setFloats(x, 1, 2);
        TensorData.setFloats(y, 0, 0);
        TensorData.setFloats(z, 0, 0);
        TensorData.setFloats(copy, 0, 0);
        device.faults().onHang(Thread.currentThread()::interrupt);
        other.faults().onHang(Thread.currentThread()::interrupt);
    }

    @AfterEach
    void everythingStillWorksAndNothingIsLeftOpen() {
        assertThat(Thread.interrupted()).as("an unexpected interrupt").isFalse();
        device.faults().clear();
        other.faults().clear();
        first.setAsync(BoundTensor.of(x), 0, bytes(3, 4));
        first.computeAsync(BoundGraph.of(graph));
        first.record(event);
        second.await(event);
        second.copyAsync(first, BoundTensor.of(z), BoundTensor.of(copy));
        second.synchronize();
        first.synchronize();
        assertThat(TensorData.getFloats(copy)).containsExactly(900, 1600);

        first.close();
        second.close();
        event.close();
        buffer.close();
        otherBuffer.close();
        for (SimulatedDevice each : List.of(device, other)) {
            assertThat(List.of(each.openBackends(), each.openBuffers(), each.openEvents()))
                    .as(each.name())
                    .containsOnly(0);
            assertThat(each.openBytes()).isZero();
        }
    }

    private static DeviceException failureOf(Runnable call) {
        DeviceException failure = catchThrowableOfType(DeviceException.class, call::run);
        assertThat(failure).isNotNull();
        return failure;
    }

    private static void isAbout(DeviceException failure, String device, String call, Tensor tensor) {
        assertThat(failure.device()).isEqualTo(device);
        assertThat(failure.call()).isEqualTo(call);
        assertThat(failure.tensor()).contains(tensor.describe());
    }

    /** Clears the interrupt that a hang brought about; there must have been one exactly if it was a hang. */
    private static void clearInterrupt(FaultKind fault) {
        assertThat(Thread.interrupted()).isEqualTo(fault == FaultKind.HANG);
    }

    @ParameterizedTest
    @EnumSource
    void aNodeThatFailsIsReportedOnceAndByName(FaultKind fault) {
        device.faults().fail(CallKind.COMPUTE, 2, fault);
        first.computeAsync(BoundGraph.of(graph));

        isAbout(failureOf(first::synchronize), "gpu0", "compute", z);

        clearInterrupt(fault);
        first.synchronize();
        assertThat(TensorData.getFloats(y)).containsExactly(10, 20);
        assertThat(TensorData.getFloats(z)).containsExactly(0, 0);
    }

    @ParameterizedTest
    @EnumSource
    void aWriteThatFailsInTheStreamIsReportedOnceAndByName(FaultKind fault) {
        device.faults().fail(CallKind.SET, 1, fault);
        first.setAsync(BoundTensor.of(x), 0, bytes(7, 7));

        isAbout(failureOf(first::synchronize), "gpu0", "set", x);

        clearInterrupt(fault);
        first.synchronize();
        assertThat(TensorData.getFloats(x)).containsExactly(1, 2);
    }

    @ParameterizedTest
    @EnumSource
    void aReadThatFailsInTheStreamIsReportedOnceAndByName(FaultKind fault) {
        device.faults().fail(CallKind.GET, 1, fault);
        float[] read = new float[2];
        first.getAsync(BoundTensor.of(x), 0, MemorySegment.ofArray(read));

        isAbout(failureOf(first::synchronize), "gpu0", "get", x);

        clearInterrupt(fault);
        first.synchronize();
        assertThat(read).containsExactly(0, 0);
    }

    @ParameterizedTest
    @EnumSource
    void aCopyThatFailsIsReportedByTheOneThatCopiesAndOnlyByThatOne(FaultKind fault) {
        other.faults().fail(CallKind.COPY, 1, fault);
        second.copyAsync(first, BoundTensor.of(x), BoundTensor.of(copy));

        isAbout(failureOf(second::synchronize), "gpu1", "copy", copy);

        clearInterrupt(fault);
        second.synchronize();
        first.synchronize();
    }

    @ParameterizedTest
    @EnumSource
    void anEventThatFailsIsReportedOnce(FaultKind fault) {
        device.faults().fail(CallKind.EVENT, 1, fault);
        first.record(event);

        DeviceException failure = failureOf(first::synchronize);

        clearInterrupt(fault);
        assertThat(failure.device()).isEqualTo("gpu0");
        assertThat(failure.call()).isEqualTo("event");
        first.synchronize();
        event.synchronize();
    }

    @ParameterizedTest
    @EnumSource
    void anEventThatCannotBeMadeIsNotCounted(FaultKind fault) {
        device.faults().fail(CallKind.EVENT, 1, fault);

        assertThat(failureOf(device::createEvent).call()).isEqualTo("event");

        clearInterrupt(fault);
        assertThat(device.openEvents()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void anAllocationThatFailsTakesNothing(FaultKind fault) {
        long before = device.openBytes();
        device.faults().fail(CallKind.ALLOCATE, 1, fault);

        assertThatThrownBy(() -> device.bufferType().allocate(100))
                .isInstanceOf(fault == FaultKind.OUT_OF_MEMORY ? AllocationException.class : DeviceException.class)
                .hasMessageContaining("gpu0");

        clearInterrupt(fault);
        assertThat(device.openBytes()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void aBlockingWriteThatFailsNamesItsTensorAndWritesNothing(FaultKind fault) {
        device.faults().fail(CallKind.SET, 1, fault);

        isAbout(failureOf(() -> TensorData.setFloats(x, 7, 7)), "gpu0", "set", x);

        clearInterrupt(fault);
        assertThat(TensorData.getFloats(x)).containsExactly(1, 2);
    }

    @ParameterizedTest
    @EnumSource
    void aBlockingReadThatFailsNamesItsTensor(FaultKind fault) {
        device.faults().fail(CallKind.GET, 1, fault);

        isAbout(failureOf(() -> TensorData.getFloats(x)), "gpu0", "get", x);

        clearInterrupt(fault);
    }

    @ParameterizedTest
    @EnumSource
    void aBlockingCopyThatFailsNamesItsTargetAndWritesNothing(FaultKind fault) {
        other.faults().fail(CallKind.COPY, 1, fault);

        isAbout(failureOf(() -> Buffer.copy(x, copy)), "gpu1", "copy", copy);

        clearInterrupt(fault);
        assertThat(TensorData.getFloats(copy)).containsExactly(0, 0);
    }

    @Test
    void workSubmittedAfterAFailureIsDroppedUntilItHasBeenReported() {
        device.faults().fail(CallKind.COMPUTE, 1, FaultKind.FAILURE);
        long before = device.faults().calls(CallKind.SET);
        first.computeAsync(BoundGraph.of(graph));
        first.setAsync(BoundTensor.of(x), 0, bytes(7, 7));
        first.setAsync(BoundTensor.of(x), 0, bytes(8, 8));

        failureOf(first::synchronize);

        assertThat(device.faults().calls(CallKind.SET)).isEqualTo(before);
        assertThat(device.faults().calls(CallKind.COMPUTE)).isEqualTo(1);
        first.setAsync(BoundTensor.of(x), 0, bytes(9, 9));
        first.synchronize();
        assertThat(TensorData.getFloats(x)).containsExactly(9, 9);
    }

    @Test
    void onADeviceThatIsNotAsyncTheCallItselfFails() {
        SimulatedDevice eager = SimulatedDevice.named("eager").async(false).build();
        Tensor here = floats("here", 2);
        try (Buffer place = Allocations.allocateAll(List.of(here), eager.bufferType());
                Backend backend = eager.open()) {
            assertThat(place.size()).isPositive();
            eager.faults().fail(CallKind.SET, 1, FaultKind.FAILURE);

            isAbout(failureOf(() -> backend.setAsync(BoundTensor.of(here), 0, bytes(1, 2))), "eager", "set", here);

            backend.synchronize();
        }
    }

    @Test
    void aStreamThatWaitsForFailedWorkFailsToo() {
        device.faults().fail(CallKind.COMPUTE, 1, FaultKind.FAILURE);
        first.computeAsync(BoundGraph.of(graph));
        first.record(event);
        second.await(event);
        second.setAsync(BoundTensor.of(copy), 0, bytes(7, 7));

        DeviceException dependent = failureOf(second::synchronize);
        DeviceException origin = failureOf(first::synchronize);

        assertThat(dependent.device()).isEqualTo("gpu1");
        assertThat(dependent).hasCause(origin).hasMessageContaining(origin.getMessage());
        first.synchronize();
        second.synchronize();
        assertThat(TensorData.getFloats(copy)).containsExactly(0, 0);
    }

    @Test
    void aCopyOfWhatCouldNotBeComputedFailsToo() {
        device.faults().fail(CallKind.COMPUTE, 2, FaultKind.FAILURE);
        first.computeAsync(BoundGraph.of(graph));
        second.copyAsync(first, BoundTensor.of(z), BoundTensor.of(copy));

        DeviceException dependent = failureOf(second::synchronize);
        DeviceException origin = failureOf(first::synchronize);

        isAbout(dependent, "gpu1", "copy", copy);
        assertThat(dependent).hasCause(origin);
        assertThat(TensorData.getFloats(copy)).containsExactly(0, 0);
    }

    @Test
    void anEventAfterFailedWorkFailsUntilTheFailureHasBeenReported() {
        device.faults().fail(CallKind.COMPUTE, 1, FaultKind.FAILURE);
        first.computeAsync(BoundGraph.of(graph));
        first.record(event);

        DeviceException seen = failureOf(event::synchronize);
        DeviceException origin = failureOf(first::synchronize);

        assertThat(seen).hasCause(origin);
        event.synchronize();
        second.await(event);
        second.synchronize();
    }

    @Test
    void anAwaitSubmittedBeforeTheFailureWasReportedStillFails() {
        device.faults().fail(CallKind.COMPUTE, 1, FaultKind.FAILURE);
        first.computeAsync(BoundGraph.of(graph));
        first.record(event);
        second.await(event);
        DeviceException origin = failureOf(first::synchronize);

        assertThat(failureOf(second::synchronize)).hasCause(origin);
    }

    @Test
    void interruptingTheCallerEndsTheWaitForAStreamThatWaitsForAnother() {
        device.faults().fail(CallKind.COMPUTE, 1, FaultKind.HANG).onHang(() -> {});
        first.computeAsync(BoundGraph.of(graph));
        first.record(event);
        second.await(event);
        Thread.currentThread().interrupt();

        DeviceException waiting = failureOf(second::synchronize);
        DeviceException hanging = failureOf(first::synchronize);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(waiting.device()).isEqualTo("gpu1");
        assertThat(hanging.device()).isEqualTo("gpu0");
        first.synchronize();
        second.synchronize();
    }

    @Test
    void interruptingTheCallerEndsTheWaitForAnEvent() {
        device.faults().fail(CallKind.COMPUTE, 1, FaultKind.HANG);
        first.computeAsync(BoundGraph.of(graph));
        first.record(event);

        DeviceException waiting = failureOf(event::synchronize);
        assertThat(waiting.call()).isEqualTo("event");
        isAbout(failureOf(first::synchronize), "gpu0", "compute", y);

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void closingABackendThatHangsEndsItsThreadOnceTheCallerIsInterrupted() {
        device.faults().fail(CallKind.COMPUTE, 1, FaultKind.HANG);
        Backend third = device.open();
        third.computeAsync(BoundGraph.of(graph));

        isAbout(failureOf(third::close), "gpu0", "compute", y);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(device.openBackends()).isEqualTo(1);
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("stowage-gpu0-" + third.id());
    }

    @Test
    void closingReportsAFailureThatWasNotReported() {
        device.faults().fail(CallKind.COMPUTE, 1, FaultKind.FAILURE);
        Backend third = device.open();
        third.computeAsync(BoundGraph.of(graph));

        isAbout(failureOf(third::close), "gpu0", "compute", y);

        third.close();
        assertThat(device.openBackends()).isEqualTo(1);
    }

    @Test
    void aKernelThatThrowsIsAFailureOfItsNode() {
        SimulatedDevice broken = SimulatedDevice.named("broken")
                .delays(work -> {
                    if (work.kind() == CallKind.COMPUTE) {
                        throw new IllegalStateException("burnt out");
                    }
                })
                .reading("gpu0")
                .build();
        try (Backend backend = broken.open()) {
            backend.computeAsync(BoundGraph.of(graph));

            DeviceException failure = failureOf(backend::synchronize);

            isAbout(failure, "broken", "compute", y);
            assertThat(failure).hasMessageContaining("burnt out").hasCauseInstanceOf(IllegalStateException.class);
        }
    }
}
