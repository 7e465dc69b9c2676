package dev.stowage.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A profile that left garbage would change what it measures. */
class RunProfileGarbageTest {

    private static final int RUNS = 10_000;

    /** Found by name, because the module under test does not read the management modules of the JDK. */
    private static long allocatedBytes() {
        try {
            Object threads = Class.forName("java.lang.management.ManagementFactory")
                    .getMethod("getThreadMXBean")
                    .invoke(null);
            return (long) Class.forName("com.sun.management.ThreadMXBean")
                    .getMethod("getCurrentThreadAllocatedBytes")
                    .invoke(threads);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("this Java does not count what a thread allocates", e);
        }
    }

    @Test
    void takingDownARunAgainMakesNone() {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input("x", ElementType.F32, 8);
        Tensor normed = b.rmsNorm(x, 1e-5f);
        Tensor weighed = b.mul(normed, x);
        Tensor gated = b.silu(weighed);
        Graph graph = b.build(gated);
        Backend cpu = QuietDevice.open("cpu");
        Backend gpu = QuietDevice.open("gpu");
        List<Tensor> fused = List.of(normed, weighed);
        List<Tensor> alone = List.of(gated);
        RunProfile profile = new RunProfile();

        long before = 0;
        for (int run = 0; run < 3 * RUNS; run++) {
            if (run == 2 * RUNS) {
                before = allocatedBytes();
            }
            profile.computed(cpu, fused, run, run + 1);
            profile.computed(gpu, alone, run, run + 2);
            profile.copied(cpu, gpu, 300, x, 32, run, run + 1);
            profile.ranSplit(gpu, 300, graph, run, run + 3);
        }

        assertThat((double) (allocatedBytes() - before) / RUNS).isLessThan(4);
    }
}
