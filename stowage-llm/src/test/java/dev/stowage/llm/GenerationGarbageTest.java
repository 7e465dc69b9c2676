package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.sampling.Sampler;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.llm.tokenizer.TokenStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Generating a token creates next to no garbage. */
class GenerationGarbageTest {

    private static final int MOST_PER_TOKEN = 1024;

    @Test
    void aTokenCostsLessThanAKibibyte() {
        ModelOptions options = ModelOptions.defaults().withContext(1024).withDevices(List.of(TestModels.cpu()));
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), options, LoadListener.NONE);
                Session session = model.newSession()) {
            Sampler sampler = new Sampler(SamplingOptions.defaults(), 2048);
            TokenStream stream = model.tokenizer().stream();
            Batch batch = new Batch();
            session.run(batch.add(0, 0, true));
            int letters = generate(session, sampler, stream, batch, 300);
            long before = Garbage.allocatedBytes();
            letters += generate(session, sampler, stream, batch, 150);
            long perToken = (Garbage.allocatedBytes() - before) / 150;
            assertThat(letters).isPositive();
            assertThat(perToken).isLessThan(MOST_PER_TOKEN);
        }
    }

    @Test
    void soDoesATokenThatTheDeviceChooses() {
        ModelOptions options = ModelOptions.defaults().withContext(1024).withDevices(List.of(TestModels.cpu()));
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), options, LoadListener.NONE);
                Session session = model.newSession()) {
            Batch batch = new Batch().greedy(true);
            session.run(batch.add(0, 0, true));
            generate(session, batch, 300);
            long before = Garbage.allocatedBytes();
            generate(session, batch, 150);
            assertThat((Garbage.allocatedBytes() - before) / 150).isLessThan(MOST_PER_TOKEN);
        }
    }

    private static void generate(Session session, Batch batch, int tokens) {
        for (int i = 0; i < tokens; i++) {
            session.run(batch.clear().add(session.token(0), 0, true));
        }
    }

    private static int generate(Session session, Sampler sampler, TokenStream stream, Batch batch, int tokens) {
        int letters = 0;
        for (int i = 0; i < tokens; i++) {
            int token = sampler.next(session.logits(0));
            letters += stream.next(token).length();
            session.run(batch.clear().add(token, 0, true));
        }
        return letters;
    }
}
