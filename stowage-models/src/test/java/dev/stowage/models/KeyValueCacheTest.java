package dev.stowage.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyValueCacheTest {

    @ParameterizedTest
    @CsvSource({"small, 4096", "llama-3-8b, 4096", "llama-3-8b, 777", "qwen-3-0.6b, 131072"})
    void aCellHoldsAKeyAndAValueForEachLayer(String name, int context) {
        TransformerShape shape = ModelShapes.transformer(name);
        ModelGraph model =
                TransformerGraph.of(shape, TransformerOptions.ofTokens(1).withContext(context));
        long numbersPerCell = 2L * shape.layers() * shape.kvHeads() * shape.headSize();
        assertThat(model.cacheBytes()).isEqualTo(numbersPerCell * Short.BYTES * context);
    }

    @Test
    void aQuantisedCacheTakesTheBytesOfItsBlocks() {
        TransformerShape shape = ModelShapes.transformer("llama-3-8b");
        ModelGraph model = TransformerGraph.of(
                shape, TransformerOptions.defaults().withFlash(true).withCacheType(ElementType.Q8_0));
        long numbers = 2L * shape.layers() * shape.kvHeads() * shape.headSize() * TransformerOptions.DEFAULT_CONTEXT;
        assertThat(model.cacheBytes()).isEqualTo(numbers / 32 * 34);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyCacheHasMemoryOfItsOwnAndIsReadByTheGraph(boolean flash) {
        ModelGraph model = TransformerGraph.of(
                ModelShapes.transformer("small"), TransformerOptions.defaults().withFlash(flash));
        assertThat(model.cache()).hasSize(2 * 4).allSatisfy(cache -> {
            assertThat(cache.isPlaced()).isTrue();
            assertThat(model.graph().contains(cache)).isTrue();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keysAndValuesAreStoredBeforeAnyCellIsRead(boolean flash) {
        ModelGraph model = TransformerGraph.of(
                ModelShapes.transformer("small"), TransformerOptions.defaults().withFlash(flash));
        Graph graph = model.graph();
        for (Tensor cache : model.cache()) {
            Tensor first = graph.nodes().stream()
                    .filter(node -> node.isView() && node.viewSource() == cache && node.op() != Op.RESHAPE)
                    .findFirst()
                    .orElseThrow();
            assertThat(first.op()).as(cache.name()).isEqualTo(Op.SET_ROWS);
        }
    }

    @Test
    void refusesTypesWhoseBlocksDoNotFitAHead() {
        TransformerShape shape = new TransformerShape(
                "narrow",
                "",
                1,
                64,
                4,
                2,
                16,
                128,
                100,
                0f,
                new RopeShape(RopeMode.NORMAL, 10_000f, 64, false),
                false,
                true,
                0,
                0);
        TransformerOptions options =
                TransformerOptions.ofTokens(1).withFlash(true).withCacheType(ElementType.Q4_0);
        assertThatThrownBy(() -> TransformerGraph.of(shape, options))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("narrow")
                .hasMessageContaining("heads of 16 elements are not a whole number of blocks of 32");
    }
}
