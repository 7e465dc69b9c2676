package dev.stowage.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransformerGraphTest {

    private static final TransformerShape SMALL = ModelShapes.transformer("small");
    private static final TransformerOptions PLAIN = TransformerOptions.defaults();
    private static final TransformerOptions FLASH = PLAIN.withFlash(true);

    private static Stream<Arguments> runs() {
        List<TransformerShape> shapes = List.of(
                SMALL,
                ModelShapes.transformer("llama-3-1b"),
                ModelShapes.transformer("qwen-3-0.6b"),
                SMALL.withExperts(4, 2),
                SMALL.withExperts(4, 1));
        return shapes.stream()
                .flatMap(shape -> Stream.of(
                                PLAIN,
                                FLASH,
                                FLASH.withCacheType(ElementType.F32),
                                FLASH.withCacheType(ElementType.Q8_0))
                        .map(options -> Arguments.of(shape, options)));
    }

    private static Graph graph(TransformerShape shape, TransformerOptions options) {
        return TransformerGraph.of(shape, options).graph();
    }

    private static Tensor tensor(Graph graph, String name) {
        return graph.find(name).orElseThrow(() -> new AssertionError("no tensor " + name));
    }

    private static long count(Graph graph, Op op) {
        return graph.nodes().stream().filter(node -> node.op() == op).count();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void everyLayerHasTheSameNumberOfNodesAndLeaves(TransformerShape shape, TransformerOptions options) {
        Graph one = graph(shape.withLayers(1), options);
        Graph two = graph(shape.withLayers(2), options);
        Graph nine = graph(shape.withLayers(9), options);
        int nodesPerLayer = two.nodeCount() - one.nodeCount();
        int leavesPerLayer = two.leafCount() - one.leafCount();
        assertThat(nine.nodeCount()).isEqualTo(one.nodeCount() + 8 * nodesPerLayer);
        assertThat(nine.leafCount()).isEqualTo(one.leafCount() + 8 * leavesPerLayer);
    }

    @ParameterizedTest
    @MethodSource("runs")
    void oneTokenTakesTheSameNodesAsMany(TransformerShape shape, TransformerOptions options) {
        TransformerOptions single = new TransformerOptions(
                1, options.context(), 1, options.flash(), options.weightType(), options.cacheType());
        List<Op> ops = graph(shape, options).nodes().stream().map(Tensor::op).toList();
        assertThat(graph(shape, single).nodes().stream().map(Tensor::op)).containsExactlyElementsOf(ops);
    }

    @ParameterizedTest
    @MethodSource("runs")
    void theLogitsAreTheLastNodeAndAnOutput(TransformerShape shape, TransformerOptions options) {
        Graph graph = graph(shape, options.withOutputs(3));
        Tensor logits = graph.node(graph.nodeCount() - 1);
        assertThat(logits.name()).isEqualTo("result_output");
        assertThat(logits.isOutput()).isTrue();
        assertThat(logits.shape()).isEqualTo(Shape.of(shape.vocabulary(), 3));
    }

    /** Counted by hand from the order of llama.cpp: 36 in each layer, 2 to pick the outputs, 4 around the layers. */
    @Test
    void aLayerOfLlamaHas36Nodes() {
        assertThat(graph(ModelShapes.transformer("llama-3-8b"), PLAIN).nodeCount())
                .isEqualTo(32 * 36 + 2 + 4);
    }

    /** Two norms of two nodes each on top of Llama's. */
    @Test
    void aLayerOfQwenHas40Nodes() {
        assertThat(graph(ModelShapes.transformer("qwen-3-8b"), PLAIN).nodeCount())
                .isEqualTo(36 * 40 + 2 + 4);
    }

    @Test
    void inputsAreMarkedAndShapedForTheTokensAndCells() {
        Graph graph = graph(SMALL, PLAIN);
        List<Tensor> inputs = graph.leaves().stream().filter(Tensor::isInput).toList();
        assertThat(inputs.stream().map(Tensor::name))
                .containsExactlyInAnyOrder(
                        "inp_tokens",
                        "inp_embd",
                        "inp_pos",
                        "attn_inp_k_idxs",
                        "attn_inp_v_idxs",
                        "attn_inp_kq_mask",
                        "out_ids");
        assertThat(tensor(graph, "attn_inp_kq_mask").shape()).isEqualTo(Shape.of(4096, 512));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"attn_norm", "Qcur", "Kcur", "Vcur", "kq_soft_max", "kqv_out", "ffn_inp", "ffn_out", "l_out"})
    void tensorsOfALayerAreNamedAfterIt(String name) {
        Graph graph = graph(SMALL, PLAIN);
        assertThat(graph.find(name + "-0")).isPresent();
        assertThat(graph.find(name + "-3")).isPresent();
        assertThat(graph.find(name + "-4")).isEmpty();
    }

    @Test
    void onlyTheWantedOutputsGoThroughTheLastNetwork() {
        Graph graph = graph(SMALL, PLAIN.withOutputs(2));
        assertThat(tensor(graph, "ffn_up-2").dim(1)).isEqualTo(512);
        assertThat(tensor(graph, "ffn_up-3").dim(1)).isEqualTo(2);
    }

    @Test
    void plainAttentionHasAMatrixOfScoresInEachLayer() {
        Graph graph = graph(SMALL, PLAIN);
        assertThat(tensor(graph, "kq-0").shape()).isEqualTo(Shape.of(4096, 512, SMALL.heads()));
        assertThat(count(graph, Op.SOFT_MAX)).isEqualTo(SMALL.layers());
        assertThat(count(graph, Op.FLASH_ATTN_EXT)).isZero();
    }

    @Test
    void flashAttentionHasNone() {
        Graph graph = graph(SMALL, FLASH);
        assertThat(count(graph, Op.SOFT_MAX)).isZero();
        assertThat(count(graph, Op.FLASH_ATTN_EXT)).isEqualTo(SMALL.layers());
        assertThat(tensor(graph, "attn_inp_kq_mask").type()).isEqualTo(ElementType.F16);
    }

    @Test
    void anF32CacheIsBroughtDownForFlashAttention() {
        Graph graph = graph(SMALL, FLASH.withCacheType(ElementType.F32));
        assertThat(count(graph, Op.CPY)).isEqualTo(2L * SMALL.layers());
        assertThat(count(graph(SMALL, FLASH), Op.CPY)).isZero();
    }

    @Test
    void whatIsQuantisedIsTurnedBeforeAndBackAfter() {
        TransformerShape shape = ModelShapes.transformer("llama-3-8b").withLayers(1);
        Graph graph = graph(shape, FLASH.withCacheType(ElementType.Q8_0));
        assertThat(tensor(graph, "attn_inp_k_rot").shape()).isEqualTo(Shape.of(128, 128));
        assertThat(tensor(graph, "attn_inp_v_rot").shape()).isEqualTo(Shape.of(64, 64));
        long turned = graph.nodes().stream()
                .filter(node -> node.op() == Op.MUL_MAT && node.source(0).name().startsWith("attn_inp_"))
                .count();
        // queries, keys and values, and what attention makes of the values
        assertThat(turned).isEqualTo(4);
    }

    @Test
    void headsOfQwenAreNormedOneByOne() {
        Graph graph = graph(ModelShapes.transformer("qwen-3-0.6b"), PLAIN);
        assertThat(tensor(graph, "Qcur_normed-0").shape()).isEqualTo(Shape.of(128, 16, 512));
        assertThat(tensor(graph, "Kcur_normed-0").shape()).isEqualTo(Shape.of(128, 8, 512));
    }

    @Test
    void frequencyFactorsReachEveryRope() {
        ModelGraph model = TransformerGraph.of(ModelShapes.transformer("llama-3-1b"), PLAIN);
        Tensor factors = tensor(model.graph(), "rope_freqs.weight");
        assertThat(model.graph().nodes().stream().filter(node -> node.op() == Op.ROPE))
                .hasSize(2 * 16)
                .allSatisfy(rope -> assertThat(rope.source(2)).isSameAs(factors));
    }

    @Test
    void tokensGoThroughTheExpertsTheyChoose() {
        Graph graph = graph(SMALL.withExperts(8, 2), PLAIN);
        assertThat(tensor(graph, "ffn_moe_topk-0").shape()).isEqualTo(Shape.of(2, 512));
        assertThat(tensor(graph, "ffn_moe_down-0").shape()).isEqualTo(Shape.of(SMALL.width(), 2, 512));
        assertThat(tensor(graph, "ffn_moe_out-0").shape()).isEqualTo(Shape.of(SMALL.width(), 512));
        assertThat(count(graph, Op.MUL_MAT_ID)).isEqualTo(3L * SMALL.layers());
    }

    @Test
    void refusesTensorsTooLargeToCount() {
        TransformerOptions options = TransformerOptions.ofTokens(Integer.MAX_VALUE);
        assertThatThrownBy(() -> TransformerGraph.of(ModelShapes.transformer("llama-3-70b"), options))
                .isInstanceOf(InvalidTensorException.class);
    }
}
