package dev.stowage.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.stress.ArenaProcess;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBuffer;
import dev.stowage.memory.LinearAllocator;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory of foreign arenas, which their owner may close at any time. */
class ForeignArenaTest {

    @Test
    void anArenaThatIsClosedDuringRunsEndsNothing() throws IOException, InterruptedException {
        List<String> options =
                List.of("--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED", "-Xmx1g");
        try (JavaProcess process = JavaProcess.start(options, ArenaProcess.class, "3000")) {
            assertThat(process.lines())
                    .anyMatch(line -> line.startsWith("closes refused: "))
                    .doesNotContain("an arena was closed during a run");
        }
    }

    @Test
    void memoryOfOneThreadIsComputedOnByThatThread() {
        try (Arena arena = Arena.ofConfined();
                Buffer buffer = HostBuffer.over(arena.allocate(1 << 16, 64));
                Backend backend = new CpuDevice().open(BackendOptions.defaults().withThreads(2))) {
            GraphBuilder b = new GraphBuilder();
            Tensor x = b.tensor(ElementType.F32, 2048);
            Tensor y = b.sqr(x);
            Graph graph = b.build(y);
            LinearAllocator memory = new LinearAllocator(buffer);
            memory.allocate(x);
            memory.allocate(y);
            float[] values = new float[2048];
            float[] squares = new float[2048];
            for (int i = 0; i < values.length; i++) {
                values[i] = i;
                squares[i] = (float) i * i;
            }
            TensorData.setFloats(x, values);
            backend.compute(graph);

            assertThat(TensorData.getFloats(y)).containsExactly(squares);
        }
    }
}
