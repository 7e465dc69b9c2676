package dev.stowage.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LayerMapTest {
    private static final Pattern IN_LAYER = Pattern.compile("(?:blk\\.|cache_[kv]_l)(\\d+).*|[A-Za-z_]+-(\\d+)");

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
        return model.layers().partOf(all.getFirst());
    }

    @Test
    void embeddingsComeBeforeTheLayersAndTheOutputAfterThem() {
        ModelGraph model = transformer("llama-3-8b");
        assertThat(model.layers().layers()).isEqualTo(32);
        assertThat(part(model, "token_embd.weight")).isEqualTo(LayerPlacement.INPUT);
        assertThat(part(model, "rope_freqs.weight")).isZero();
        assertThat(part(model, "blk.0.attn_norm.weight")).isZero();
        assertThat(part(model, "blk.31.ffn_down.weight")).isEqualTo(31);
        assertThat(part(model, "output_norm.weight")).isEqualTo(32);
        assertThat(part(model, "output.weight")).isEqualTo(32);
    }

    @Test
    void everyLayerHasTwoCaches() {
        ModelGraph model = transformer("llama-3-8b");
        for (int layer = 0; layer < 32; layer++) {
            int wanted = layer;
            assertThat(model.cache())
                    .filteredOn(cache -> model.layers().partOf(cache) == wanted)
                    .hasSize(2);
        }
    }

    /** Names carry the number of the layer for a reader, so they show whether the recorded layer is right. */
    @ParameterizedTest
    @ValueSource(strings = {"llama-3-1b", "qwen-3-8b", "mistral-7b", "small"})
    void whatIsRecordedAgreesWithTheNames(String name) {
        ModelGraph model = transformer(name);
        int named = 0;
        for (Tensor node : model.graph().nodes()) {
            Matcher layer = IN_LAYER.matcher(node.name());
            if (layer.matches()) {
                named++;
                String number = layer.group(1) == null ? layer.group(2) : layer.group(1);
                assertThat(model.layers().partOf(node)).as(node.name()).isEqualTo(Integer.parseInt(number));
            }
        }
        assertThat(named).isGreaterThan(5 * model.layers().layers());
    }

    @Test
    void nodesWithoutANameBelongToALayerToo() {
        ModelGraph model = transformer("llama-3-1b");
        List<Integer> parts =
                model.graph().nodes().stream().map(model.layers()::partOf).toList();
        assertThat(parts).isSorted().startsWith(LayerPlacement.INPUT).endsWith(16, 16, 16);
    }

    @Test
    void normsAreRecordedWithTheirLayerAndTheTokensThatGoThrough() {
        ModelGraph model = transformer("llama-3-1b");
        assertThat(model.layers().norms())
                .hasSize(2 * 16)
                .allSatisfy(norm -> assertThat(norm.tensor().name()).isEqualTo("norm-" + norm.layer()))
                .allSatisfy(norm -> assertThat(norm.tokens()).isEqualTo(4));
        assertThat(transformer("qwen-3-8b").layers().norms()).hasSize(4 * 36);
    }

    @Test
    void whatSeveralPartsReadIsATensorInEachOfThem() {
        ModelGraph model = TransformerGraph.ofPasses(
                        ModelShapes.transformer("llama-3-1b"),
                        TransformerOptions.ofTokens(4),
                        Map.of(),
                        List.of(new Pass(4, 64, 1)))
                .getFirst();
        assertThat(IntStream.range(0, 16))
                .allSatisfy(layer -> assertThat(part(model, "blk." + layer + ".rope_freqs.weight"))
                        .isEqualTo(layer));
        assertThat(part(model, "token_embd.weight")).isEqualTo(LayerPlacement.INPUT);
        assertThat(part(model, "output.weight")).isEqualTo(16);
    }

    @Test
    void blocksOfANetworkForImagesAreItsLayers() {
        ModelGraph model = resNet();
        assertThat(model.layers().layers()).isEqualTo(16);
        assertThat(part(model, "conv1.weight")).isZero();
        assertThat(part(model, "layer1.2.conv1.weight")).isEqualTo(2);
        assertThat(part(model, "layer2.0.downsample.weight")).isEqualTo(3);
        assertThat(part(model, "layer4.2.conv3.bias")).isEqualTo(15);
        assertThat(part(model, "fc.weight")).isEqualTo(16);
        assertThat(model.layers().norms()).isEmpty();
    }

    @Test
    void aTensorMadeBeforeTheModelBelongsToNoPart() {
        Tensor foreign = new GraphBuilder().input("x", ElementType.F32, 4);
        ModelGraph model = transformer("small");
        assertThatThrownBy(() -> model.layers().partOf(foreign))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("'x'");
    }
}
