package dev.stowage.models;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TransformerWeightsTest {

    private static List<TransformerShape> shapes() {
        TransformerShape small = ModelShapes.transformer("small");
        return List.of(
                small,
                ModelShapes.transformer("llama-3-1b"),
                ModelShapes.transformer("llama-3-8b"),
                ModelShapes.transformer("qwen-3-0.6b"),
                ModelShapes.transformer("qwen-3-8b"),
                small.withExperts(8, 2));
    }

    private static List<Tensor> weights(TransformerShape shape, ElementType type) {
        return TransformerGraph.of(shape, TransformerOptions.ofTokens(1).withWeightType(type))
                .weights();
    }

    private static Tensor named(List<Tensor> weights, String name) {
        return weights.stream()
                .filter(weight -> weight.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Counted matrix by matrix as the model cards describe them, not as the weights are built. */
    private static long counted(TransformerShape s) {
        long d = s.width();
        long q = (long) s.heads() * s.headSize();
        long kv = (long) s.kvHeads() * s.headSize();
        long attention = d * q + d * kv + d * kv + q * d;
        long network = d * s.feedForward() * 3;
        long networks = s.experts() == 0 ? network : s.experts() * network + d * s.experts();
        long norms = d + d + (s.qkNorm() ? s.headSize() + s.headSize() : 0);
        long vocabulary = (s.tiedEmbeddings() ? 1L : 2L) * s.vocabulary() * d;
        return vocabulary + d + s.layers() * (attention + networks + norms);
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void weightsHoldAsManyNumbersAsTheModelHasParameters(TransformerShape shape) {
        long elements = weights(shape, ElementType.F16).stream()
                // Follows from the hyper-parameters and does not count.
                .filter(weight -> !weight.name().equals("rope_freqs.weight"))
                .mapToLong(weight -> weight.shape().elements())
                .sum();
        assertThat(elements).isEqualTo(counted(shape)).isEqualTo(shape.parameters());
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void everyWeightHasAPlaceAndANameOfItsOwn(TransformerShape shape) {
        List<Tensor> weights = weights(shape, ElementType.F16);
        assertThat(weights).allSatisfy(weight -> {
            assertThat(weight.isWeight()).isTrue();
            assertThat(weight.isPlaced()).isTrue();
        });
        assertThat(weights.stream().map(Tensor::name)).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void everyWeightIsReadByTheGraph(TransformerShape shape) {
        ModelGraph model = TransformerGraph.of(shape, TransformerOptions.ofTokens(1));
        assertThat(model.weights()).allMatch(model.graph()::contains);
    }

    @Test
    void matricesHaveTheTypeAskedForAndNormsAreF32() {
        List<Tensor> weights = weights(ModelShapes.transformer("qwen-3-0.6b"), ElementType.Q4_K);
        assertThat(weights)
                .allSatisfy(weight -> assertThat(weight.type())
                        .as(weight.name())
                        .isEqualTo(weight.shape().isVector() ? ElementType.F32 : ElementType.Q4_K));
    }

    @Test
    void matricesWhoseRowsAreNotAWholeNumberOfBlocksAreF16() {
        TransformerShape small = ModelShapes.transformer("small");
        TransformerShape odd = new TransformerShape(
                "odd",
                "",
                1,
                small.width(),
                small.heads(),
                small.kvHeads(),
                small.headSize(),
                small.feedForward() + 128,
                small.vocabulary(),
                small.normEpsilon(),
                small.rope(),
                false,
                true,
                0,
                0);
        List<Tensor> weights = weights(odd, ElementType.Q6_K);
        assertThat(named(weights, "blk.0.ffn_down.weight").type()).isEqualTo(ElementType.F16);
        assertThat(named(weights, "blk.0.ffn_up.weight").type()).isEqualTo(ElementType.Q6_K);
    }

    @Test
    void theMatrixThatChoosesExpertsIsF32() {
        TransformerShape shape = ModelShapes.transformer("small").withExperts(4, 2);
        assertThat(named(weights(shape, ElementType.Q8_0), "blk.0.ffn_gate_inp.weight")
                        .type())
                .isEqualTo(ElementType.F32);
    }

    @Test
    void tiedEmbeddingsAreReadAtBothEnds() {
        ModelGraph model = TransformerGraph.of(ModelShapes.transformer("llama-3-1b"), TransformerOptions.ofTokens(1));
        Tensor logits = model.graph().find("result_output").orElseThrow();
        assertThat(logits.source(0)).isSameAs(named(model.weights(), "token_embd.weight"));
    }

    @Test
    void bytesAreThoseOfTheTypes() {
        TransformerShape shape = ModelShapes.transformer("small");
        long vectors = (2L * shape.layers() + 1) * shape.width();
        long matrices = shape.parameters() - vectors;
        ModelGraph model =
                TransformerGraph.of(shape, TransformerOptions.ofTokens(1).withWeightType(ElementType.Q8_0));
        assertThat(model.weightBytes()).isEqualTo(vectors * Float.BYTES + matrices / 32 * 34);
    }
}
