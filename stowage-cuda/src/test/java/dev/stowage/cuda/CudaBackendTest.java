package dev.stowage.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cuda.recording.RecordingDriver;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Event;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.RowRange;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the calls of a backend become in a stream of the driver. */
class CudaBackendTest {

    private final RecordingDriver driver = new RecordingDriver(2, 1L << 28);
    private final ReferenceCompiler compiler = new ReferenceCompiler(driver);
    private final CudaDevice device = new CudaDevice(driver, 0, compiler);
    private final CudaDevice second = new CudaDevice(driver, 1, compiler);

    @AfterEach
    void everythingIsGivenBack() {
        second.close();
        device.close();
        assertThat(driver.leaks()).isEmpty();
        assertThat(driver.violations()).isEmpty();
    }

    private static BoundTensor bytes(Buffer buffer) {
        Tensor all =
                Tensor.leaf(Layout.contiguous(ElementType.I8, buffer.size())).named("all");
        buffer.place(all, 0);
        return BoundTensor.of(all);
    }

    private static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private long count(String function) {
        return driver.calls().stream().filter(function::equals).count();
    }

    @Test
    void aPreparedGraphIsLaunchedDirectlyOnceAndAsACapturedGraphFromThenOn() {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input("x", ElementType.F32, 8);
        Graph graph = b.build(b.add(b.scale(x, 2), x));
        try (GraphAllocator allocator = GraphAllocator.on(device.bufferType());
                Backend backend = device.open();
                PreparedGraph prepared = backend.prepare(allocator.bind(graph))) {
            backend.compute(prepared);
            assertThat(count("cuGraphLaunch")).isZero();
            assertThat(count("cuLaunchKernelEx")).isEqualTo(2);
            for (int run = 0; run < 3; run++) {
                backend.compute(prepared);
            }
            assertThat(count("cuGraphLaunch")).isEqualTo(3);
            assertThat(count("cuGraphInstantiate")).isEqualTo(1);
            assertThat(count("cuLaunchKernelEx")).isEqualTo(4);
            assertThat(driver.launches()).hasSize(8);
        }
    }

    @Test
    void aGraphThatNeedsMoreScratchMemoryThanItMayHaveIsRefused() {
        GraphBuilder b = new GraphBuilder();
        Graph graph = b.build(b.scale(b.input("x", ElementType.F32, 8), 2));
        try (GraphAllocator allocator = GraphAllocator.on(device.bufferType());
                Backend backend = device.open(BackendOptions.defaults().withScratchLimit(() -> 1))) {
            BoundGraph bound = allocator.bind(graph);
            assertThatThrownBy(() -> backend.prepare(bound))
                    .isInstanceOf(AllocationException.class)
                    .hasMessageContaining("and may have 1");
        }
    }

