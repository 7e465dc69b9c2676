package dev.stowage.llm.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.TestModels;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An engine over an embedding model. */
@Timeout(300)
class EncoderEngineTest {

    private static LanguageModel open(String name) {
        ModelOptions options = ModelOptions.defaults().withSequences(4).withDevices(List.of(TestModels.cpu()));
        return LanguageModel.open(TestModels.file("encoders/" + name), options, LoadListener.NONE);
    }

    private static int[] text(int length, int seed) {
        return IntStream.range(0, length)
                .map(i -> i == 0 ? 2 : 5 + (i * 37 + seed * 11) % 300)
                .toArray();
    }

    @Test
    void manyTextsAtOnceGetTheVectorsTheyGetAlone() throws Exception {
        try (LanguageModel model = open("tiny-bert-mean");
                Engine engine = new Engine(model, EngineOptions.defaults());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<float[]>> together = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                int[] text = text(10 + 3 * i % 100, i);
                together.add(threads.submit(() -> engine.embed(text)));
            }
            for (int i = 0; i < together.size(); i++) {
                float[] alone = engine.embed(text(10 + 3 * i % 100, i), Pooling.MEAN);
                assertThat(together.get(i).get()).containsExactly(alone, within(1e-4f));
            }
        }
    }

    @Test
    void theFileSaysHowVectorsAreMade() throws InterruptedException {
        try (LanguageModel model = open("tiny-bert");
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            assertThat(engine.pooling()).isEqualTo(Pooling.CLS);
            assertThat(engine.embed(text(9, 1))).containsExactly(engine.embed(text(9, 1), Pooling.CLS));
            assertThat(engine.embed(text(9, 1))).isNotEqualTo(engine.embed(text(9, 1), Pooling.MEAN));
        }
    }

    @Test
    void aTextThatIsTooLongIsRefusedWithNumbers() {
        try (LanguageModel model = open("tiny-bert");
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            assertThatThrownBy(() -> engine.embed(text(129, 1)))
                    .isInstanceOf(AllocationException.class)
                    .hasMessageContaining("129 tokens")
                    .hasMessageContaining("at most 128");
        }
    }

    @Test
    void requestsForTextAreRefused() {
        try (LanguageModel model = open("tiny-bert");
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            CompletionRequest request =
                    CompletionRequest.builder(text(5, 1)).maxTokens(3).build();
            assertThatThrownBy(() -> engine.submit(request))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("is an embedding model, of the architecture bert");
        }
    }
}
