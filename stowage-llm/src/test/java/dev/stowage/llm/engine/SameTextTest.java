package dev.stowage.llm.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.GenerationOptions;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.Session;
import dev.stowage.llm.TokenListener;
import dev.stowage.llm.sampling.SamplingOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The text of a request is the same whatever else runs, and that of a session of its own: to the bit on a device that adds
 * in the same order however many tokens go through it at once.
 */
class SameTextTest {

    private static final List<String> PROMPTS = List.of(
            "harbor, n.",
            "tensor, n. a",
            "graceful, adj.",
            "harbor, n. a place where",
            "very",
            "ship, n. a large vessel, and then some more words so that it takes two passes to read all of this prompt");

    private static CompletionRequest request(LanguageModel model, int number, int maxTokens) {
        return CompletionRequest.builder(EngineModels.tokens(model, PROMPTS.get(number)))
                .sampling(sampling(number))
                .maxTokens(maxTokens)
                .build();
    }

    private static SamplingOptions sampling(int number) {
        return SamplingOptions.defaults()
                .withTemperature(number == 0 ? 0 : 1.2f)
                .withSeed(number);
    }

    private static List<String> alone(LanguageModel model, int maxTokens) {
        List<String> texts = new ArrayList<>();
        for (int number = 0; number < PROMPTS.size(); number++) {
            try (Session session = model.newSession()) {
                GenerationOptions options =
                        GenerationOptions.defaults().withMaxTokens(maxTokens).withSampling(sampling(number));
                texts.add(model.generate(
                                session, EngineModels.tokens(model, PROMPTS.get(number)), options, TokenListener.NONE)
                        .text());
            }
        }
        return texts;
    }

    @Test
    void aTextIsTheSameWhateverRunsBesideIt() throws InterruptedException {
        int maxTokens = 10;
        try (LanguageModel model = EngineModels.open(EngineModels.reference(), 3, 192);
                Engine engine = new Engine(model, new EngineOptions(100, 5))) {
            List<String> expected = alone(model, maxTokens);
            for (int seed = 0; seed < 3; seed++) {
                List<Integer> order = new ArrayList<>();
                for (int number = 0; number < 2 * PROMPTS.size(); number++) {
                    order.add(number % PROMPTS.size());
                }
                Collections.shuffle(order, new Random(seed));
                List<Completion> completions = order.stream()
                        .map(number -> engine.submit(request(model, number, maxTokens)))
                        .toList();
                for (int i = 0; i < order.size(); i++) {
                    assertThat(completions.get(i).await().text())
                            .as("seed %d, %s", seed, PROMPTS.get(order.get(i)))
                            .isEqualTo(expected.get(order.get(i)));
                }
            }
        }
    }
}
