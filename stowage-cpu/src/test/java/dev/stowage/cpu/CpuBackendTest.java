package dev.stowage.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.ClosedException;
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
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a backend holds, and what happens to it when something is closed. */
class CpuBackendTest {

    private static final CpuDevice CPU = (CpuDevice) new CpuProvider().devices().getFirst();

    private static final int SIZE = 256;

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor weights = b.tensor(ElementType.F32, SIZE, SIZE);
    private final Tensor columns = b.tensor(ElementType.F32, SIZE, SIZE);

    /** Needs scratch memory, as columns are packed. */
    private final Tensor product = b.mulMat(weights, b.scale(columns, 2));

    private void fill() {
        float[] ones = new float[SIZE * SIZE];
        Arrays.fill(ones, 1);
        TensorData.setFloats(weights, ones);
        TensorData.setFloats(columns, ones);
    }

    /** What another thread makes of a call, while this one waits. */
    private static void elsewhere(Runnable call) {
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<?> done = thread.submit(call);
            done.get();
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs the product; between its nodes another thread does something. */
    private void runWith(AtomicReference<Runnable> between, Backend backend, PreparedGraph prepared, Runnable call) {
        between.set(() -> elsewhere(call));
        backend.compute(prepared);
        between.set(() -> {});
    }

    private BackendOptions calling(AtomicReference<Runnable> between) {
        return BackendOptions.defaults().withAbort(() -> {
            between.get().run();
            return false;
        });
    }

    @Test
    void aRunKeepsWhatItUsesWhenThePreparedGraphIsClosedMeanwhile() {
        AtomicReference<Runnable> between = new AtomicReference<>(() -> {});
        try (Buffer _ = Allocations.allocateAll(b, CPU.bufferType());
                Backend backend = CPU.open(calling(between))) {
            fill();
            PreparedGraph prepared = backend.prepare(BoundGraph.of(Graph.of(product)));
            runWith(between, backend, prepared, prepared::close);
            assertThat(TensorData.getFloats(product)).containsOnly(2 * SIZE);
            assertThatThrownBy(prepared::computeAsync).isInstanceOf(ClosedException.class);
        }
    }

    @Test
    void aRunKeepsTheMemoryOfItsTensorsWhenTheirBufferIsClosedMeanwhile() {
        AtomicReference<Runnable> between = new AtomicReference<>(() -> {});
        try (Buffer operands = Allocations.allocateAll(List.of(weights, columns), CPU.bufferType());
                Buffer _ = Allocations.allocateAll(b, CPU.bufferType());
                Backend backend = CPU.open(calling(between))) {
            fill();
            BoundTensor operand = BoundTensor.of(weights);
            PreparedGraph prepared = backend.prepare(BoundGraph.of(Graph.of(product)));
            Runnable close = operands::close;
            runWith(between, backend, prepared, () -> {
                close.run();
                assertThat(operand.segment().get(ValueLayout.JAVA_FLOAT, 0)).isEqualTo(1);
            });
            assertThat(TensorData.getFloats(product)).containsOnly(2 * SIZE);
            assertThatThrownBy(operand::segment).isInstanceOf(ClosedException.class);
            assertThatThrownBy(prepared::computeAsync)
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("bind the graph again");
        }
    }

    @Test
    void aPreparedGraphIsNotUpdatedWhileItRuns() {
        AtomicReference<Runnable> between = new AtomicReference<>(() -> {});
        List<Throwable> refusals = new ArrayList<>();
        try (Buffer _ = Allocations.allocateAll(b, CPU.bufferType());
                Backend backend = CPU.open(calling(between))) {
            fill();
            PreparedGraph prepared = backend.prepare(BoundGraph.of(Graph.of(product)));
            runWith(between, backend, prepared, () -> {
                try {
                    prepared.update(BoundGraph.of(Graph.of(product)));
                } catch (DeviceException e) {
                    refusals.add(e);
                }
            });
            assertThat(TensorData.getFloats(product)).containsOnly(2 * SIZE);
        }
        assertThat(refusals).isNotEmpty().allSatisfy(e -> assertThat(e).hasMessageContaining("in use by thread"));
    }

    @Test
    void aBackendIsNotClosedWhileItRuns() {
        AtomicReference<Runnable> between = new AtomicReference<>(() -> {});
        List<Throwable> refusals = new ArrayList<>();
        try (Buffer _ = Allocations.allocateAll(b, CPU.bufferType());
                Backend backend = CPU.open(calling(between))) {
            fill();
            PreparedGraph prepared = backend.prepare(BoundGraph.of(Graph.of(product)));
            Runnable close = backend::close;
            runWith(between, backend, prepared, () -> {
                try {
                    close.run();
                } catch (DeviceException e) {
                    refusals.add(e);
                }
            });
            assertThat(TensorData.getFloats(product)).containsOnly(2 * SIZE);
            backend.compute(prepared);
        }
        assertThat(refusals).isNotEmpty();
    }

    @Test
    void aPreparedGraphThatIsClosedAfterItsBackendStaysClosed() {
        try (Buffer _ = Allocations.allocateAll(b, CPU.bufferType())) {
            Backend backend = CPU.open();
            PreparedGraph prepared = backend.prepare(BoundGraph.of(Graph.of(product)));
            backend.close();
            prepared.close();
            assertThatThrownBy(prepared::computeAsync).isInstanceOf(ClosedException.class);
            assertThatThrownBy(() -> prepared.update(BoundGraph.of(Graph.of(product))))
                    .isInstanceOf(ClosedException.class);
        }
    }

    /** Counted by the JVM, in a process of its own, as that has to be asked for when it starts. */
    @Test
    void closingABackendGivesBackTheScratchMemoryOfItsPreparedGraphs() throws IOException, InterruptedException {
        List<String> options = List.of(
                "--add-modules",
                "jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:NativeMemoryTracking=summary");
        try (JavaProcess process = JavaProcess.start(options, ScratchProcess.class)) {
            List<String> growth = process.lines().stream()
                    .filter(line -> line.startsWith(ScratchProcess.MARK))
                    .toList();
            assertThat(growth).hasSize(1);
            assertThat(Long.parseLong(growth.getFirst().substring(ScratchProcess.MARK.length())))
                    .as("KiB of native memory that %d backends left", ScratchProcess.ROUNDS)
                    .isLessThan(ScratchProcess.KIB_PER_ROUND * ScratchProcess.ROUNDS / 10);
        }
    }
}
