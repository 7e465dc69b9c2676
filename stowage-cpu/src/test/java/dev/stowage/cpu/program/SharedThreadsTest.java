package dev.stowage.cpu.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.op.StandardKernels;
import dev.stowage.cpu.team.ThreadTeam;
import dev.stowage.cpu.team.Workers;
import dev.stowage.device.BackendOptions;
import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs of several callers that share threads give what each of them gives alone, to the bit. */
class SharedThreadsTest {

    private static final int RUNS = 10;

    private static float[] computed(Workers workers) {
        try (LayerGraph layer = new LayerGraph(ElementType.F16, GraphAllocator.on(HostBufferType.standard()));
                ThreadTeam team = new ThreadTeam(workers, 3);
                CpuProgram program = CpuProgram.of(
                        layer.bound(),
                        StandardKernels.all(),
                        StandardKernels.fusions(BackendOptions.defaults()),
                        team.threads())) {
            program.run(team, "cpu", () -> false);
            return layer.output();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8})
    void resultsDoNotDependOnWhoElseRuns(int processors) throws InterruptedException {
        float[] alone = computed(new Workers(1, "alone"));
        Workers workers = new Workers(processors, "shared");
        AtomicInteger same = new AtomicInteger();
        List<Thread> callers = new ArrayList<>();
        for (int caller = 0; caller < 4; caller++) {
            callers.add(Thread.ofPlatform().start(() -> {
                for (int run = 0; run < RUNS; run++) {
                    same.addAndGet(Arrays.equals(computed(workers), alone) ? 1 : 0);
                }
            }));
        }
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(same).hasValue(callers.size() * RUNS);
    }
}
