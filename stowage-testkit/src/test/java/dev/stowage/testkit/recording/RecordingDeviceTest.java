package dev.stowage.testkit.recording;

import static dev.stowage.testkit.simulated.Parts.bytes;
import static dev.stowage.testkit.simulated.Parts.floats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.Backend;
import dev.stowage.device.Capability;
import dev.stowage.device.DeviceType;
import dev.stowage.device.Event;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.Call;
import dev.stowage.testkit.simulated.CallLog;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecordingDeviceTest {

    private final CallLog log = new CallLog();
    private final RecordingBufferType gpuMemory = RecordingBufferType.of(MeasuringBufferType.of("GPU0", 128), log);
    private final RecordingBufferType farMemory = RecordingBufferType.of(MeasuringBufferType.of("GPU1", 128), log);
    private final RecordingBufferType hostMemory =
            RecordingBufferType.of(MeasuringBufferType.of("CPU", 32).withHost(true), log);
    private final RecordingDevice gpu = RecordingDevice.named("GPU0", gpuMemory)
            .asyncCopies(true)
            .events(true)
            .build();
    private final RecordingDevice far =
            RecordingDevice.named("GPU1", farMemory).asyncCopies(true).build();
    private final RecordingDevice cpu =
            RecordingDevice.named("CPU", hostMemory).type(DeviceType.CPU).build();

    private final Backend gpuBackend = gpu.open();
    private final Backend farBackend = far.open();
    private final Backend cpuBackend = cpu.open();

    private final GraphBuilder builder = new GraphBuilder();
    private final Tensor x = builder.input("x", ElementType.F32, 4);
    private final Tensor y = builder.scale(x, 2).named("y");
    private final Graph graph = builder.build(y);

    private final GraphBuilder farBuilder = new GraphBuilder();
    private final Tensor onFar = farBuilder.input("GPU1#y#0", ElementType.F32, 4);
    private final Tensor z = farBuilder
            .mulMat(farBuilder.reshape(onFar, 2, 2).named("square"), farBuilder.reshape(onFar, 2, 2))
            .named("z");
    private final Tensor onHost = floats("CPU#y#0", 4);

    private void placeAll() {
        assertThat(Allocations.allocateAll(builder, gpuMemory).size()).isPositive();
        assertThat(Allocations.allocateAll(farBuilder, farMemory).size()).isPositive();
        assertThat(Allocations.allocateAll(List.of(onHost), hostMemory).size()).isPositive();
    }

    @Test
    void writesDownEveryCallInOrder() {
        placeAll();
        try (Event event = gpu.createEvent()) {
            gpuBackend.computeAsync(BoundGraph.of(graph));
            gpuBackend.record(event);
            farBackend.await(event);
            farBackend.copyAsync(gpuBackend, BoundTensor.of(y), BoundTensor.of(onFar));
            farBackend.computeAsync(BoundGraph.of(farBuilder.build(z)));
            event.synchronize();
            farBackend.synchronize();
        }

        assertThat(log.lines())
                .containsExactly(
                        "compute(GPU0,[y])",
                        "event_record(GPU0#0,GPU0)",
                        "event_wait(GPU1,GPU0#0)",
                        "copy_async(y,GPU1#y#0)",
                        "compute(GPU1,[square,GPU1#y#0 (reshaped),z])",
                        "event_sync(GPU0#0)",
                        "sync(GPU1)");
    }

    @Test
    void keepsTheTensorsOfACall() {
        placeAll();
        gpuBackend.computeAsync(BoundGraph.of(graph));
        farBackend.copyAsync(gpuBackend, BoundTensor.of(y), BoundTensor.of(onFar));

        assertThat(log.calls()).containsExactly(new Call.Compute("GPU0", List.of(y)), new Call.CopyAsync(y, onFar));
    }

    @Test
    void aBlockingCopyFromTheHostIsOneSet() {
        placeAll();
        Buffer.copy(onHost, y);

        assertThat(log.lines()).containsExactly("set(y)");
    }

    @Test
    void aBlockingCopyToTheHostIsOneGet() {
        placeAll();
        Buffer.copy(y, onHost);

        assertThat(log.lines()).containsExactly("get(y)");
    }

    @Test
    void aBlockingCopyBetweenDevicesIsAGetAndASet() {
        placeAll();
        Buffer.copy(y, onFar);

        assertThat(log.lines()).containsExactly("get(y)", "set(GPU1#y#0)");
    }

    @Test
    void aBlockingCopyWithinTheHostIsOneSet() {
        Tensor another = floats("another", 4);
        placeAll();
        assertThat(Allocations.allocateAll(List.of(another), hostMemory).size()).isPositive();

        Buffer.copy(onHost, another);

        assertThat(log.lines()).containsExactly("set(another)");
    }

    @Test
    void aCopyThatOneEndCannotMakeAsyncWaitsForBothAndBlocks() {
        placeAll();
        assertThat(cpuBackend.copyAsync(gpuBackend, BoundTensor.of(y), BoundTensor.of(onHost)))
                .isFalse();

        assertThat(log.lines()).containsExactly("sync(GPU0)", "sync(CPU)", "get(y)");
    }

    @Test
    void transfersOfABackendWaitForItFirst() {
        placeAll();
        float[] read = {1, 1, 1, 1};
        gpuBackend.setAsync(BoundTensor.of(x), 0, bytes(1, 2, 3, 4));
        gpuBackend.getAsync(BoundTensor.of(x), 0, MemorySegment.ofArray(read));

        assertThat(log.lines()).containsExactly("sync(GPU0)", "set(x)", "sync(GPU0)", "get(x)");
        assertThat(read).containsExactly(1, 1, 1, 1);
    }

    @Test
    void ofTensorsAtOnePlaceTheOneAskedForIsWrittenDown() {
        Tensor later = floats("later", 4);
        placeAll();
        Buffer.of(x).place(later, x.storageOffset());

        gpuBackend.setAsync(BoundTensor.of(x), 0, bytes(1, 2, 3, 4));
        gpuBackend.setAsync(BoundTensor.of(later), 0, bytes(1, 2, 3, 4));

        assertThat(log.lines()).containsExactly("sync(GPU0)", "set(x)", "sync(GPU0)", "set(later)");
    }

    @Test
    void eventsAreNumberedInTheOrderTheyAreMade() {
        try (Event first = gpu.createEvent();
                Event second = gpu.createEvent()) {
            second.synchronize();
            first.synchronize();
        }

        assertThat(log.lines()).containsExactly("event_sync(GPU0#1)", "event_sync(GPU0#0)");
    }

    @Test
    void refusesEventsWhereThereAreNone() {
        try (Event event = gpu.createEvent()) {
            assertThatThrownBy(far::createEvent).isInstanceOf(DeviceException.class);
            assertThatThrownBy(() -> farBackend.record(event)).isInstanceOf(DeviceException.class);
        }
        assertThat(log.calls()).isEmpty();
    }

    @Test
    void refusesEventsAndBackendsThatWereClosed() {
        Event event = gpu.createEvent();
        event.close();
        farBackend.close();

        assertThatThrownBy(() -> gpuBackend.record(event)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(farBackend::synchronize).isInstanceOf(ClosedException.class);
        assertThat(log.calls()).isEmpty();
    }

    @Test
    void followsTheRulesOfItsMemoryWithoutTakingAny() {
        MeasuringBufferType rules =
                MeasuringBufferType.of("rules", 32).withSizeMultiple(512).withMaxBufferSize(1L << 50);
        RecordingBufferType type = RecordingBufferType.of(rules, log);

        assertThat(type.allocationSize(x)).isEqualTo(512);
        assertThat(type.alignment()).isEqualTo(32);
        try (Buffer huge = type.allocate(1L << 50)) {
            assertThat(huge.hasSegment()).isFalse();
            assertThat(rules.openBytes()).isEqualTo(1L << 50);
        }
        assertThat(rules.openBuffers()).isZero();
        assertThatThrownBy(() -> type.allocate((1L << 50) + 1)).isInstanceOf(AllocationException.class);
    }

    @Test
    void claimsWhatItWasMadeToClaim() {
        RecordingDevice picky = RecordingDevice.named("ACC0", hostMemory)
                .type(DeviceType.ACCELERATOR)
                .supporting(Set.of(Op.SCALE))
                .reading(Set.of("CPU", "GPU1"))
                .offloading(Set.of(Op.MUL_MAT))
                .build();

        assertThat(picky.supports(y).isSupported()).isTrue();
        assertThat(picky.supports(x).isSupported()).isTrue();
        assertThat(picky.supports(z).isSupported()).isFalse();
        assertThat(picky.supports(z).reason()).contains("ACC0", "MUL_MAT");
        assertThat(picky.supports(builder.reshape(x, 2, 2)).isSupported()).isFalse();
        assertThat(picky.supportsBufferType(farMemory)).isTrue();
        assertThat(picky.supportsBufferType(gpuMemory)).isFalse();
        assertThat(picky.offloadsOp(z)).isTrue();
        assertThat(picky.offloadsOp(y)).isFalse();
        assertThat(picky.capabilities()).isEmpty();
        assertThat(gpu.capabilities()).containsExactly(Capability.EVENTS);
    }

    @Test
    void startsAfreshWhenCleared() {
        gpuBackend.synchronize();
        log.clear();
        cpuBackend.synchronize();

        assertThat(log).hasToString("sync(CPU)");
    }

    @Test
    void simulatedDevicesWriteTheSameLog() {
        SimulatedDevice first = SimulatedDevice.named("sim0").log(log).build();
        SimulatedDevice second = SimulatedDevice.named("sim1").log(log).build();
        Tensor copy = floats("sim1#y#0", 4);
        try (Buffer here = Allocations.allocateAll(builder, first.bufferType());
                Buffer there = Allocations.allocateAll(List.of(copy), second.bufferType());
                Event event = first.createEvent();
                Backend backend = first.open();
                Backend other = second.open()) {
            assertThat(List.of(here.isClosed(), there.isClosed())).containsOnly(false);
            backend.setAsync(BoundTensor.of(x), 0, bytes(1, 2, 3, 4));
            backend.computeAsync(BoundGraph.of(graph));
            backend.record(event);
            other.await(event);
            other.copyAsync(backend, BoundTensor.of(y), BoundTensor.of(copy));
            event.synchronize();
            other.synchronize();
            Buffer.copy(copy, x);
        }

        assertThat(log.lines())
                .containsExactly(
                        "set(x)",
                        "compute(sim0,[y])",
                        "event_record(sim0#0,sim0)",
                        "event_wait(sim1,sim0#0)",
                        "copy_async(y,sim1#y#0)",
                        "event_sync(sim0#0)",
                        "sync(sim1)",
                        "get(sim1#y#0)",
                        "set(x)");
    }
}
