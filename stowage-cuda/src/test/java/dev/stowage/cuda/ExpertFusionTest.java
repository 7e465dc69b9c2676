package dev.stowage.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cuda.op.GraphLaunches;
import dev.stowage.cuda.op.PlacedGraph;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.recording.RecordingDriver;
import dev.stowage.device.Device;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The launches of a mixture of experts for a few tokens, with experts in the memory that the device prefers. */
class ExpertFusionTest {

    private static final int WIDTH = 2048;
    private static final int INNER = 2048;
    private static final int EXPERTS = 8;
    private static final float LEAST_SUM = 0x1p-14f;

    private final GraphBuilder b = new GraphBuilder();
    private final List<Tensor> units = new ArrayList<>();
    private final List<Tensor> plain = new ArrayList<>();

    private Tensor experts(ElementType type, long k, long rows) {
        Tensor weight = b.tensor(type, k, rows, EXPERTS).asWeight();
        units.add(weight);
        return weight;
    }

    private Tensor stored(long... dimensions) {
        Tensor tensor = b.tensor(ElementType.F32, dimensions).asWeight();
        plain.add(tensor);
        return tensor;
    }

    private Tensor norm(Tensor x) {
        return b.mul(b.rmsNorm(x, 1e-5f), stored(WIDTH));
    }

    /** What a test changes of a layer. */
    private record Shape(ElementType type, int inner, int used, int tokens, boolean isChosenAnOutput) {

        static Shape of(ElementType type, int used, int tokens) {
            return new Shape(type, INNER, used, tokens, false);
        }
    }

    /** The feed-forward part of a layer, as llama.cpp orders its nodes, and the product after it. */
    private Graph layer(Shape shape) {
        int tokens = shape.tokens();
        Tensor x = b.input("x", ElementType.F32, WIDTH, tokens);
        Tensor normed = norm(x);
        Tensor shares = b.softMax(b.mulMat(stored(WIDTH, EXPERTS), normed));
        Tensor chosen = b.argsortTopK(shares, shape.used());
        Tensor picked = b.getRows(b.reshape(shares, 1, EXPERTS, tokens), chosen);
        Tensor rows = b.reshape(picked, shape.used(), tokens);
        Tensor sum = b.clamp(b.sumRows(rows), LEAST_SUM, Float.POSITIVE_INFINITY);
        Tensor weights = b.reshape(b.div(rows, sum), 1, shape.used(), tokens);
        Tensor each = b.reshape(normed, WIDTH, 1, tokens);
        Tensor up = b.mulMatId(experts(shape.type(), WIDTH, shape.inner()), each, chosen);
        Tensor gate = b.mulMatId(experts(shape.type(), WIDTH, shape.inner()), each, chosen);
        Tensor down = b.mulMatId(experts(shape.type(), shape.inner(), WIDTH), b.swiglu(gate, up), chosen);
        Tensor weighted = b.mul(down, weights);
        Tensor total = part(weighted, 0, tokens);
        for (int i = 1; i < shape.used(); i++) {
            total = b.add(total, part(weighted, i, tokens));
        }
        Tensor result = b.add(total, x);
        Tensor matrix = b.tensor(shape.type(), WIDTH, WIDTH).asWeight();
        units.add(matrix);
        Tensor logits = b.mulMat(matrix, norm(result)).asOutput();
        return shape.isChosenAnOutput() ? Graph.of(shares.asOutput(), weights, logits) : Graph.of(weights, logits);
    }

    private Tensor part(Tensor weighted, int place, int tokens) {
        return b.view2d(weighted, WIDTH, tokens, weighted.stride(2), place * weighted.stride(1));
    }

    private List<String> kernels(Graph graph, Gpu gpu) {
        return launches(graph, gpu).stream().map(Launch::kernel).toList();
    }

    private List<Launch> launches(Graph graph, Gpu gpu) {
        RecordingDriver driver = new RecordingDriver(1, 1L << 30);
        try (CudaProvider provider = new CudaProvider(() -> driver, StandardCompiler.INSTANCE)) {
            Device device = provider.devices().getFirst();
            try (Buffer weights = Allocations.allocateAll(
                            units, device.weightsType(units.getFirst().layout()));
                    Buffer others = Allocations.allocateAll(plain, device.bufferType());
                    GraphAllocator allocator = GraphAllocator.on(device.bufferType())) {
                assertThat(weights.type()).isNotEqualTo(others.type());
                return GraphLaunches.of(allocator.bind(device.reorder(graph)), gpu)
                        .launches();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"Q4_0, 2, 1", "Q4_K, 2, 1", "Q4_0, 4, 3", "Q6_K, 8, 4"})
    void aLayerIsChoiceGatedProductAndSum(ElementType type, int used, int tokens) {
        String name = type.name().toLowerCase(Locale.ROOT).replace("_k", "_K");
        String next = tokens == 1 ? "_one" : "_x4";
        assertThat(kernels(layer(Shape.of(type, used, tokens)), PlacedGraph.HOPPER))
                .containsExactly(
                        "route_experts",
                        "unit_gemv_ring_" + name + "_experts",
                        "unit_gemv_ring_" + name + "_experts",
                        "unit_gemv_ring_" + name + next);
    }

    @Test
    void expertsOfHalvesAreFusedToo() {
        assertThat(kernels(layer(Shape.of(ElementType.F16, 2, 1)), PlacedGraph.HOPPER))
                .startsWith("route_experts", "unit_gemv_ring_f16_experts", "unit_gemv_ring_f16_experts")
                .endsWith("unit_gemv_ring_f16_whole");
    }

    @Test
    void everyLaunchMayBeginBeforeTheOneBeforeItHasEnded() {
        assertThat(launches(layer(Shape.of(ElementType.Q4_0, 2, 1)), PlacedGraph.HOPPER))
                .allMatch(Launch::isDependent);
    }

    @Test
    void theBlocksOfAllUsedExpertsFillTheGpu() {
        List<Launch> launches = launches(layer(Shape.of(ElementType.Q4_0, 2, 1)), PlacedGraph.HOPPER);
        // Gate and up: blocks of their own for both experts. Down: both experts in one block.
        assertThat(launches.get(1).grid().y()).isEqualTo(2);
        assertThat(launches.get(2).grid().y()).isEqualTo(1);
        assertThat(launches.get(2).grid().x()).isBetween(64, 132);
    }

    @ParameterizedTest
    @ValueSource(ints = {80, 89})
    void withoutClustersTheChoiceIsManyLaunches(int capability) {
        Gpu gpu = new Gpu(capability, 108, 99 << 10, 40L << 20);
        assertThat(kernels(layer(Shape.of(ElementType.Q4_0, 2, 1)), gpu))
                .contains("sort_rows", "unit_gemv_q4_0_experts")
                .doesNotContain("route_experts")
                .filteredOn(kernel -> kernel.startsWith("unit_gemv_q4_0_experts"))
                .hasSize(2);
    }

    @Test
    void sharesThatAreReadElsewhereAreStored() {
        Graph graph = layer(new Shape(ElementType.Q4_0, INNER, 2, 1, true));
        assertThat(kernels(graph, PlacedGraph.HOPPER))
                .contains("sort_rows", "soft_max_f32")
                .doesNotContain("route_experts");
    }

    @Test
    void expertsOfManyTokensAreNotFused() {
        assertThat(kernels(layer(Shape.of(ElementType.Q4_0, 2, 5)), PlacedGraph.HOPPER))
                .doesNotContain("route_experts");
    }
}
