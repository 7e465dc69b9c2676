package dev.stowage.llm.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.Garbage;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A token is chosen for every step of a text: that must leave nothing to collect. */
class SamplerGarbageTest {

    private static final int CALLS = 500;

    @Test
    void choosingATokenMakesNoGarbage() {
        SplittableRandom random = new SplittableRandom(5);
        float[] logits = new float[2048];
        for (int i = 0; i < logits.length; i++) {
            logits[i] = (float) random.nextDouble(-8, 8);
        }
        for (SamplingOptions options : List.of(
                SamplingOptions.greedy(),
                SamplingOptions.defaults().withRepetitionPenalty(1.1f, 64),
                SamplingOptions.defaults().withTopK(0))) {
            Sampler sampler = new Sampler(options, logits.length);
            for (int i = 0; i < CALLS; i++) {
                sampler.next(logits);
            }
            long before = Garbage.allocatedBytes();
            for (int i = 0; i < CALLS; i++) {
                sampler.next(logits);
            }
            // What asking itself costs is a few hundred bytes in all.
            assertThat((double) (Garbage.allocatedBytes() - before) / CALLS)
                    .as("%s", options)
                    .isLessThan(8);
        }
    }
}
