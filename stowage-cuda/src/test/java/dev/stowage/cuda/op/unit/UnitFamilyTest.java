package dev.stowage.cuda.op.unit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cuda.kernel.KernelCatalog;
import dev.stowage.cuda.memory.unit.UnitFormat;
import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.PlacedGraph;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.Step;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.OpCase;
import dev.stowage.testkit.op.OpCases;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Products with weights in units as launches: which kernels are chosen, and that they fit the device. */
class UnitFamilyTest {

    /** Parameters of a product's kernel by place. */
    private static final int GRANULE = 1;

    private static final int STAGES = 4;

    private static final Gpu AMPERE = new Gpu(80, 108, 163 << 10, 40L << 20);
    private static final Gpu ADA = new Gpu(89, 128, 99 << 10, 72L << 20);
    private static final int STATIC_SHARED_BYTES = 1536;

    private final GraphBuilder b = new GraphBuilder();

    private static List<Launch> launches(Graph graph, Gpu gpu) {
        try (PlacedGraph placed = PlacedGraph.apart(graph)) {
            LaunchList out = new LaunchList(gpu, KernelCatalog.standard());
            for (Step step : placed.steps()) {
                kernel(step.op()).launch(step, out);
            }
            return out.launches();
        }
    }

    private static OpKernel kernel(Op op) {
        return Objects.requireNonNull(UnitFamily.kernels().get(op));
    }

    private static void requireFit(Launch launch, Gpu gpu) {
        assertThat(launch.sharedBytes() + STATIC_SHARED_BYTES)
                .as(launch.kernel())
                .isLessThanOrEqualTo(gpu.sharedBytesPerBlock());
        assertThat(launch.grid().y()).isBetween(1, 65535);
    }

    @ParameterizedTest
    @EnumSource(
            value = Op.class,
            names = {"MUL_MAT", "MUL_MAT_ID"})
    void launchesOfSupportedCasesFitTheKernelsAndTheDevice(Op op) {
        int supported = 0;
        for (OpCase opCase : OpCases.of(op)) {
            for (Gpu gpu : List.of(AMPERE, ADA, PlacedGraph.HOPPER)) {
                Tensor subject = opCase.build().subject(op);
                if (kernel(op).supports(subject, gpu).isSupported()
                        && !subject.shape().isEmpty()) {
                    supported++;
                    launches(opCase.build().graph(), gpu).forEach(launch -> requireFit(launch, gpu));
                }
            }
        }
        assertThat(supported).isGreaterThan(3 * UnitFormat.values().length);
    }

    private List<Launch> product(ElementType type, long k, long rows, long tokens, Gpu gpu) {
        Tensor weights = b.tensor(type, k, rows);
        return launches(Graph.of(b.mulMat(weights, b.tensor(ElementType.F32, k, tokens))), gpu);
    }

    @ParameterizedTest
    @CsvSource({
        "1, unit_gemv_ring_q4_0_whole",
        "2, unit_gemv_ring_q4_0_x2",
        "3, unit_gemv_ring_q4_0_x4",
        "5, unit_tokens_q8_0 unit_mm_clusters_q4_0_x8",
        "9, unit_tokens_q8_0 unit_mm_clusters_q4_0_x16",
        "32, unit_tokens_q8_0 unit_mm_clusters_q4_0_x32",
        "64, unit_tokens_q8_0 unit_mm_clusters_q4_0_x64",
        "70, unit_tokens_q8_0 unit_mm_clusters_q4_0_x64 unit_tokens_q8_0 unit_mm_clusters_q4_0_x8"
    })
    void choosesByTokens(int tokens, String kernels) {
        List<Launch> launches = product(ElementType.Q4_0, 4096, 4096, tokens, PlacedGraph.HOPPER);
        assertThat(String.join(" ", launches.stream().map(Launch::kernel).toList()))
                .isEqualTo(kernels);
    }

    @Test
    void dequantisesForManyTokens() {
        List<Launch> launches = product(ElementType.Q6_K, 4096, 4096, 512, AMPERE);
        assertThat(launches).extracting(Launch::kernel).contains("unit_dequantize_q6_K");
        assertThat(launches.getLast().kernel()).startsWith("gemm_");
    }

    @Test
    void halvesThatAreNotWholeUnitsBecomeRows() {
        assertThat(product(ElementType.F16, 896, 4096, 512, PlacedGraph.HOPPER))
                .extracting(Launch::kernel)
                .contains("unit_dequantize_f16");
        assertThat(product(ElementType.F16, 1024, 4096, 512, PlacedGraph.HOPPER))
                .extracting(Launch::kernel)
                .doesNotContain("unit_dequantize_f16");
    }

