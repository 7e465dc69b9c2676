package dev.stowage.cuda.op.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cuda.driver.Dim3;
import dev.stowage.cuda.kernel.KernelCatalog;
import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.PlacedGraph;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.OpCase;
import dev.stowage.testkit.op.OpCases;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Products as launches: that every case is taken, and which kernels are chosen by type and shape. */
class MatrixFamilyTest {

    private static final Gpu AMPERE = new Gpu(80, 108, 163 << 10, 40L << 20);
    private static final int MOST_BLOCKS = 65535;
    private static final Map<Op, OpKernel> KERNELS = MatrixFamily.kernels();

    private final GraphBuilder b = new GraphBuilder();

    static Stream<Op> ops() {
        return KERNELS.keySet().stream();
    }

    private static OpKernel kernel(Op op) {
        return Objects.requireNonNull(KERNELS.get(op));
    }

    private static List<OpCase> cases(Op op) {
        return Stream.concat(OpCases.of(op).stream(), OpCases.random(op, 7, 60).stream())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("ops")
    void supportsEveryCase(Op op) {
        for (OpCase opCase : cases(op)) {
            Tensor subject = opCase.build().subject(op);
            OpSupport support = kernel(op).supports(subject, AMPERE);
            assertThat(support.isSupported())
                    .as(opCase.name() + ": " + support.reason())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("ops")
    void launchesFitTheKernelsAndTheDevice(Op op) {
        for (OpCase opCase : cases(op)) {
            for (Gpu gpu : List.of(AMPERE, PlacedGraph.HOPPER)) {
                for (Launch launch : launches(opCase.build().graph(), gpu)) {
                    assertThat(fits(launch, gpu))
                            .as(opCase.name() + ": " + launch.kernel() + launch.grid())
                            .isTrue();
                }
            }
        }
    }

    private static boolean fits(Launch launch, Gpu gpu) {
        Dim3 grid = launch.grid();
        return Math.min(grid.x(), Math.min(grid.y(), grid.z())) > 0
                && Math.max(grid.y(), grid.z()) <= MOST_BLOCKS
                && launch.block().x() % 32 == 0
                && launch.block().x() <= 1024
                && launch.sharedBytes() <= gpu.sharedBytesPerBlock()
                && launch.isDependent();
    }

    private static List<Launch> launches(Graph graph, Gpu gpu) {
        try (PlacedGraph placed = PlacedGraph.apart(graph)) {
            LaunchList list = new LaunchList(gpu, KernelCatalog.standard());
            for (Step step : placed.steps()) {
                if (!step.result().shape().isEmpty()) {
                    kernel(step.op()).launch(step, list);
                }
            }
            return list.launches();
        }
    }

    private static List<String> kernels(Tensor result, Gpu gpu) {
        return launches(Graph.of(result), gpu).stream().map(Launch::kernel).toList();
    }

    private Tensor product(ElementType type, long depth, long rows, long columns) {
        return b.mulMat(b.tensor(type, depth, rows), b.tensor(ElementType.F32, depth, columns));
    }

    @Test
    void manyColumnsOfQuantisedWeightsAreMultipliedByTensorCores() {
        Tensor result = product(ElementType.Q5_1, 256, 512, 512);

        assertThat(kernels(result, PlacedGraph.HOPPER))
                .containsExactly("round_half_32", "to_half_q5_1", "gemm_sm90_64_f16");
        assertThat(kernels(result, AMPERE)).containsExactly("round_half_32", "to_half_q5_1", "gemm_small_f16");
    }

    @Test
    void weightsOfTwoBytesAreReadWhereTheyAre() {
        assertThat(kernels(product(ElementType.BF16, 256, 512, 64), AMPERE))
                .containsExactly("to_bfloat_f32", "gemm_small_bf16");
    }

    @Test
    void rowsThatAreNotWholeVectorsAreFilledUp() {
        assertThat(kernels(product(ElementType.F16, 100, 512, 64), AMPERE))
                .containsExactly("to_half_f32", "to_half_f16", "gemm_small_f16");
    }

    @Test
    void floatsStayFloats() {
        assertThat(kernels(product(ElementType.F32, 256, 512, 512), AMPERE)).containsExactly("sgemm");
    }

    @Test
    void fewColumnsOfPlainWeightsAreReadOnce() {
        assertThat(kernels(product(ElementType.F16, 256, 512, 3), AMPERE)).containsExactly("mul_mat_vec_4_f16");
        assertThat(kernels(product(ElementType.Q4_0, 256, 512, 3), AMPERE))
                .containsExactly("round_float_32", "mul_mat_columns_q4_0");
    }

    @Test
    void headsThatShareKeysAreColumnsOfOneProduct() {
        Tensor keys = b.tensor(ElementType.F16, 128, 300, 8);
        Tensor queries = b.tensor(ElementType.F32, 128, 1, 32);

        assertThat(kernels(b.mulMat(keys, queries), AMPERE)).containsExactly("mul_mat_vec_4_f16");
    }

    @Test
    void weightsAreDecodedInSlicesOfBoundedScratch() {
        long rows = 128256;
        Tensor result = product(ElementType.Q1_0, 4096, rows, 32);
        List<Launch> launches = launches(Graph.of(result), PlacedGraph.HOPPER);

        assertThat(launches.stream().filter(l -> l.kernel().equals("to_half_q1_0")))
                .hasSize(4)
                .allSatisfy(l -> assertThat(scratchOf(l)).isLessThanOrEqualTo(256L << 20));
    }

    private static long scratchOf(Launch launch) {
        return launch.arguments().stream()
                .filter(Launch.ScratchPointer.class::isInstance)
                .mapToLong(
                        argument -> ((Launch.ScratchPointer) argument).scratch().bytes())
                .sum();
    }

    @Test
    void manyTokensAreGroupedByExpertOnTheDevice() {
        Tensor experts = b.tensor(ElementType.Q4_0, 256, 128, 8);
        Tensor tokens = b.tensor(ElementType.F32, 256, 1, 256);
        Tensor result = b.mulMatId(experts, tokens, b.tensor(ElementType.I32, 2, 256));

        assertThat(kernels(result, PlacedGraph.HOPPER))
                .containsExactly("group_pairs", "round_half_32", "to_half_q4_0", "gemm_sm90_pairs_64_f16");
        assertThat(kernels(result, AMPERE))
                .containsExactly("group_pairs", "round_half_32", "to_half_q4_0", "gemm_pairs_small_f16");
    }

    @Test
    void fewTokensMeetSmallQuantizedMatricesWithoutFurtherRounding() {
        assertThat(kernels(product(ElementType.Q4_0, 256, 512, 128), PlacedGraph.HOPPER))
                .containsExactly("round_float_32", "mul_mat_columns_q4_0");
        Tensor experts = b.tensor(ElementType.Q6_K, 256, 128, 8);
        Tensor tokens = b.tensor(ElementType.F32, 256, 1, 64);
        assertThat(kernels(b.mulMatId(experts, tokens, b.tensor(ElementType.I32, 2, 64)), PlacedGraph.HOPPER))
                .containsExactly("round_float_256", "mul_mat_id_q6_k");
        assertThat(kernels(product(ElementType.Q4_0, 4096, 512, 64), PlacedGraph.HOPPER))
                .contains("to_half_q4_0");
    }

    @Test
    void tilesFillTheMultiprocessors() {
        assertThat(HopperTiles.of(PlacedGraph.HOPPER, 16, 28672)).isEqualTo(new HopperTiles(TileWidth.W256, 132));
        assertThat(HopperTiles.of(PlacedGraph.HOPPER, 4, 6144)).isEqualTo(new HopperTiles(TileWidth.W192, 128));
        assertThat(HopperTiles.of(PlacedGraph.HOPPER, 4, 4096)).isEqualTo(new HopperTiles(TileWidth.W128, 128));
    }

    @Test
    void integersAreRefusedWithTheReason() {
        Tensor result = b.mulMat(b.tensor(ElementType.I32, 32, 4), b.tensor(ElementType.F32, 32, 4));

        assertThat(kernel(Op.MUL_MAT).supports(result, AMPERE).reason())
                .isEqualTo("the first factor of MUL_MAT is for floats and weights, not i32");
    }
}
