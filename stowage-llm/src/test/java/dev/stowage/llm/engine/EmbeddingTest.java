package dev.stowage.llm.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.llm.Batch;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.Session;
import dev.stowage.llm.sampling.SamplingOptions;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Vectors of texts, while other texts are generated. */
@Timeout(300)
class EmbeddingTest {

    private static final Offset<Float> ROUNDING = within(2e-3f);

    /** The vector by a session of its own. */
    private static float[] alone(LanguageModel model, int[] tokens, Pooling pooling) {
        double[] sum = new double[model.blueprint().shape().width()];
        try (Session session = model.newSession()) {
            for (int i = 0; i < tokens.length; i++) {
                session.run(new Batch().add(tokens[i], 0, true).states());
                boolean counts = pooling == Pooling.MEAN || i == (pooling == Pooling.CLS ? 0 : tokens.length - 1);
                for (int j = 0; j < sum.length && counts; j++) {
                    sum[j] += session.state(0)[j];
                }
            }
        }
        double squares = 0;
        for (double each : sum) {
            squares += each * each;
        }
        float[] vector = new float[sum.length];
        for (int j = 0; j < sum.length; j++) {
            vector[j] = (float) (sum[j] / Math.sqrt(squares));
        }
        return vector;
    }

    @ParameterizedTest
    @EnumSource
    void aVectorIsMadeOfTheStatesOfItsTokens(Pooling pooling) throws InterruptedException {
        try (LanguageModel model = EngineModels.open(2, 256);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            // Longer than a batch.
            int[] tokens = EngineModels.longPrompt(100, 1);
            Completion beside = engine.submit(CompletionRequest.builder(EngineModels.longPrompt(9, 2))
                    .sampling(SamplingOptions.greedy())
                    .ignoresEnd(true)
                    .maxTokens(40)
                    .build());
            float[] vector = engine.embed(tokens, pooling);
            assertThat(vector).containsExactly(alone(model, tokens, pooling), ROUNDING);
            assertThat(beside.await().tokens()).hasSize(40);
        }
    }

    @Test
    void aVectorThatCannotBeMadeIsRefused() {
        LanguageModel model = EngineModels.open(1, 64);
        try (model) {
            Engine engine = new Engine(model, EngineOptions.defaults());
            assertThatThrownBy(() -> engine.embed(new int[0], Pooling.MEAN))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("no tokens");
            engine.close();
            assertThatThrownBy(() -> engine.embed(new int[] {5}, Pooling.MEAN)).isInstanceOf(ClosedException.class);
        }
    }
}
