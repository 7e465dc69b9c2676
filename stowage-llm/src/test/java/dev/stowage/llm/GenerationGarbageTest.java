package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.sampling.Sampler;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.llm.tokenizer.TokenStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Generating a token creates next to no garbage, from when the kernels are compiled: that happens beside the generation, and
 * until then their vectors are garbage.
 */
class GenerationGarbageTest {

    private static final int MOST_PER_TOKEN = 1024;
    private static final int BEFORE = 300;
    private static final int TOKENS = 150;
    private static final int MOST_ROUNDS = 50;

    @Test
    void aTokenCostsLessThanAKibibyte() {
        try (LanguageModel model = open();
                Session session = model.newSession()) {
            Sampler sampler = new Sampler(SamplingOptions.defaults(), 2048);
            TokenStream stream = model.tokenizer().stream();
            Batch batch = new Batch();
            session.run(batch.add(0, 0, true));
            assertThat(generate(session, sampler, stream, batch, BEFORE)).isPositive();

            long perToken = garbagePerToken(session, () -> generate(session, sampler, stream, batch, TOKENS));

            assertThat(perToken).isLessThan(MOST_PER_TOKEN);
        }
    }

    @Test
    void soDoesATokenThatTheDeviceChooses() {
        try (LanguageModel model = open();
                Session session = model.newSession()) {
            Batch batch = new Batch().greedy(true);
            session.run(batch.add(0, 0, true));
            generate(session, batch, BEFORE);

            long perToken = garbagePerToken(session, () -> generate(session, batch, TOKENS));

            assertThat(perToken).isLessThan(MOST_PER_TOKEN);
        }
    }

    private static LanguageModel open() {
        ModelOptions options = ModelOptions.defaults().withContext(1024).withDevices(List.of(TestModels.cpu()));
        return LanguageModel.open(TestModels.lexicon(), options, LoadListener.NONE);
    }

    /** The bytes per token of the first of some rounds, each of the same tokens, that has few, or of the last. */
    private static long garbagePerToken(Session session, Runnable generation) {
        long perToken = Long.MAX_VALUE;
        for (int round = 0; round < MOST_ROUNDS && perToken >= MOST_PER_TOKEN; round++) {
            session.truncate(0, BEFORE);
            long before = Garbage.allocatedBytes();
            generation.run();
            perToken = (Garbage.allocatedBytes() - before) / TOKENS;
        }
        return perToken;
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
