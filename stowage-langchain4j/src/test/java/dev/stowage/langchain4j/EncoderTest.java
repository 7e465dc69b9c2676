package dev.stowage.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.model.embedding.EmbeddingModel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** An embedding model of BERT's kind behind LangChain4j's interface. */
class EncoderTest {

    private static final Path FILE =
            Path.of("../stowage-llm/src/test/resources/dev/stowage/llm/encoders/tiny-nomic-bert.gguf");

    @Test
    void itMakesVectorsAndRefusesTextsThatAreTooLong() {
        try (StowageEngine engine = StowageEngine.builder(FILE).build()) {
            EmbeddingModel model =
                    StowageEmbeddingModel.builder().engine(engine).build();
            assertThat(model.dimension()).isEqualTo(64);
            float[] one = model.embed("the harbour").content().vector();
            assertThat(one)
                    .hasSize(64)
                    .isEqualTo(model.embed("the harbour").content().vector());
            assertThat(one).isNotEqualTo(model.embed("the rain").content().vector());
            assertThatThrownBy(() -> model.embed("z ".repeat(300)))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("302 tokens")
                    .hasMessageContaining("at most 192");
        }
    }
}
