package dev.stowage.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBuffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MappedBuffer;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kernels go by addresses, so memory that they must not touch is refused before one of them gets an address. */
class CpuMemoryTest {

    private static final Device CPU = new CpuProvider().devices().getFirst();

    private static final int SIZE = 64;

    private final Backend backend = CPU.open();
    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.tensor(ElementType.F32, SIZE).named("x");
    private final Tensor y = b.add(x, x).named("y").asOutput();
    private final Graph graph = Graph.of(y);

    @AfterEach
    void close() {
        backend.close();
    }

    private void refusesMemoryOf(BufferType type, Class<? extends Exception> error) {
        try (GraphAllocator elsewhere = GraphAllocator.on(type);
                GraphAllocator here = GraphAllocator.on(CPU.bufferType())) {
            BoundGraph bound = elsewhere.bind(graph);
            PreparedGraph prepared = backend.prepare(here.bind(graph));
            List<Runnable> calls =
                    List.of(() -> backend.compute(bound), () -> backend.prepare(bound), () -> prepared.update(bound));
            for (Runnable call : calls) {
                assertThatThrownBy(call::run)
                        .isInstanceOf(error)
                        .hasMessageContainingAll("'y'", type.name(), "bind the graph to");
            }
        }
    }

    @Test
    void refusesAGraphInAMeasuringBuffer() {
        refusesMemoryOf(MeasuringBufferType.of("on paper", 64), DeviceException.class);
    }

    /** It counts as memory of the host, so only the buffer itself shows that there is none. */
    @Test
    void refusesAGraphInAMeasuringBufferOfHostMemory() {
        refusesMemoryOf(MeasuringBufferType.of("on paper", 64).withHost(true), AccessException.class);
    }

    @Test
    void refusesAGraphInTheMemoryOfAnotherDevice() {
        refusesMemoryOf(SimulatedDevice.named("far away").build().bufferType(), DeviceException.class);
    }

    @Test
    void refusesAnOperandInTheMemoryOfAnotherDevice() {
        SimulatedDevice far = SimulatedDevice.named("far away").build();
        try (Buffer elsewhere = Allocations.allocateAll(List.of(x), far.bufferType());
                Buffer _ = Allocations.allocateAll(List.of(y), CPU.bufferType())) {
            assertThatThrownBy(() -> backend.compute(graph))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContainingAll(
                            "'y'", "its operand 'x'", elsewhere.type().name());
        }
    }

    /** A view by itself touches nothing. */
    @Test
    void takesAViewOfMemoryThatNoNodeTouches() {
        Tensor paper = b.tensor(ElementType.F32, SIZE);
        Graph both = Graph.of(b.reshape(paper, SIZE / 2, 2), y);
        try (Buffer _ = Allocations.allocateAll(List.of(paper), MeasuringBufferType.of("on paper", 64));
                Buffer _ = Allocations.allocateAll(List.of(x, y), CPU.bufferType())) {
            TensorData.setFloats(x, new float[SIZE]);
            backend.compute(both);
            assertThat(TensorData.getFloats(y)).containsOnly(0);
        }
    }

    private static Buffer mapped(Path folder) throws IOException {
        Path file = Files.write(folder.resolve("weights"), new byte[SIZE * Float.BYTES]);
        return MappedBuffer.map(file, 0, SIZE * Float.BYTES);
    }

    private void refusesToWriteInto(Tensor readOnly, Graph writer, Path folder) throws IOException {
        try (Buffer file = mapped(folder);
                GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard())) {
            file.place(readOnly, 0);
            assertThatThrownBy(() -> backend.compute(allocator.bind(writer)))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContainingAll("would be written", "read-only");
        }
        assertThat(Files.readAllBytes(folder.resolve("weights"))).containsOnly(0);
    }

    @Test
    void refusesAResultInAMappedFile(@TempDir Path folder) throws IOException {
        refusesToWriteInto(y, graph, folder);
    }

    @Test
    void refusesAnInPlaceOpOnAMappedFile(@TempDir Path folder) throws IOException {
        refusesToWriteInto(x, Graph.of(b.scaleInplace(x, 2)), folder);
    }

    @Test
    void refusesToStoreRowsInAMappedFile(@TempDir Path folder) throws IOException {
        Tensor table = b.tensor(ElementType.F32, SIZE / 2, 2);
        Tensor stored = b.setRows(table, b.tensor(ElementType.F32, SIZE / 2, 1), b.tensor(ElementType.I64, 1));
        refusesToWriteInto(table, Graph.of(stored), folder);
    }

    @Test
    void refusesToCopyIntoAViewOfAMappedFile(@TempDir Path folder) throws IOException {
        Tensor half = b.view1d(x, SIZE / 2, 0);
        refusesToWriteInto(x, Graph.of(b.cpy(b.tensor(ElementType.F32, SIZE / 2), half)), folder);
    }

    @Test
    void refusesToRunOnceABufferIsClosed() {
        GraphAllocator allocator = GraphAllocator.on(CPU.bufferType());
        BoundGraph bound = allocator.bind(graph);
        PreparedGraph prepared = backend.prepare(bound);
        allocator.close();
        assertThatThrownBy(() -> backend.compute(bound))
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("bind the graph again");
        assertThatThrownBy(prepared::computeAsync)
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("bind the graph again");
    }

    @Test
    void refusesToRunOnceTheOwnerOfTheMemoryHasFreedIt() {
        Arena arena = Arena.ofShared();
        try (Buffer over = HostBuffer.over(arena.allocate(2 * SIZE * Float.BYTES, 64))) {
            over.place(x, 0);
            over.place(y, SIZE * Float.BYTES);
            BoundGraph bound = BoundGraph.of(graph);
            arena.close();
            assertThatThrownBy(() -> backend.compute(bound)).isInstanceOf(ClosedException.class);
            assertThatThrownBy(() -> backend.prepare(bound)).isInstanceOf(ClosedException.class);
        }
    }

    @Test
    void keepsTheMemoryOfOthersFromBeingFreedOnceAGraphIsPreparedInIt() {
        try (Arena arena = Arena.ofShared();
                Buffer over = HostBuffer.over(arena.allocate(2 * SIZE * Float.BYTES, 64))) {
            over.place(x, 0);
            over.place(y, SIZE * Float.BYTES);
            PreparedGraph prepared = backend.prepare(BoundGraph.of(graph));
            assertThatThrownBy(arena::close).isInstanceOf(IllegalStateException.class);
            prepared.computeAsync();
        }
    }
}