    @ParameterizedTest
    @CsvSource({
        "Q4_0, 128, group_pairs round_half_32 unit_dequantize_q4_0 gemm_sm90_pairs_64_f16",
        "F16,  128, group_pairs gather_half gemm_sm90_pairs_64_f16",
        "F16,  130, group_pairs gather_half unit_dequantize_f16 gemm_sm90_pairs_64_f16"
    })
    void manyTokensAreGroupedByExpert(ElementType type, long rows, String kernels) {
        Tensor experts = b.tensor(type, 256, rows, 8);
        Tensor tokens = b.tensor(ElementType.F32, 256, 1, 200);
        Tensor result = b.mulMatId(experts, tokens, b.tensor(ElementType.I32, 2, 200));
        assertThat(String.join(
                        " ",
                        launches(Graph.of(result), PlacedGraph.HOPPER).stream()
                                .map(Launch::kernel)
                                .toList()))
                .isEqualTo(kernels);
    }

    @Test
    void rowsTooLongForSharedMemoryAreMultipliedByMatrixInstructions() {
        assertThat(product(ElementType.F16, 65536, 64, 1, ADA))
                .extracting(Launch::kernel)
                .containsExactly("unit_tokens_f16", "unit_mm_f16_x8");
    }

    @ParameterizedTest
    @CsvSource({"4096,   6144, 128, 4", "4096,   4096, 128, 3", "14336,  4096, 128, 4", "4096, 128256, 132, 7"})
    void ringsAreAsDeepAsTheirRunsNeed(long k, long rows, int blocks, int stages) {
        Launch launch =
                product(ElementType.Q4_0, k, rows, 1, PlacedGraph.HOPPER).getFirst();
        assertThat(launch.grid().x()).isEqualTo(blocks);
        assertThat(((Launch.Scalar) launch.arguments().get(STAGES)).bits()).isEqualTo(stages);
        assertThat(launch.isDependent()).isTrue();
        requireFit(launch, PlacedGraph.HOPPER);
    }

    @Test
    void ofHalvesFewerBytesAreAskedForAhead() {
        Launch launch =
                product(ElementType.F16, 4096, 14336, 1, PlacedGraph.HOPPER).getFirst();
        assertThat(((Launch.Scalar) launch.arguments().get(STAGES)).bits()).isEqualTo(6);
        assertThat(launch.sharedBytes()).isLessThan(180 << 10);
    }

    @Test
    void severalTokensHaveMoreWarps() {
        assertThat(product(ElementType.Q4_0, 4096, 4096, 1, PlacedGraph.HOPPER)
                        .getFirst()
                        .block()
                        .x())
                .isEqualTo(384);
        assertThat(product(ElementType.Q4_0, 4096, 4096, 4, PlacedGraph.HOPPER)
                        .getFirst()
                        .block()
                        .x())
                .isEqualTo(512);
    }

    @Test
    void gatedUnitsPublishSixteenRowsOfBothMatricesInOneBlock() {
        LaunchList out = new LaunchList(PlacedGraph.HOPPER, KernelCatalog.standard());
        QuantizedActivations in = QuantizedActivations.allocate(out, 4096, 1);
        QuantizedActivations published = QuantizedActivations.allocate(out, 14336, 1);
        in.publish(Pointers.of(1 << 20), 4096, Pointers.of(1 << 16), out);
        UnitProduct.of(UnitFormat.Q4_0, 4096, Activations.normed(in, 1e-5f), 1)
                .matrix(1 << 24, 14336, Pointers.NONE, Pointers.NONE)
                .matrix(1 << 28, 14336, Pointers.NONE, Pointers.NONE)
                .glu(GluFunction.SWIGLU)
                .publish(published, Pointers.NONE)
                .launch(out);
        Launch launch = out.launches().getLast();
        assertThat(((Launch.Scalar) launch.arguments().get(GRANULE)).bits()).isEqualTo(8);
        assertThat(((Launch.Scalar) launch.arguments().get(STAGES)).bits()).isEqualTo(6);
        assertThat(launch.kernel()).isEqualTo("unit_gemv_ring_q4_0_gated");
        assertThat(launch.block().x()).isEqualTo(512);
        assertThat(launch.grid().x()).isEqualTo(128);
        requireFit(launch, PlacedGraph.HOPPER);
    }
}
