package dev.stowage.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.InvalidGraphException;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelShapesTest {

    /** As the publishers state them; ResNet-50 has 25,557,032, and 26,560 batch-normed channels lose a number each. */
    @ParameterizedTest
    @CsvSource({
        "tinyllama-1.1b, 1100048384",
        "mixtral-8x7b, 46702792704",
        "llama-3-1b, 1235814400",
        "llama-3-8b, 8030261248",
        "llama-3-70b, 70553706496",
        "mistral-7b, 7248023552",
        "qwen-3-0.6b, 596049920",
        "qwen-3-8b, 8190735360",
        "resnet-50, 25530472",
        "gemma-2-2b, 2614341888",
        "gemma-2-9b, 9241705984",
        "gemma-3-270m, 268098176",
        "gemma-3-1b, 999885952",
        "gemma-3-4b, 3880099328",
        "gemma-3-12b, 11765788416",
        "phi-3-mini, 3821079552",
        "phi-4-mini, 3836021760",
        "phi-4, 14659507200",
        "smollm-3-3b, 3075098624",
        "olmo-2-7b, 7298617344",
        "granite-3-8b, 8170864640"
    })
    void parametersAreThoseThePublisherCounts(String name, long published) {
        assertThat(ModelShapes.named(name).parameters()).isEqualTo(published);
    }

    @ParameterizedTest
    @ValueSource(strings = {"llama-3-8b", "LLAMA-3-8B", "Llama-3-8b"})
    void namesAreFoundInUpperAndLowerCase(String name) {
        assertThat(ModelShapes.named(name).name()).isEqualTo("llama-3-8b");
        assertThat(ModelShapes.transformer(name)).isSameAs(ModelShapes.named(name));
    }

    @Test
    void anUnknownNameIsAnsweredWithAllThatAreKnown() {
        String[] known = ModelShapes.all().stream().map(ModelShape::name).toArray(String[]::new);
        assertThatThrownBy(() -> ModelShapes.named("gpt-9"))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("'gpt-9'")
                .hasMessageContainingAll(known);
    }

    @Test
    void aNetworkForImagesIsNotATransformer() {
        assertThatThrownBy(() -> ModelShapes.transformer("resnet-50"))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("'resnet-50'");
    }

    @Test
    void namesAreLowerCaseAndDiffer() {
        assertThat(ModelShapes.all().stream().map(ModelShape::name))
                .doesNotHaveDuplicates()
                .allSatisfy(name -> assertThat(name).isEqualTo(name.toLowerCase(Locale.ROOT)));
    }

    @Test
    void theFirstIsTheSmallOne() {
        assertThat(ModelShapes.all().getFirst().name()).isEqualTo("small");
    }

    @ParameterizedTest
    @MethodSource("dev.stowage.models.ModelShapes#all")
    void everyShapeIsDescribed(ModelShape shape) {
        assertThat(shape.description()).isNotBlank();
    }
}
