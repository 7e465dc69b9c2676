package dev.stowage.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.tensor.RopeMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TransformerShapeTest {

    private static final RopeShape ROPE = new RopeShape(RopeMode.NORMAL, 10_000f, 2048, false);

    private static TransformerShape shape(
            int layers, int width, int heads, int kvHeads, int headSize, int feedForward, int vocabulary) {
        return new TransformerShape(
                "odd",
                "",
                layers,
                width,
                heads,
                kvHeads,
                headSize,
                feedForward,
                vocabulary,
                0f,
                ROPE,
                false,
                true,
                0,
                0);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 8, 4, 2, 2, 16, 100, 'layers must be above 0, not 0'",
        "1, -8, 4, 2, 2, 16, 100, 'width must be above 0, not -8'",
        "1, 8, 0, 2, 2, 16, 100, 'heads must be above 0, not 0'",
        "1, 8, 4, 0, 2, 16, 100, 'heads for keys and values must be above 0, not 0'",
        "1, 8, 4, 3, 2, 16, 100, '4 heads are not a multiple of the 3'",
        "1, 8, 4, 2, 3, 16, 100, 'head size 3 is odd'",
        "1, 8, 4, 2, 2, 0, 100, 'feed-forward length must be above 0, not 0'",
        "1, 8, 4, 2, 2, 16, 0, 'vocabulary must be above 0, not 0'"
    })
    void refusesNumbersNoModelHas(
            int layers,
            int width,
            int heads,
            int kvHeads,
            int headSize,
            int feedForward,
            int vocabulary,
            String message) {
        assertThatThrownBy(() -> shape(layers, width, heads, kvHeads, headSize, feedForward, vocabulary))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("'odd'")
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({"8, 0", "0, 2", "4, 5", "-1, -1"})
    void refusesChoicesOfExpertsThatCannotBe(int experts, int used) {
        TransformerShape dense = shape(1, 8, 4, 2, 2, 16, 100);
        assertThatThrownBy(() -> dense.withExperts(experts, used))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining(used + " of " + experts + " experts");
    }

    @Test
    void refusesToCountMoreParametersThanALongHolds() {
        int most = Integer.MAX_VALUE;
        TransformerShape vast = shape(most, most, 2, 1, 2, most, 1);
        assertThatThrownBy(vast::parameters)
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("more than a long can count");
    }

    @Test
    void anotherNumberOfLayersChangesNothingElse() {
        TransformerShape shape = ModelShapes.transformer("qwen-3-8b");
        assertThat(shape.withLayers(3).layers()).isEqualTo(3);
        assertThat(shape.withLayers(3).withLayers(shape.layers())).isEqualTo(shape);
    }

    @Test
    void expertsCanBeAddedAndTakenAway() {
        TransformerShape dense = ModelShapes.transformer("small");
        assertThat(dense.withExperts(8, 2).hasExperts()).isTrue();
        assertThat(dense.withExperts(8, 2).withExperts(0, 0)).isEqualTo(dense);
    }

    @Test
    void refusesARopeWithoutBaseOrContext() {
        assertThatThrownBy(() -> new RopeShape(RopeMode.NEOX, 0f, 2048, false))
                .isInstanceOf(InvalidGraphException.class);
        assertThatThrownBy(() -> new RopeShape(RopeMode.NEOX, 10_000f, 0, false))
                .isInstanceOf(InvalidGraphException.class);
    }
}
