package dev.stowage.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResNetGraphTest {

    private static final ResNetShape RESNET_50 = (ResNetShape) ModelShapes.named("resnet-50");

    private static ModelGraph model(ResNetOptions options) {
        return ResNetGraph.of(RESNET_50, options);
    }

    private static Tensor tensor(ModelGraph model, String name) {
        return model.graph().find(name).orElseThrow(() -> new AssertionError("no tensor " + name));
    }

    @Test
    void weightsHoldAsManyNumbersAsTheModelHasParameters() {
        long elements = model(ResNetOptions.defaults()).weights().stream()
                .mapToLong(weight -> weight.shape().elements())
                .sum();
        assertThat(elements).isEqualTo(RESNET_50.parameters());
    }

    /** 16 blocks of 3 convolutions, 4 shortcuts with one, and the first of all. */
    @Test
    void thereAre53Convolutions() {
        assertThat(model(ResNetOptions.defaults()).graph().nodes().stream().filter(node -> node.op() == Op.IM2COL))
                .hasSize(16 * 3 + 4 + 1);
    }

    @ParameterizedTest
    @CsvSource({
        "conv1.relu, 112, 64",
        "maxpool, 56, 64",
        "layer1.2.relu, 56, 256",
        "layer2.3.relu, 28, 512",
        "layer3.5.relu, 14, 1024",
        "layer4.2.relu, 7, 2048",
        "avgpool, 1, 2048"
    })
    void imagesShrinkAndChannelsGrowFromStageToStage(String name, long size, long channels) {
        ModelGraph model = model(ResNetOptions.ofBatch(4));
        assertThat(tensor(model, name).shape()).isEqualTo(Shape.of(size, size, channels, 4));
    }

    @Test
    void thereIsALogitForEachClassAndImage() {
        Tensor logits = tensor(model(ResNetOptions.ofBatch(4)), "logits");
        assertThat(logits.shape()).isEqualTo(Shape.of(1000, 4));
        assertThat(logits.isOutput()).isTrue();
    }

    @Test
    void kernelsTooNarrowForBlocksAreF16() {
        ModelGraph model = model(ResNetOptions.defaults().withWeightType(ElementType.Q4_0));
        assertThat(tensor(model, "conv1.weight").type()).isEqualTo(ElementType.F16);
        assertThat(tensor(model, "fc.weight").type()).isEqualTo(ElementType.Q4_0);
        assertThat(tensor(model, "fc.bias").type()).isEqualTo(ElementType.F32);
    }

    @Test
    void thereIsNoCache() {
        ModelGraph model = model(ResNetOptions.defaults());
        assertThat(model.cache()).isEmpty();
        assertThat(model.cacheBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -3})
    void refusesLessThanOneImage(int batch) {
        assertThatThrownBy(() -> ResNetOptions.ofBatch(batch))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("at least 1 image, not " + batch);
    }

    @Test
    void refusesTypesWeightsDoNotComeIn() {
        ResNetOptions options = ResNetOptions.defaults();
        assertThatThrownBy(() -> options.withWeightType(ElementType.I32))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("weights cannot be i32");
    }

    @Test
    void refusesNetworksThatCannotBe() {
        assertThatThrownBy(() -> new ResNetShape("none", "", List.of(), 64, 1000, 224))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("'none'");
        assertThatThrownBy(() -> new ResNetShape("hollow", "", List.of(3, 0), 64, 1000, 224))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("'hollow'");
        assertThatThrownBy(() -> new ResNetShape("tiny", "", List.of(3, 4, 6, 3), 64, 1000, 16))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("32 pixels for 4 stages");
    }
}
