package dev.stowage.cpu.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.stowage.cpu.op.StandardKernels;
import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.cpu.team.ThreadTeam;
import dev.stowage.device.BackendOptions;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A prepared graph: its scratch memory, what is derived from operands, and how it runs. */
class CpuProgramTest {

    private static final Fusions NO_FUSIONS = new Fusions(List.of());

    private static final OpKernels NO_KERNELS = new OpKernels(Map.of());

    private final GraphBuilder b = new GraphBuilder();
    private final GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard());

    @AfterEach
    void giveBack() {
        allocator.close();
    }

    private Tensor input(String name) {
        return b.input(name, ElementType.F32, 4);
    }

    private BoundGraph bound(Tensor last) {
        return allocator.bind(b.build(last.asOutput()));
    }

    private static ParallelTask nothing() {
        return new ParallelTask(1) {
            @Override
            public void run(int piece, int thread) {}
        };
    }

    private static void run(CpuProgram program) {
        try (ThreadTeam team = new ThreadTeam(1, "program")) {
            program.run(team, "cpu", () -> false);
        }
    }

    /** Some bytes that a part of scratch memory takes. */
    private record Bytes(long from, long to) {

        boolean overlaps(Bytes other) {
            return from < other.to && other.from < to;
        }
    }

    private static Bytes bytes(Scratch scratch, long size) {
        return new Bytes(scratch.address(), scratch.address() + size);
    }

    /** A kernel that takes scratch memory of the given sizes for each node, and computes nothing. */
    private static OpKernel taking(List<Scratch> taken, long... sizes) {
        return node -> {
            for (long size : sizes) {
                taken.add(node.scratch(size));
            }
            node.add(nothing());
            return true;
        };
    }

    private CpuProgram twoSquares(OpKernel kernel, int threads) {
        BoundGraph graph = bound(b.sqr(b.sqr(input("x"))));
        return CpuProgram.of(graph, new OpKernels(Map.of(Op.SQR, kernel)), NO_FUSIONS, threads);
    }

    @Test
    void nodesShareTheBytesOfTheirScratch() {
        List<Scratch> taken = new ArrayList<>();
        try (CpuProgram program = twoSquares(taking(taken, 1000), 1)) {
            assertThat(bytes(taken.get(0), 1000).overlaps(bytes(taken.get(1), 1000)))
                    .isTrue();
            assertThat(program.scratchBytes()).isLessThan(2000);
        }
    }

    @Test
    void partsOfOneNodesScratchDoNotOverlap() {
        List<Scratch> taken = new ArrayList<>();
        try (CpuProgram program = twoSquares(taking(taken, 1000, 70, 1), 1)) {
            Bytes first = bytes(taken.get(0), 1000);
            Bytes second = bytes(taken.get(1), 70);
            Bytes third = bytes(taken.get(2), 1);
            assertThat(first.overlaps(second) || second.overlaps(third) || first.overlaps(third))
                    .isFalse();
            assertThat(program.scratchBytes()).isGreaterThanOrEqualTo(1071);
        }
    }

    @Test
    void moreScratchThanTheLimitIsRefused() {
        BoundGraph graph = bound(b.sqr(input("x")));
        OpKernels kernels = new OpKernels(Map.of(Op.SQR, taking(new ArrayList<>(), 1024)));
        CpuProgram.of(graph, kernels, NO_FUSIONS, 1, 1024).close();
        assertThatThrownBy(() -> CpuProgram.of(graph, kernels, NO_FUSIONS, 1, 1023))
                .isInstanceOf(AllocationException.class)
                .hasMessageContaining("1024 bytes of scratch memory");
    }

    @Test
    void eachThreadHasAPartOfItsOwn() {
        List<Scratch> taken = new ArrayList<>();
        OpKernel kernel = node -> {
            taken.add(node.scratchPerThread(100));
            node.add(nothing());
            return true;
        };
        try (CpuProgram program = twoSquares(kernel, 3)) {
            Scratch scratch = taken.getFirst();
            assertThat(scratch.address(1) - scratch.address(0)).isGreaterThanOrEqualTo(100);
            assertThat(scratch.address(2) - scratch.address(1)).isGreaterThanOrEqualTo(100);
            assertThat(program.scratchBytes()).isGreaterThanOrEqualTo(300);
        }
    }

    @Test
    void scratchBeginsAtWholeCacheLines() {
        List<Scratch> taken = new ArrayList<>();
        try (CpuProgram _ = twoSquares(taking(taken, 1, 65, 3), 1)) {
            assertThat(taken).allMatch(scratch -> scratch.address() % 64 == 0);
        }
    }

    /** A kernel for sums that derives something from its second operand, and counts how often that is made. */
    private static OpKernel deriving(List<Scratch> derived, AtomicInteger made) {
        return node -> {
            derived.add(node.derived(1, "a form", 256, _ -> new ParallelTask(1) {
                @Override
                public void run(int piece, int thread) {
                    made.incrementAndGet();
                }
            }));
            node.add(nothing());
            return true;
        };
    }

    @Test
    void whatIsDerivedFromAnOperandIsMadeOnce() {
        Tensor w = input("w");
        BoundGraph graph = bound(b.add(b.add(input("x"), w), w));
        List<Scratch> derived = new ArrayList<>();
        AtomicInteger made = new AtomicInteger();
        OpKernels kernels = new OpKernels(Map.of(Op.ADD, deriving(derived, made)));
        try (CpuProgram program = CpuProgram.of(graph, kernels, NO_FUSIONS, 1)) {
            run(program);
        }
        assertThat(made).hasValue(1);
        assertThat(derived.get(1)).isSameAs(derived.get(0));
    }

    @Test
    void whatIsDerivedIsMadeAgainInEveryRun() {
        BoundGraph graph = bound(b.add(input("x"), input("w")));
        AtomicInteger made = new AtomicInteger();
        OpKernels kernels = new OpKernels(Map.of(Op.ADD, deriving(new ArrayList<>(), made)));
        try (CpuProgram program = CpuProgram.of(graph, kernels, NO_FUSIONS, 1)) {
            run(program);
            run(program);
        }
        assertThat(made).hasValue(2);
    }

    @Test
    void whatIsDerivedIsMadeAgainOnceTheOperandWasWritten() {
        Tensor w = input("w");
        Tensor before = b.add(input("x"), w);
        BoundGraph graph = bound(b.add(before, b.scaleInplace(w, 2)));
        AtomicInteger made = new AtomicInteger();
        OpKernels kernels = new OpKernels(Map.of(Op.ADD, deriving(new ArrayList<>(), made)));
        try (CpuProgram program = CpuProgram.of(graph, kernels, NO_FUSIONS, 1)) {
            run(program);
        }
        assertThat(made).hasValue(2);
    }

    @Test
    void differentFormsOfAnOperandAreNotShared() {
        Tensor w = input("w");
        BoundGraph graph = bound(b.add(b.add(input("x"), w), w));
        List<Scratch> derived = new ArrayList<>();
        OpKernel kernel = node -> {
            derived.add(node.derived(1, "form " + derived.size(), 64, _ -> nothing()));
            node.add(nothing());
            return true;
        };
        try (CpuProgram _ = CpuProgram.of(graph, new OpKernels(Map.of(Op.ADD, kernel)), NO_FUSIONS, 1)) {
            assertThat(derived.get(0)).isNotSameAs(derived.get(1));
        }
    }

    @Test
    void whatIsDerivedKeepsItsBytesUntilTheLastNodeThatUsesIt() {
        Tensor w = input("w");
        BoundGraph graph = bound(b.add(b.sqr(b.add(input("x"), w)), w));
        List<Scratch> derived = new ArrayList<>();
        List<Scratch> between = new ArrayList<>();
        OpKernels kernels =
                new OpKernels(Map.of(Op.ADD, deriving(derived, new AtomicInteger()), Op.SQR, taking(between, 512)));
        try (CpuProgram _ = CpuProgram.of(graph, kernels, NO_FUSIONS, 1)) {
            assertThat(bytes(derived.getFirst(), 256).overlaps(bytes(between.getFirst(), 512)))
                    .isFalse();
        }
    }

    @Test
    void nodesWithoutAKernelGoToTheReference() {
        Tensor x = input("x");
        Tensor y = b.sqr(x);
        BoundGraph graph = bound(y);
        TensorData.setFloats(graph.tensor(x), 1, 2, 3, 4);
        try (CpuProgram program = CpuProgram.of(graph, NO_KERNELS, NO_FUSIONS, 2)) {
            run(program);
        }
        assertThat(TensorData.getFloats(graph.tensor(y))).containsExactly(1, 4, 9, 16);
    }

    @Test
    void stopsBeforeTheNextNodeWhenAskedTo() {
        Tensor x = input("x");
        Tensor first = b.sqr(x).named("first").asOutput();
        BoundGraph graph = bound(b.sqr(first).named("second"));
        TensorData.setFloats(graph.tensor(x), 1, 2, 3, 4);
        AtomicInteger asked = new AtomicInteger();
        try (CpuProgram program = CpuProgram.of(graph, NO_KERNELS, NO_FUSIONS, 1);
                ThreadTeam team = new ThreadTeam(2, "aborted")) {
            assertThatThrownBy(() -> program.run(team, "cpu", () -> asked.getAndIncrement() == 1))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining("second")
                    .hasMessageContaining("asked to stop");
        }
        assertThat(TensorData.getFloats(graph.tensor(first))).containsExactly(1, 4, 9, 16);
    }

    @Test
    void namesTheNodeThatFailed() {
        OpKernel failing = node -> {
            node.add(new ParallelTask(1) {
                @Override
                public void run(int piece, int thread) {
                    throw new IllegalStateException("no luck");
                }
            });
            return true;
        };
        BoundGraph graph = bound(b.sqr(input("x")).named("unlucky"));
        try (CpuProgram program = CpuProgram.of(graph, new OpKernels(Map.of(Op.SQR, failing)), NO_FUSIONS, 1)) {
            assertThatThrownBy(() -> run(program))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining("unlucky")
                    .hasMessageContaining("no luck")
                    .hasCauseInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void refusesToRunOnceItIsClosedItself() {
        CpuProgram program = CpuProgram.of(bound(b.sqr(input("x"))), NO_KERNELS, NO_FUSIONS, 1);
        program.close();
        assertThatThrownBy(() -> run(program)).isInstanceOf(ClosedException.class);
    }

    private static Fusions fusions() {
        return StandardKernels.fusions(BackendOptions.defaults());
    }

    private static float[] computed(ElementType weights, int threads) {
        try (LayerGraph layer = new LayerGraph(weights, GraphAllocator.on(HostBufferType.standard()));
                CpuProgram program = CpuProgram.of(layer.bound(), StandardKernels.all(), fusions(), threads);
                ThreadTeam team = new ThreadTeam(threads, "layer")) {
            program.run(team, "cpu", () -> false);
            return layer.output();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "BF16"})
    void resultsDoNotDependOnTheNumberOfThreads(ElementType weights) {
        float[] alone = computed(weights, 1);
        for (int threads = 2; threads <= 8; threads++) {
            assertThat(Arrays.equals(computed(weights, threads), alone))
                    .as("%d threads give the bits that one gives", threads)
                    .isTrue();
        }
    }

    /** What this thread and some others have allocated so far. */
    private static long allocated(ThreadMXBean counters, long... others) {
        long sum = counters.getCurrentThreadAllocatedBytes();
        for (long id : others) {
            sum += counters.getThreadAllocatedBytes(id);
        }
        return sum;
    }

    private static long[] threadsOf(String team) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(team + "-"))
                .mapToLong(Thread::threadId)
                .toArray();
    }

    /** Vectors are objects until the compiler has come to a kernel, so the first rounds leave some. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void runningAgainLeavesNothingToCollectOnceCompiled(int threads) {
        int runs = 200;
        int rounds = 100;
        String name = "frugal" + threads;
        ThreadMXBean counters = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (LayerGraph layer = new LayerGraph(ElementType.F32, GraphAllocator.on(HostBufferType.standard()));
                CpuProgram program = CpuProgram.of(layer.bound(), StandardKernels.all(), fusions(), threads);
                ThreadTeam team = new ThreadTeam(threads, name)) {
            long[] workers = threadsOf(name);
            assertThat(workers).hasSize(threads - 1);
            double least = Double.MAX_VALUE;
            for (int round = 0; round < rounds && least >= layer.graph().nodeCount(); round++) {
                long before = allocated(counters, workers);
                for (int run = 0; run < runs; run++) {
                    program.run(team, "cpu", () -> false);
                }
                least = Math.min(least, (double) (allocated(counters, workers) - before) / runs);
            }
            assertThat(least)
                    .as("bytes in a run, less than one for each node")
                    .isLessThan(layer.graph().nodeCount());
        }
    }
}
