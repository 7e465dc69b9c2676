package dev.stowage.cuda.op.attention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cuda.driver.Dim3;
import dev.stowage.cuda.kernel.KernelCatalog;
import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.PlacedGraph;
import dev.stowage.cuda.op.unit.QuantizedActivations;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.OpCase;
import dev.stowage.testkit.op.OpCases;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which kernels attention becomes. */
class AttentionFamilyTest {

    private static final Gpu AMPERE = new Gpu(80, 108, 163 << 10, 40L << 20);
    private static final Gpu ADA = new Gpu(89, 128, 99 << 10, 72L << 20);

    private static final int HEADS = 32;
    private static final int KV_HEADS = 8;

    static Stream<Gpu> gpus() {
        return Stream.of(PlacedGraph.HOPPER, AMPERE, ADA);
    }

    private static List<OpCase> cases() {
        return Stream.concat(
                        OpCases.of(Op.FLASH_ATTN_EXT).stream(), OpCases.random(Op.FLASH_ATTN_EXT, 11, 100).stream())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("gpus")
    void supportsEveryCase(Gpu gpu) {
        OpKernel kernel = kernel(AttentionFamily.kernels());
        for (OpCase opCase : cases()) {
            OpSupport support = kernel.supports(opCase.build().subject(Op.FLASH_ATTN_EXT), gpu);
            assertThat(support.isSupported())
                    .as(opCase.name() + ": " + support.reason())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("gpus")
    void launchesFitTheDevice(Gpu gpu) {
        for (OpCase opCase : cases()) {
            try (PlacedGraph placed = PlacedGraph.apart(opCase.build().graph())) {
                assertThat(launches(placed, gpu, AttentionFamily.kernels()))
                        .as(opCase.name())
                        .isNotEmpty()
                        .allMatch(launch -> fits(launch, gpu));
            }
        }
    }

    private static boolean fits(Launch launch, Gpu gpu) {
        Dim3 grid = launch.grid();
        return grid.x() > 0
                && grid.y() > 0
                && grid.z() > 0
                && grid.y() <= GridLimits.MOST_Z
                && grid.z() <= GridLimits.MOST_Z
                && launch.block().x() % 32 == 0
                && launch.sharedBytes() <= gpu.sharedBytesPerBlock()
                && launch.isDependent();
    }

    @Test
    void oneTokenIsSplitOverAllMultiprocessors() {
        List<Launch> launches = launches(1, 512, ElementType.BF16, PlacedGraph.HOPPER);

        assertThat(names(launches)).containsExactly("attention_decode_bf16_h128_r8", "attention_combine");
        assertThat(launches.getFirst().grid()).isEqualTo(new Dim3(KV_HEADS, 16, 1));
        assertThat(launches.getFirst().block()).isEqualTo(Dim3.of(64));
    }

    @Test
    void oneTokenIsOneLaunchOfClustersOnHopper() {
        List<Launch> launches = launches(1, 512, ElementType.F16, PlacedGraph.HOPPER);

        assertThat(names(launches)).containsExactly("attention_token_f16_h128");
        assertThat(launches.getFirst().clusterSize()).isEqualTo(8);
        assertThat(launches.getFirst().grid()).isEqualTo(new Dim3(KV_HEADS * 8, 1, 1));
        assertThat(launches.getFirst().block()).isEqualTo(Dim3.of(128));
    }

    @Test
    void aLongContextHasSeveralClustersForEachHead() {
        List<Launch> launches = launches(1, 8192, ElementType.F16, PlacedGraph.HOPPER);

        assertThat(names(launches)).containsExactly("attention_token_f16_h128", "attention_combine");
        assertThat(launches.getFirst().grid()).isEqualTo(new Dim3(KV_HEADS * 2 * 8, 1, 1));
        assertThat(launches.getFirst().clusterSize()).isEqualTo(2);
    }

    @Test
    void clustersOfOneContextRunAtOnce() {
        assertThat(clusters(16, 512)).isEqualTo(new Dim3(16 * 4, 1, 1));
        assertThat(clusters(16, 2048)).isEqualTo(new Dim3(16 * 2 * 4, 1, 1));
        assertThat(clusters(32, 2048)).isEqualTo(new Dim3(32 * 2 * 2, 1, 1));
        assertThat(clusters(64, 65536)).isEqualTo(new Dim3(64 * 2, 1, 1));
    }

    private static Dim3 clusters(int heads, int cells) {
        GraphBuilder b = new GraphBuilder();
        Tensor q = b.permute(b.input("q", ElementType.F32, 128, heads, 1), 0, 2, 1, 3);
        Tensor cache = b.permute(b.input("cache", ElementType.F16, 128, heads, cells), 0, 2, 1, 3);
        try (PlacedGraph placed = PlacedGraph.apart(b.build(b.flashAttention(q, cache, cache, null, 0.1f, 0, 0)))) {
            return launches(placed, PlacedGraph.HOPPER, AttentionFamily.kernels())
                    .getFirst()
                    .grid();
        }
    }

    @Test
    void aTokenIsPublishedForTheNextProduct() {
        assertThat(published(1, 512, ElementType.F16)).containsExactly("attention_token_f16_h128");
        assertThat(published(1, 8192, ElementType.F16))
                .containsExactly("attention_token_f16_h128", "attention_combine_published");
        assertThat(published(2, 512, ElementType.F16)).isEmpty();
        assertThat(published(1, 512, ElementType.Q8_0)).isEmpty();
    }

    @Test
    void aLongContextGivesEachWarpSeveralTiles() {
        List<Launch> launches = launches(1, 8192, ElementType.Q8_0, PlacedGraph.HOPPER);

        assertThat(names(launches)).containsExactly("attention_decode_q8_0_h128_r8", "attention_combine");
        assertThat(launches.getFirst().block()).isEqualTo(Dim3.of(256));
        assertThat(launches.getFirst().grid()).isEqualTo(new Dim3(KV_HEADS, 32, 1));
    }

    @Test
    void fewCellsAreNotSplit() {
        assertThat(names(launches(1, 16, ElementType.F16, AMPERE))).containsExactly("attention_decode_f16_h128_r8");
        assertThat(names(launches(1, 16, ElementType.F16, PlacedGraph.HOPPER)))
                .containsExactly("attention_token_f16_h128");
    }

    @Test
    void smallModelsAreRoundedAsPlainAttentionIs() {
        assertThat(names(small(40, 256, ElementType.F16))).containsExactly("attention_short_f16");
        assertThat(names(small(1, 1024, ElementType.F32))).containsExactly("attention_short_f32");
        assertThat(names(small(1, 2048, ElementType.F16)).getFirst()).isEqualTo("attention_token_f16_h64");
        assertThat(names(small(1, 256, ElementType.Q8_0)).getFirst()).isEqualTo("attention_decode_q8_0_h64_r8");
    }

    /** Eight heads of 64. */
    private static List<Launch> small(int tokens, int cells, ElementType type) {
        GraphBuilder b = new GraphBuilder();
        Tensor q = b.permute(b.input("q", ElementType.F32, 64, 8, tokens), 0, 2, 1, 3);
        Tensor cache = b.permute(b.input("cache", type, 64, 4, cells), 0, 2, 1, 3);
        Tensor mask = b.input("mask", ElementType.F16, cells, tokens);
        try (PlacedGraph placed = PlacedGraph.apart(b.build(b.flashAttention(q, cache, cache, mask, 0.1f, 0, 0)))) {
            return launches(placed, PlacedGraph.HOPPER, AttentionFamily.kernels());
        }
    }

    @Test
    void promptsUseTheBestInstructionsOfTheDevice() {
        assertThat(names(launches(256, 256, ElementType.F16, PlacedGraph.HOPPER)))
                .containsExactly("attention_classify_mask", "attention_sm90_f16_h128");
        assertThat(names(launches(256, 256, ElementType.F16, AMPERE)))
                .containsExactly("attention_classify_mask", "attention_mma_f16_h128");
        assertThat(names(launches(256, 256, ElementType.Q8_0, PlacedGraph.HOPPER)))
                .containsExactly("attention_classify_mask", "attention_mma_q8_0_h128");
    }

    @Test
    void tokensThatDoNotFillABlockAreComputedWithTheHeadsThatShareKeys() {
        List<Launch> launches = launches(16, 1024, ElementType.F16, PlacedGraph.HOPPER);

        assertThat(names(launches))
                .containsExactly("attention_classify_mask", "attention_mma_f16_h128", "attention_combine");
        assertThat(launches.get(1).grid()).isEqualTo(new Dim3(1, KV_HEADS, 4));
    }

    @Test
    void aMaskWithRowsThatTheCopyEngineDoesNotTakeIsReadByThreads() {
        assertThat(names(launches(256, 250, ElementType.F16, PlacedGraph.HOPPER)))
                .containsExactly("attention_classify_mask", "attention_mma_f16_h128");
    }

    @Test
    void otherTypesAreReadElementByElement() {
        assertThat(names(launches(1, 64, ElementType.Q4_0, PlacedGraph.HOPPER))).containsExactly("attention_any");
    }

    @Test
    void layersOfAProgramShareTheClassesOfTheirMask() {
        GraphBuilder b = new GraphBuilder();
        Tensor mask = b.input("mask", ElementType.F16, 256, 256);
        Tensor first = attention(b, mask, 256, 256, ElementType.F16);
        Tensor second = attention(b, mask, 256, 256, ElementType.F16);
        try (PlacedGraph placed = PlacedGraph.apart(b.build(b.add(first, second)))) {
            Map<Op, OpKernel> kernels = AttentionFamily.kernelsOfOneProgram();
            assertThat(names(launches(placed, PlacedGraph.HOPPER, kernels)))
                    .containsExactly("attention_classify_mask", "attention_sm90_f16_h128", "attention_sm90_f16_h128");
        }
    }

    @Test
    void refusesWhatItCannotRead() {
        GraphBuilder b = new GraphBuilder();
        Tensor cache = b.input("cache", ElementType.Q4_K, 256, 8, 1);
        Tensor node = b.flashAttention(b.input("q", ElementType.F32, 256, 1, 1), cache, cache, null, 1f, 0f, 0f);

        assertThat(kernel(AttentionFamily.kernels()).supports(node, PlacedGraph.HOPPER))
                .isEqualTo(OpSupport.no("attention cannot read a cache of q4_K"));
    }

    /** The launches of an attention that is published; none if it cannot be. */
    private static List<String> published(int tokens, int cells, ElementType type) {
        GraphBuilder b = new GraphBuilder();
        Tensor mask = b.input("mask", ElementType.F16, cells, tokens);
        LaunchList launches = new LaunchList(PlacedGraph.HOPPER, KernelCatalog.standard());
        try (PlacedGraph placed = PlacedGraph.apart(b.build(attention(b, mask, tokens, cells, type)))) {
            QuantizedActivations target = QuantizedActivations.allocate(launches, HEADS * 128L, 1);
            for (Step step : placed.steps()) {
                if (step.op() == Op.FLASH_ATTN_EXT) {
                    boolean isPublished = AttentionFamily.decodePublished(step, target, launches);
                    assertThat(launches.launches().isEmpty()).isEqualTo(!isPublished);
                }
            }
        }
        return names(launches.launches());
    }

    private static OpKernel kernel(Map<Op, OpKernel> kernels) {
        return kernels.getOrDefault(Op.FLASH_ATTN_EXT, new FlashAttention(MaskTiles::classify));
    }

    private static List<Launch> launches(int tokens, int cells, ElementType type, Gpu gpu) {
        GraphBuilder b = new GraphBuilder();
        Tensor mask = b.input("mask", ElementType.F16, cells, tokens);
        try (PlacedGraph placed = PlacedGraph.apart(b.build(attention(b, mask, tokens, cells, type)))) {
            return launches(placed, gpu, AttentionFamily.kernels());
        }
    }

    /** Heads of 128, stored as a cache has them: all heads of a cell together. */
    private static Tensor attention(GraphBuilder b, Tensor mask, int tokens, int cells, ElementType type) {
        Tensor q = b.permute(b.input("q", ElementType.F32, 128, HEADS, tokens), 0, 2, 1, 3);
        Tensor k = b.permute(b.input("k", type, 128, KV_HEADS, cells), 0, 2, 1, 3);
        Tensor v = b.permute(b.input("v", type, 128, KV_HEADS, cells), 0, 2, 1, 3);
        return b.flashAttention(q, k, v, mask, 0.1f, 0f, 0f);
    }

    private static List<Launch> launches(PlacedGraph placed, Gpu gpu, Map<Op, OpKernel> kernels) {
        LaunchList launches = new LaunchList(gpu, KernelCatalog.standard());
        for (Step step : placed.steps()) {
            if (step.op() == Op.FLASH_ATTN_EXT && !step.result().shape().isEmpty()) {
                kernel(kernels).launch(step, launches);
            }
        }
        return launches.launches();
    }

    private static List<String> names(List<Launch> launches) {
        return launches.stream().map(Launch::kernel).toList();
    }
}
