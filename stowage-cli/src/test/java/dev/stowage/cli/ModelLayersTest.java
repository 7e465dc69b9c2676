package dev.stowage.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.ModelLayers.Foreign;
import dev.stowage.models.ModelGraph;
import dev.stowage.models.ModelShapes;
import dev.stowage.models.ResNetGraph;
import dev.stowage.models.ResNetOptions;
import dev.stowage.models.ResNetShape;
import dev.stowage.models.TransformerGraph;
import dev.stowage.models.TransformerOptions;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

class ModelLayersTest {
    private static ModelGraph transformer(String name) {
        return TransformerGraph.of(ModelShapes.transformer(name), TransformerOptions.ofTokens(4));
    }

    private static ModelGraph resNet() {
        return ResNetGraph.of((ResNetShape) ModelShapes.named("resnet-50"), new ResNetOptions(1, ElementType.F16));
    }

    private static int part(ModelGraph model, String name) {
        List<Tensor> all = model.weights().stream()
                .filter(tensor -> tensor.name().equals(name))
                .toList();
        assertThat(all).as(name).hasSize(1);
        return ModelLayers.of(model).partOf(all.getFirst());
    }

    @Test
    void embeddingsComeBeforeTheLayersAndTheOutputAfterThem() {
        ModelGraph model = transformer("llama-3-8b");
        assertThat(ModelLayers.of(model).count()).isEqualTo(32);
        assertThat(part(model, "token_embd.weight")).isEqualTo(ModelLayers.INPUT);
        assertThat(part(model, "blk.0.attn_norm.weight")).isZero();
        assertThat(part(model, "blk.31.ffn_down.weight")).isEqualTo(31);
        assertThat(part(model, "output_norm.weight")).isEqualTo(32);
        assertThat(part(model, "output.weight")).isEqualTo(32);
    }

    @Test
    void everyLayerHasTwoCaches() {
        ModelGraph model = transformer("llama-3-8b");
        ModelLayers layers = ModelLayers.of(model);
        for (int layer = 0; layer < 32; layer++) {
            int wanted = layer;
            assertThat(model.cache())
                    .filteredOn(cache -> layers.partOf(cache) == wanted)
                    .hasSize(2);
        }
    }

    @Test
    void ropeFactorsAreReadTwiceInEveryLayerButTheirOwn() {
        List<Foreign> foreign = ModelLayers.of(transformer("llama-3-8b")).foreign();
        assertThat(foreign)
                .hasSize(2 * 31)
                .allMatch(read -> read.weight().name().equals("rope_freqs.weight"));
        assertThat(foreign.stream().map(Foreign::part).distinct()).hasSize(31).doesNotContain(0);
    }

    @Test
    void tiedEmbeddingsAreReadInTheOutput() {
        assertThat(ModelLayers.of(transformer("small")).foreign())
                .singleElement()
                .satisfies(read -> {
                    assertThat(read.weight().name()).isEqualTo("token_embd.weight");
                    assertThat(read.part()).isEqualTo(4);
                });
    }

    @Test
    void blocksOfANetworkForImagesAreItsLayers() {
        ModelGraph model = resNet();
        assertThat(ModelLayers.of(model).count()).isEqualTo(16);
        assertThat(part(model, "conv1.weight")).isZero();
        assertThat(part(model, "layer1.2.conv1.weight")).isEqualTo(2);
        assertThat(part(model, "layer2.0.downsample.weight")).isEqualTo(3);
        assertThat(part(model, "layer4.2.conv3.bias")).isEqualTo(15);
        assertThat(part(model, "fc.weight")).isEqualTo(16);
        assertThat(ModelLayers.of(model).foreign()).isEmpty();
    }
}
