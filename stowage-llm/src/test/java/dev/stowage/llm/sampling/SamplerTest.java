package dev.stowage.llm.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.error.AccessException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.error.MalformedDataException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SamplerTest {

    private static final SamplingOptions OPEN = SamplingOptions.greedy().withTemperature(1);

    private static float[] logits(long seed, int size) {
        SplittableRandom random = new SplittableRandom(seed);
        float[] logits = new float[size];
        for (int i = 0; i < size; i++) {
            // Few different ones, so that ties are common.
            logits[i] = random.nextInt(-12, 12) / 4f;
        }
        return logits;
    }

    private static List<Integer> bestFirst(float[] logits) {
        return IntStream.range(0, logits.length)
                .boxed()
                .sorted(Comparator.<Integer>comparingDouble(i -> -logits[i]).thenComparingInt(i -> i))
                .toList();
    }

    /** What ggml's ARGMAX gives. */
    private static int lastOfTheLargest(float[] logits) {
        float largest = logits[bestFirst(logits).getFirst()];
        return IntStream.range(0, logits.length)
                .filter(i -> logits[i] == largest)
                .max()
                .orElseThrow();
    }

    private static int[] chosen(SamplingOptions options, float[] logits, int count) {
        Sampler sampler = new Sampler(options, logits.length);
        return IntStream.range(0, count).map(_ -> sampler.next(logits)).toArray();
    }

    private static Set<Integer> everChosen(SamplingOptions options, float[] logits) {
        Set<Integer> all = new HashSet<>();
        Arrays.stream(chosen(options, logits, 4000)).forEach(all::add);
        return all;
    }

    @Test
    void greedyTakesTheFirstOfTheBest() {
        for (long seed = 0; seed < 200; seed++) {
            float[] logits = logits(seed, 1 + (int) seed);
            assertThat(chosen(SamplingOptions.greedy(), logits, 3))
                    .as("seed %d", seed)
                    .containsOnly(lastOfTheLargest(logits));
        }
    }

    @Test
    void theSameSeedGivesTheSameChoices() {
        float[] logits = logits(1, 500);
        for (SamplingOptions options : List.of(OPEN, SamplingOptions.defaults())) {
            assertThat(chosen(options.withSeed(7), logits, 200)).isEqualTo(chosen(options.withSeed(7), logits, 200));
            assertThat(chosen(options.withSeed(7), logits, 200)).isNotEqualTo(chosen(options.withSeed(8), logits, 200));
        }
    }

    @Test
    void topKLeavesTheBestSoMany() {
        for (long seed = 0; seed < 20; seed++) {
            float[] logits = logits(seed, 40);
            int k = 1 + (int) seed % 8;
            assertThat(everChosen(OPEN.withTopK(k).withTemperature(4), logits))
                    .as("seed %d", seed)
                    .containsExactlyInAnyOrderElementsOf(bestFirst(logits).subList(0, k));
        }
    }

    @Test
    void topPLeavesTheFewestThatHaveTheShare() {
        for (long seed = 0; seed < 20; seed++) {
            float[] logits = logits(seed, 12);
            List<Integer> order = bestFirst(logits);
            double whole = order.stream().mapToDouble(i -> Math.exp(logits[i])).sum();
            float share = 0.3f + seed / 40f;
            int count = 0;
            double sum = 0;
            while (sum < share * whole) {
                sum += Math.exp(logits[order.get(count++)]);
            }
            assertThat(everChosen(OPEN.withTopP(share).withTemperature(4), logits))
                    .as("seed %d", seed)
                    .containsExactlyInAnyOrderElementsOf(order.subList(0, count));
        }
    }

    @Test
    void topPIsAShareOfWhatTopKLeft() {
        // Equal logits: of ten, the first four are kept, and three quarters of these are three.
        assertThat(everChosen(OPEN.withTopK(4).withTopP(0.74f), new float[10])).containsExactlyInAnyOrder(0, 1, 2);
    }

    @Test
    void minPLeavesThoseThatAreLikelyBesideTheBest() {
        for (long seed = 0; seed < 20; seed++) {
            float[] logits = logits(seed, 12);
            // Between two of the steps that logits have, so that rounding decides nothing.
            float share = (float) Math.exp(-0.25 * (seed % 6) - 0.1);
            float top = logits[bestFirst(logits).getFirst()];
            List<Integer> likely = bestFirst(logits).stream()
                    .filter(i -> Math.exp(logits[i] - top) >= share)
                    .toList();
            assertThat(everChosen(OPEN.withMinP(share).withTemperature(4), logits))
                    .as("seed %d", seed)
                    .containsExactlyInAnyOrderElementsOf(likely);
        }
    }

    @Test
    void tokensComeUpAsOftenAsTheyAreLikely() {
        float[] logits = {0, 1, 2, -1};
        for (float temperature : new float[] {0.5f, 1, 2}) {
            double whole = IntStream.range(0, 4)
                    .mapToDouble(i -> Math.exp(logits[i] / temperature))
                    .sum();
            int[] tokens = chosen(OPEN.withTemperature(temperature).withSeed(3), logits, 200_000);
            for (int token = 0; token < 4; token++) {
                int each = token;
                double share =
                        (double) Arrays.stream(tokens).filter(i -> i == each).count() / tokens.length;
                assertThat(share)
                        .as("token %d at %s", token, temperature)
                        .isCloseTo(Math.exp(logits[token] / temperature) / whole, within(0.005));
            }
        }
    }

    @Test
    void thePenaltyMakesTokensOfTheWindowLessLikely() {
        SamplingOptions options = SamplingOptions.greedy().withRepetitionPenalty(2, 2);
        Sampler sampler = new Sampler(options, 4);
        float[] logits = {4, 3, 2.5f, -1};

        // 4 wins, and is worth 2 then; 3 wins, and is worth 1.5; then 2.5; then 4 has left the window.
        assertThat(IntStream.range(0, 4).map(_ -> sampler.next(logits)).toArray())
                .containsExactly(0, 1, 2, 0);
        assertThat(logits).containsExactly(4, 3, 2.5f, -1);
    }

    @Test
    void thePenaltyMakesNegativeLogitsMoreNegative() {
        Sampler sampler = new Sampler(SamplingOptions.greedy().withRepetitionPenalty(3, 8), 2);
        sampler.accept(0);
        sampler.accept(0);

        assertThat(sampler.next(new float[] {-1, -2.5f})).isEqualTo(1);
    }

    @Test
    void thePenaltyOnManyTokensIsThatOfThoseInTheWindow() {
        for (long seed = 0; seed < 100; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int window = random.nextInt(1, 10);
            int[] text = random.ints(random.nextInt(40), 0, 12).toArray();
            float[] logits = logits(seed, 12);
            float[] expected = logits.clone();
            Arrays.stream(text)
                    .skip(Math.max(0, text.length - window))
                    .distinct()
                    .forEach(i -> expected[i] *= expected[i] > 0 ? 0.5f : 2);
            Sampler sampler = new Sampler(SamplingOptions.greedy().withRepetitionPenalty(2, window), 12);
            Arrays.stream(text).forEach(sampler::accept);

            assertThat(sampler.next(logits)).as("seed %d", seed).isEqualTo(lastOfTheLargest(expected));
        }
    }

    @Test
    void logitsThatAreNanAreNeverChosen() {
        float[] logits = {Float.NaN, Float.NEGATIVE_INFINITY, 1, Float.NaN};
        for (SamplingOptions options : List.of(
                SamplingOptions.greedy(), OPEN, SamplingOptions.defaults(), OPEN.withTopP(0.9f), OPEN.withMinP(0.1f))) {
            assertThat(chosen(options, logits, 50)).containsOnly(2);
        }
    }

    @Test
    void anInfiniteLogitIsAlwaysChosen() {
        float[] logits = {3, Float.POSITIVE_INFINITY, 1};
        for (SamplingOptions options : List.of(SamplingOptions.greedy(), OPEN, SamplingOptions.defaults())) {
            assertThat(chosen(options, logits, 50)).containsOnly(1);
        }
    }

    @Test
    void withoutAnyNumberThereIsNoChoice() {
        for (SamplingOptions options : List.of(SamplingOptions.greedy(), SamplingOptions.defaults())) {
            assertThatExceptionOfType(InvalidTensorException.class)
                    .isThrownBy(() -> new Sampler(options, 2).next(new float[] {Float.NaN, Float.NaN}))
                    .withMessageContaining("2 logits");
        }
    }

    @Test
    void wrongSizesAndTokensAreRefused() {
        Sampler sampler = new Sampler(OPEN, 3);

        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> sampler.next(new float[2]))
                .withMessageContainingAll("2", "3");
        assertThatExceptionOfType(AccessException.class).isThrownBy(() -> sampler.accept(3));
        assertThatExceptionOfType(AccessException.class).isThrownBy(() -> sampler.accept(-1));
        assertThatExceptionOfType(AccessException.class).isThrownBy(() -> new Sampler(OPEN, 0));
    }

    @Test
    void optionsOutOfRangeAreRefused() {
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> OPEN.withTemperature(-1))
                .withMessageContaining("temperature");
        assertThatExceptionOfType(MalformedDataException.class).isThrownBy(() -> OPEN.withTemperature(Float.NaN));
        assertThatExceptionOfType(MalformedDataException.class).isThrownBy(() -> OPEN.withTopK(-1));
        assertThatExceptionOfType(MalformedDataException.class).isThrownBy(() -> OPEN.withTopP(0));
        assertThatExceptionOfType(MalformedDataException.class).isThrownBy(() -> OPEN.withMinP(1.5f));
        assertThatExceptionOfType(MalformedDataException.class).isThrownBy(() -> OPEN.withRepetitionPenalty(0, 4));
        assertThatExceptionOfType(MalformedDataException.class).isThrownBy(() -> OPEN.withRepetitionPenalty(2, -1));
    }

    @Test
    void penaltiesAreTakenFromTheLogitsOfTokensInTheWindow() {
        SamplingOptions options =
                SamplingOptions.greedy().withRepetitionPenalty(1, 4).withPenalties(0.5f, 1);
        Sampler sampler = new Sampler(options, 4);
        for (int token : new int[] {3, 0, 0, 1, 0}) {
            sampler.accept(token);
        }
        // In the window: 0 three times, 1 once; 3 is out of it. So 0 has lost 2.5 and 1 has lost 1.5.
        assertThat(sampler.next(new float[] {4.4f, 3.5f, 0, 1.9f})).isEqualTo(1);
        // Now 0 is there twice and 1 twice.
        assertThat(sampler.next(new float[] {4.1f, 3.9f, 0, 2.2f})).isEqualTo(3);
    }

    @Test
    void penaltiesMustBeNumbers() {
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> SamplingOptions.greedy().withPenalties(Float.NaN, 0))
                .withMessageContaining("frequency penalty");
        assertThat(SamplingOptions.greedy().withPenalties(0, 0.1f).isGreedy()).isFalse();
    }
}
