package dev.stowage.llm.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.TestModels;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.llm.tokenizer.EncodeOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The examples of the engine's documentation, which are taken from here. */
class EngineSnippetTest {

    private static List<String> texts(Path file, List<String> prompts) throws InterruptedException {
        List<String> texts = new ArrayList<>();
        // @start region="engine"
        ModelOptions memory = ModelOptions.defaults().withSequences(4).withContext(8192);
        try (LanguageModel model = LanguageModel.open(file, memory, LoadListener.NONE);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            List<Completion> running = new ArrayList<>();
            for (String prompt : prompts) {
                int[] tokens = model.tokenizer().encode(prompt, EncodeOptions.PROMPT);
                running.add(engine.submit(
                        CompletionRequest.builder(tokens).maxTokens(12).build()));
            }
            for (Completion completion : running) {
                texts.add(completion.await().text());
            }
        }
        // @end
        return texts;
    }

    @Test
    void severalTextsAreGeneratedAtOnce() throws InterruptedException {
        assertThat(texts(TestModels.lexicon(), List.of("harbor, n.", "tensor, n.")))
                .hasSize(2)
                .allMatch(text -> !text.isBlank());
    }

    private static CompletionRequest limited(int[] tokens) {
        // @start region="request"
        return CompletionRequest.builder(tokens)
                .maxTokens(64)
                .sampling(SamplingOptions.defaults().withTemperature(0.5f).withSeed(7))
                .stop(List.of("\n\n"))
                .timeLimit(Duration.ofMinutes(1))
                .build();
        // @end
    }

    private static String stream(Engine engine, CompletionRequest request, StringBuilder out)
            throws InterruptedException {
        // @start region="stream"
        Completion completion = engine.submit(request);
        for (Optional<CompletionPart> part = completion.next(); part.isPresent(); part = completion.next()) {
            out.append(part.get().text());
        }
        return completion.await().text(); // all of it again
        // @end
    }

    @Test
    void partsAddUpToTheText() throws InterruptedException {
        try (LanguageModel model = EngineModels.open(2, 256);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            StringBuilder parts = new StringBuilder();
            String text = stream(engine, limited(EngineModels.tokens(model, "harbor, n.")), parts);
            assertThat(parts.toString()).isEqualTo(text).isNotEmpty();
        }
    }
}
