package dev.stowage.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cuda.driver.CudaErrors;
import dev.stowage.cuda.recording.RecordingDriver;
import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.Event;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.AllocationException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every call of the driver fails once, in every part of a run: nothing stays taken, and the failure has a name. */
class FaultInjectionTest {

    private static final int ILLEGAL_ADDRESS = 700;
    private static final int LAUNCH_FAILED = 719;
    private static final int NOT_SUPPORTED = 801;
    private static final int WIDTH = 32;

    /** Allocates, prepares, runs three times (directly, captured, replayed), copies, waits for events, and closes. */
    private static void session(Device device) {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input("x", ElementType.F32, WIDTH, WIDTH);
        Tensor y = b.add(b.scale(x, 2), x).asOutput();
        Graph graph = b.build(y);
        float[] values = new float[WIDTH * WIDTH];
        values[7] = 3;
        float[] found = new float[values.length];
        try (GraphAllocator allocator = GraphAllocator.on(device.bufferType());
                Buffer pinned = device.hostBufferType().orElseThrow().allocate(values.length * 4L);
                Backend backend = device.open();
                Backend other = device.open();
                Event event = device.createEvent()) {
            BoundGraph bound = allocator.bind(graph);
            bound.tensor(x).set(0, MemorySegment.ofArray(values));
            try (PreparedGraph prepared = backend.prepare(bound)) {
                for (int run = 0; run < 3; run++) {
                    pinned.segment().copyFrom(MemorySegment.ofArray(values));
                    backend.setAsync(bound.tensor(x), 0, pinned.segment());
                    prepared.computeAsync();
                    backend.record(event);
                    other.await(event);
                    other.getAsync(bound.tensor(y), 0, MemorySegment.ofArray(found));
                    other.synchronize();
                    backend.synchronize();
                }
                prepared.update(bound);
                backend.compute(prepared);
            }
            backend.compute(bound);
            other.copyAsync(backend, bound.tensor(y), bound.tensor(y));
            other.synchronize();
            assertThat(found[7]).isEqualTo(9);
        }
    }

    private static Optional<StowageException> failureOf(Runnable session) {
        try {
            session.run();
            return Optional.empty();
        } catch (StowageException e) {
            return Optional.of(e);
        }
    }

    private static CudaDevice device(RecordingDriver driver) {
        return new CudaDevice(driver, 0, new ReferenceCompiler(driver));
    }

    @Test
    void withoutFaultsNothingStaysTaken() {
        RecordingDriver driver = new RecordingDriver(1 << 24);
        try (CudaDevice device = device(driver)) {
            session(device);
            session(device);
        }
        assertThat(driver.leaks()).isEmpty();
        assertThat(driver.violations()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {CudaErrors.OUT_OF_MEMORY, NOT_SUPPORTED, ILLEGAL_ADDRESS})
    void everyCallMayFail(int code) {
        RecordingDriver counting = new RecordingDriver(1 << 24);
        int start;
        int closing;
        try (CudaDevice device = device(counting)) {
            start = counting.calls().size();
            session(device);
            closing = counting.calls().size();
        }
        int end = counting.calls().size();
        assertThat(end - start).isGreaterThan(60);
        for (int call = start; call < end; call++) {
            String what = "call " + call + ", " + counting.calls().get(call) + ", fails with " + code;
            RecordingDriver driver = new RecordingDriver(1 << 24);
            try (CudaDevice device = device(driver)) {
                driver.failCall(call, code);
                Optional<StowageException> failure = failureOf(() -> session(device));
                failure.ifPresent(e -> assertThat(e.getMessage()).as(what).contains("cuda0"));
                if (CudaErrors.isSticky(code) && failure.isPresent()) {
                    assertThat(device.lossCause()).as(what).isPresent();
                    assertThat(failureOf(() -> session(device))).as(what).containsInstanceOf(DeviceLostException.class);
                } else if (device.lossCause().isEmpty() && call < closing) {
                    assertThat(failureOf(() -> session(device))).as(what).isEmpty();
                }
                assertThat(device.context().live().deviceAllocations()).as(what).isZero();
            }
            assertThat(driver.leaks()).as(what).isEmpty();
        }
    }

    @Test
    void aFailedKernelLosesTheDeviceWithTheCause() {
        RecordingDriver driver = new RecordingDriver(1 << 24);
        try (CudaDevice device = device(driver)) {
            driver.failFunction("cuStreamSynchronize", 1, LAUNCH_FAILED);
            assertThatThrownBy(() -> session(device))
                    .isInstanceOf(DeviceLostException.class)
                    .hasMessageContaining("719");
            assertThat(device.lossCause()).isPresent();
        }
        assertThat(driver.leaks()).isEmpty();
    }

    @Test
    void otherFailuresNameTheDeviceAndTheTensor() {
        RecordingDriver driver = new RecordingDriver(1 << 24);
        try (CudaDevice device = device(driver)) {
            driver.failFunction("cuMemcpyHtoDAsync", 0, NOT_SUPPORTED);
            assertThatThrownBy(() -> session(device))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContainingAll("cuda0", "set", "'x'", "801");
            assertThat(device.lossCause()).isEmpty();
        }
    }

    @Test
    void tooLittleMemoryIsReportedWithTheNumbers() {
        RecordingDriver driver = new RecordingDriver(10_000);
        try (CudaDevice device = device(driver)) {
            try (Buffer taken = device.bufferType().allocate(4000)) {
                assertThatThrownBy(() -> device.bufferType().allocate(7000))
                        .isInstanceOfSatisfying(AllocationException.class, e -> {
                            assertThat(e.requestedBytes()).isEqualTo(7000);
                            assertThat(e.availableBytes()).isEqualTo(6000);
                        })
                        .hasMessageContainingAll("7000", "6000", "10000", "cuda0");
                assertThat(taken.isClosed()).isFalse();
                device.bufferType().allocate(6000).close();
            }
            assertThat(device.context().live().deviceBytes()).isZero();
        }
    }
}
