package dev.stowage.cpu.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.stowage.cpu.CpuProvider;
import dev.stowage.cpu.op.StandardKernels;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.PreparedGraph;
import dev.stowage.device.RunListener;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.profile.OpTime;
import dev.stowage.profile.RunProfile;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
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
import org.junit.jupiter.params.provider.ValueSource;

/** What the processor reports to a listener. */
class ProgramListenerTest {

    /** Nodes that were reported. */
    private record Report(Backend backend, List<Tensor> nodes, long start, long end) {}

    private final Device device = new CpuProvider().devices().getFirst();
    private final List<Report> reports = new ArrayList<>();
    private final RunListener listener =
            (backend, nodes, start, end) -> reports.add(new Report(backend, nodes, start, end));
    private final GraphBuilder b = new GraphBuilder();
    private final GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard());

    @AfterEach
    void giveBack() {
        allocator.close();
    }

    private BackendOptions listening(int threads) {
        return BackendOptions.defaults().withThreads(threads).withListener(listener);
    }

    private void compute(BoundGraph graph, BackendOptions options) {
        try (Backend backend = device.open(options)) {
            backend.compute(graph);
        }
    }

    private static List<Tensor> working(List<Tensor> nodes) {
        return nodes.stream()
                .filter(node -> node.op() != Op.NONE && !node.op().isViewOp())
                .toList();
    }

    private List<Tensor> toldNodes() {
        return reports.stream().flatMap(each -> each.nodes().stream()).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void everyNodeThatRunsIsReportedOnceAndInOrder(int threads) {
        try (LayerGraph layer = new LayerGraph(ElementType.F32, allocator)) {
            compute(layer.bound(), listening(threads));

            assertThat(working(toldNodes()))
                    .containsExactlyElementsOf(working(layer.graph().nodes()));
        }
    }

    @Test
    void oneIsOverBeforeTheNextBegins() {
        try (LayerGraph layer = new LayerGraph(ElementType.F32, allocator)) {
            compute(layer.bound(), listening(2));
        }
        long before = reports.getFirst().start();
        for (Report each : reports) {
            assertThat(each.start() - before).isNotNegative();
            assertThat(each.end() - each.start()).isNotNegative();
            before = each.end();
        }
    }

    private float[] layerOutput(BackendOptions options) {
        try (LayerGraph layer = new LayerGraph(ElementType.F32, GraphAllocator.on(HostBufferType.standard()))) {
            compute(layer.bound(), options);
            return layer.output();
        }
    }

    @Test
    void resultsAreThoseOfARunWithoutAListener() {
        float[] alone = layerOutput(BackendOptions.defaults().withThreads(2));
        assertThat(Arrays.equals(layerOutput(listening(2)), alone)).isTrue();
    }

    private BoundGraph weightedNorm() {
        Tensor x = b.input("x", ElementType.F32, 16, 3);
        Tensor weighed = b.mul(b.rmsNorm(x, 1e-5f), b.input("w", ElementType.F32, 16));
        return allocator.bind(b.build(weighed.asOutput()));
    }

    @Test
    void fusedNodesAreReportedTogether() {
        BoundGraph bound = weightedNorm();
        Graph graph = bound.graph();
        compute(bound, listening(1));

        assertThat(reports).extracting(Report::nodes).containsExactly(graph.nodes());
    }

    @Test
    void nodesThatAreNotFusedAreReportedOneByOne() {
        BoundGraph bound = weightedNorm();
        Graph graph = bound.graph();
        compute(bound, listening(1).withSettings(Map.of(StandardKernels.WITHOUT_FUSIONS, "all")));

        assertThat(reports).extracting(Report::nodes).containsExactly(List.of(graph.node(0)), List.of(graph.node(1)));
    }

    @Test
    void viewsBetweenFusedNodesAreReportedWithThem() {
        Tensor cache = b.input("cache", ElementType.F16, 32, 8);
        Tensor rows = b.input("rows", ElementType.I64, 3);
        Tensor positions = b.input("positions", ElementType.I32, 3);
        Tensor keys = b.input("keys", ElementType.F32, 16, 2, 3);
        Tensor turned = b.rope(keys, positions, OpParameters.Rope.of(16, RopeMode.NEOX));
        BoundGraph bound = allocator.bind(
                b.build(b.setRows(cache, b.reshape(turned, 32, 3), rows).asOutput()));
        TensorData.setLongs(bound.tensor(rows), 0, 1, 2);
        TensorData.setInts(bound.tensor(positions), 0, 1, 2);
        compute(bound, listening(1));

        assertThat(reports)
                .singleElement()
                .satisfies(each -> assertThat(each.nodes())
                        .extracting(Tensor::op)
                        .containsExactly(Op.ROPE, Op.RESHAPE, Op.SET_ROWS));
    }

    @Test
    void aPreparedGraphTellsOfEveryRun() {
        BoundGraph bound = weightedNorm();
        Graph graph = bound.graph();
        try (Backend backend = device.open(listening(1));
                PreparedGraph prepared = backend.prepare(bound)) {
            assertThat(reports).isEmpty();
            backend.compute(prepared);
            backend.compute(prepared);

            assertThat(reports).extracting(Report::nodes).containsExactly(graph.nodes(), graph.nodes());
            assertThat(reports).extracting(Report::backend).containsOnly(backend);
        }
    }

    @Test
    void aNodeThatIsNotRunIsNotReported() {
        Tensor first = b.sqr(b.input("x", ElementType.F32, 4)).named("first");
        Tensor second = b.sqr(first).named("second");
        BoundGraph bound = allocator.bind(b.build(second.asOutput()));
        AtomicInteger asked = new AtomicInteger();

        assertThatThrownBy(() -> compute(bound, listening(1).withAbort(() -> asked.getAndIncrement() == 1)))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("second")
                .hasMessageContaining("asked to stop");
        assertThat(toldNodes()).containsExactly(first);
    }

    @Test
    void aListenerThatFailsIsReportedWithTheNodeItWasNotifiedOf() {
        BoundGraph bound = allocator.bind(
                b.build(b.sqr(b.input("x", ElementType.F32, 4)).named("heard").asOutput()));
        RunListener deaf = (_, _, _, _) -> {
            throw new IllegalStateException("did not listen");
        };

        assertThatThrownBy(() -> compute(bound, BackendOptions.defaults().withListener(deaf)))
                .isInstanceOf(DeviceException.class)
                .hasMessageContainingAll("heard", "did not listen");
    }

    @Test
    void aProfileNamesWhatWasFused() {
        RunProfile profile = new RunProfile();
        compute(weightedNorm(), BackendOptions.defaults().withListener(profile));

        assertThat(profile.ops()).singleElement().satisfies(row -> {
            assertThat(row.device()).isEqualTo("cpu");
            assertThat(row.op()).isEqualTo("RMS_NORM+MUL");
            assertThat(row.calls()).isEqualTo(1);
        });
    }

    /** Vectors are objects until the compiler has come to a kernel, so the first rounds leave some. */
    @Test
    void aProfileLeavesNothingToCollectOnceCompiled() {
        int runs = 200;
        int rounds = 100;
        RunProfile profile = new RunProfile();
        ThreadMXBean counters = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (LayerGraph layer = new LayerGraph(ElementType.F32, allocator);
                Backend backend =
                        device.open(BackendOptions.defaults().withThreads(1).withListener(profile));
                PreparedGraph prepared = backend.prepare(layer.bound())) {
            double least = Double.MAX_VALUE;
            for (int round = 0; round < rounds && least >= layer.graph().nodeCount(); round++) {
                long before = counters.getCurrentThreadAllocatedBytes();
                for (int run = 0; run < runs; run++) {
                    backend.compute(prepared);
                }
                least = Math.min(least, (double) (counters.getCurrentThreadAllocatedBytes() - before) / runs);
            }
            assertThat(least)
                    .as("bytes in a run, less than one for each node")
                    .isLessThan(layer.graph().nodeCount());
            assertThat(profile.ops().stream().mapToLong(OpTime::calls).sum() % runs)
                    .isZero();
        }
    }
}