    @Test
    void pinnedMemoryIsTransferredInPlace() {
        byte[] bytes = random(1000, 1);
        try (Buffer buffer = device.bufferType().allocate(1000);
                Buffer pinned = device.hostBufferType().orElseThrow().allocate(1000);
                Backend backend = device.open()) {
            pinned.segment().copyFrom(MemorySegment.ofArray(bytes));
            long before = count("cuMemHostAlloc");
            backend.setAsync(bytes(buffer), 0, pinned.segment());
            backend.synchronize();
            pinned.segment().fill((byte) 0);
            backend.getAsync(bytes(buffer), 0, pinned.segment());
            backend.synchronize();
            assertThat(pinned.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
            assertThat(count("cuMemHostAlloc")).as("no staging memory").isEqualTo(before);
        }
    }

    @Test
    void pinnedMemoryThatIsClosedIsKeptUntilTheTransferIsDone() {
        byte[] bytes = random(1000, 2);
        byte[] found = new byte[1000];
        try (Buffer buffer = device.bufferType().allocate(1000);
                Backend backend = device.open()) {
            Buffer pinned = device.hostBufferType().orElseThrow().allocate(1000);
            pinned.segment().copyFrom(MemorySegment.ofArray(bytes));
            backend.setAsync(bytes(buffer), 0, pinned.segment());
            pinned.close();
            backend.getAsync(bytes(buffer), 0, MemorySegment.ofArray(found));
            backend.synchronize();
            assertThat(found).isEqualTo(bytes);
        }
    }

    @Test
    void manyTransfersGoThroughFewPiecesOfPinnedMemory() {
        int size = 3 << 20;
        List<byte[]> sent = new ArrayList<>();
        List<byte[]> received = new ArrayList<>();
        try (Buffer buffer = device.bufferType().allocate(size);
                Backend backend = device.open()) {
            BoundTensor all = bytes(buffer);
            for (int round = 0; round < 20; round++) {
                byte[] source = random(size, round);
                byte[] target = new byte[size];
                backend.setAsync(all, 0, MemorySegment.ofArray(source));
                backend.getAsync(all, 0, MemorySegment.ofArray(target));
                sent.add(source.clone());
                received.add(target);
                source[0]++; // taken already
            }
            backend.synchronize();
            assertThat(device.context().live().pinnedAllocations()).isLessThanOrEqualTo(4);
        }
        for (int round = 0; round < 20; round++) {
            assertThat(received.get(round)).as("round " + round).isEqualTo(sent.get(round));
        }
    }

    @Test
    void rowsAreTransferredInOneCall() {
        byte[] source = random(600, 3);
        byte[] found = new byte[600];
        RowRange inTensor = new RowRange(5, 20, 10, 70);
        RowRange inSegment = new RowRange(3, 20, 10, 50);
        try (Buffer buffer = device.bufferType().allocate(1000);
                Backend backend = device.open()) {
            BoundTensor all = bytes(buffer);
            backend.fillAsync(all, 0, 1000, (byte) 7);
            backend.setRowsAsync(all, inTensor, MemorySegment.ofArray(source), inSegment);
            backend.getRowsAsync(all, inTensor, MemorySegment.ofArray(found), inSegment);
            backend.synchronize();
            assertThat(count("cuMemcpy2DAsync")).isEqualTo(2);
        }
        for (int row = 0; row < 10; row++) {
            for (int i = 0; i < 20; i++) {
                assertThat(found[3 + row * 50 + i]).isEqualTo(source[3 + row * 50 + i]);
            }
        }
        assertThat(found[0]).isZero();
    }

    @Test
    void aConfinedSegmentHasItsBytesWhenTheCallReturns() {
        try (Arena arena = Arena.ofConfined();
                Buffer buffer = device.bufferType().allocate(100);
                Backend backend = device.open()) {
            BoundTensor all = bytes(buffer);
            backend.fillAsync(all, 0, 100, (byte) 9);
            MemorySegment target = arena.allocate(100);
            backend.getAsync(all, 0, target);
            assertThat(target.get(ValueLayout.JAVA_BYTE, 99)).isEqualTo((byte) 9);
        }
    }

    @Test
    void aTargetThatIsFreedTooEarlyIsAnExceptionAndNotACrash() {
        try (Buffer buffer = device.bufferType().allocate(100);
                Backend backend = device.open()) {
            BoundTensor all = bytes(buffer);
            try (Arena arena = Arena.ofShared()) {
                backend.getAsync(all, 0, arena.allocate(100));
            }
            assertThatThrownBy(backend::synchronize).isInstanceOf(ClosedException.class);
            backend.synchronize();
        }
    }

    @Test
    void copiesBetweenGpusAreOrderedByEventsAndGoDirectly() {
        byte[] bytes = random(500, 4);
        byte[] found = new byte[500];
        try (Buffer here = device.bufferType().allocate(500);
                Buffer there = second.bufferType().allocate(500);
                Backend producer = device.open();
                Backend consumer = second.open()) {
            BoundTensor from = bytes(here);
            BoundTensor to = bytes(there);
            producer.setAsync(from, 0, MemorySegment.ofArray(bytes));
            assertThat(consumer.tryCopyAsync(producer, from, to)).isTrue();
            producer.fillAsync(from, 0, 500, (byte) 0);
            consumer.getAsync(to, 0, MemorySegment.ofArray(found));
            // Its later work comes after the copy, although nobody has waited for that yet.
            producer.synchronize();
            consumer.synchronize();
            assertThat(found).isEqualTo(bytes);
            assertThat(count("cuCtxEnablePeerAccess")).isEqualTo(1);
        }
    }

    @Test
    void buffersOfTwoGpusCopyWithoutTheHost() {
        byte[] bytes = random(500, 5);
        try (Buffer here = device.bufferType().allocate(500);
                Buffer there = second.bufferType().allocate(500)) {
            BoundTensor from = bytes(here);
            BoundTensor to = bytes(there);
            from.set(0, MemorySegment.ofArray(bytes));
            long reads = count("cuMemcpyDtoHAsync");
            Buffer.copy(from, to);
            assertThat(count("cuMemcpyDtoHAsync")).isEqualTo(reads);
            byte[] found = new byte[500];
            to.get(0, MemorySegment.ofArray(found));
            assertThat(found).isEqualTo(bytes);
        }
    }

    @Test
    void anEventIsRecordedOnlyByItsOwnDevice() {
        try (Backend backend = device.open();
                Event event = second.createEvent()) {
            assertThatThrownBy(() -> backend.record(event))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining("cuda1");
            backend.await(event);
        }
    }

    @Test
    void aListenerIsNotifiedOfEveryNodeInOrder() {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input("x", ElementType.F32, 8);
        Tensor twice = b.scale(x, 2);
        Tensor sum = b.add(b.reshape(twice, 8), x);
        Graph graph = b.build(sum);
        List<Tensor> nodes = Collections.synchronizedList(new ArrayList<>());
        List<Long> times = Collections.synchronizedList(new ArrayList<>());
        BackendOptions options = BackendOptions.defaults().withListener((_, computed, start, end) -> {
            nodes.addAll(computed);
            times.add(start);
            times.add(end);
        });
        try (GraphAllocator allocator = GraphAllocator.on(device.bufferType());
                Backend backend = device.open(options)) {
            BoundGraph bound = allocator.bind(graph);
            backend.compute(bound);
            assertThat(nodes).containsExactly(twice, sum);
            assertThat(times).isSorted();
            assertThat(times.getLast()).isGreaterThan(times.getFirst());
            try (PreparedGraph prepared = backend.prepare(bound)) {
                backend.compute(prepared);
                backend.compute(prepared);
            }
            assertThat(nodes).hasSize(6);
            assertThat(count("cuGraphLaunch")).isZero();
        }
    }
}
