package dev.stowage.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.embedding.common.AbstractEmbeddingModelIT;
import dev.langchain4j.model.embedding.listener.EmbeddingModelListener;
import dev.stowage.llm.engine.Pooling;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The contract that LangChain4j has for models of embeddings. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EmbeddingContractTest extends AbstractEmbeddingModelIT {

    private final StowageEngine engine = Engines.open();

    @AfterAll
    void close() {
        engine.close();
    }

    @Override
    protected List<EmbeddingModel> models() {
        return List.of(
                StowageEmbeddingModel.builder().engine(engine).build(),
                StowageEmbeddingModel.builder()
                        .engine(engine)
                        .pooling(Pooling.LAST)
                        .build());
    }

    @Override
    protected EmbeddingModel modelWith(EmbeddingModelListener listener) {
        return StowageEmbeddingModel.builder()
                .engine(engine)
                .listeners(List.of(listener))
                .build();
    }

    @Override
    protected EmbeddingModel failingModelWith(EmbeddingModelListener listener) {
        StowageEngine closed = Engines.open();
        closed.close();
        return StowageEmbeddingModel.builder()
                .engine(closed)
                .listeners(List.of(listener))
                .build();
    }

    @Override
    protected boolean supportsInputTypeParameter() {
        return false;
    }

    @Override
    protected boolean supportsDimensionsParameter() {
        return false;
    }

    @Override
    protected boolean supportsImageInput() {
        return false;
    }

    @Override
    protected boolean supportsInterleavedInput() {
        return false;
    }

    @Test
    void vectorsHaveLengthOne() {
        float[] vector = models().getFirst().embed("harbor, n.").content().vector();
        double sum = 0;
        for (float each : vector) {
            sum += (double) each * each;
        }
        assertThat(sum).isBetween(0.999, 1.001);
    }
}
