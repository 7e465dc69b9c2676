package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.error.AccessException;
import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.llm.sampling.Sampler;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.memory.TensorData;
import dev.stowage.models.TokenChoice;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tokens that a graph draws are those that the sampler draws from the same logits with the same random numbers. */
class DrawnTokensTest {

    private static final int ROWS = 3;
    private static final int MODEL_VOCABULARY = 2048;
    private static final SamplingOptions OPEN =
            SamplingOptions.greedy().withTemperature(1).withTopK(50);

    static List<SamplingOptions> options() {
        return List.of(
                SamplingOptions.defaults(),
                OPEN,
                OPEN.withTopK(1),
                OPEN.withTopK(7).withTemperature(3),
                OPEN.withTopP(0.5f),
                OPEN.withTopP(0.01f),
                OPEN.withMinP(0.2f),
                OPEN.withMinP(1),
                OPEN.withTopK(1000).withTopP(0.9f).withMinP(0.02f).withTemperature(0.3f),
                OPEN.withTopK(1024).withTemperature(TokenChoice.Drawn.LOWEST_TEMPERATURE));
    }

    /** Logits with equal ones among them, and some that rule their token out. */
    private static float[] logits(Random random, int vocabulary) {
        float[] logits = new float[vocabulary];
        double width = random.nextBoolean() ? 1 : 6;
        for (int i = 0; i < vocabulary; i++) {
            logits[i] = random.nextInt(20) == 0
                    ? Float.NEGATIVE_INFINITY
                    : Math.round(random.nextGaussian() * width * 4) / 4f;
        }
        logits[random.nextInt(vocabulary)] = 2;
        return logits;
    }

    /** A graph that draws, on a device. */
    private static final class Drawer implements AutoCloseable {

        private final GraphAllocator allocator;
        private final Backend backend;
        private final BoundGraph bound;
        private final Tensor logits;
        private final Tensor random;
        private final Tensor tokens;

        Drawer(Device device, TokenChoice.Drawn choice, int vocabulary) {
            GraphBuilder b = new GraphBuilder();
            this.logits = b.input("logits", ElementType.F32, vocabulary, ROWS);
            this.random = b.input("random", ElementType.F32, 1, ROWS);
            this.tokens = choice.tokens(b, logits, random).asOutput();
            this.allocator = GraphAllocator.on(device.bufferType());
            this.backend = device.open();
            this.bound = allocator.bind(b.build(tokens));
        }

        int[] draw(float[] rows, float[] numbers) {
            TensorData.setFloats(bound.tensor(logits), rows);
            TensorData.setFloats(bound.tensor(random), numbers);
            backend.compute(bound);
            return TensorData.getInts(bound.tensor(tokens));
        }

        @Override
        public void close() {
            backend.close();
            allocator.close();
        }
    }

    @ParameterizedTest
    @MethodSource("options")
    void aGraphDrawsAsTheSampler(SamplingOptions options) {
        Random random = new Random(5);
        // The sampler sorts no candidates where all tokens are, and so has them in another order.
        boolean limitsAny = options.topP() < 1 || options.minP() > 0;
        for (int vocabulary : limitsAny ? new int[] {1, 5, 64, 1500} : new int[] {1, 120, 3000}) {
            if (!limitsAny && vocabulary > 1 && vocabulary <= 2 * options.topK()) {
                continue;
            }
            Sampler sampler = new Sampler(options.withSeed(vocabulary), vocabulary);
            Batch draws = new Batch().draw(new Sampler(options.withSeed(vocabulary), vocabulary));
            try (Drawer drawer = new Drawer(TestModels.cpu(), options.drawn().orElseThrow(), vocabulary)) {
                for (int run = 0; run < 60; run++) {
                    float[] rows = new float[ROWS * vocabulary];
                    float[] numbers = new float[ROWS];
                    int[] expected = new int[ROWS];
                    for (int row = 0; row < ROWS; row++) {
                        float[] logits = logits(random, vocabulary);
                        System.arraycopy(logits, 0, rows, row * vocabulary, vocabulary);
                        numbers[row] = draws.nextRandom();
                        expected[row] = sampler.next(logits);
                    }
                    assertThat(drawer.draw(rows, numbers))
                            .as("vocabulary %d, run %d, random numbers %s", vocabulary, run, Arrays.toString(numbers))
                            .isEqualTo(expected);
                }
            }
        }
    }

    @Test
    void randomNumbersAtTheirLimitsDrawTheFirstAndTheLast() {
        float[] logits = {1, 3, 2, 0};
        float[] rows = {1, 3, 2, 0, 1, 3, 2, 0, 1, 3, 2, 0};
        float largest = 1 - 0x1p-23f;
        try (Drawer drawer = new Drawer(TestModels.cpu(), new TokenChoice.Drawn(1, 3, 1, 0), logits.length)) {
            assertThat(drawer.draw(rows, new float[] {0, largest, 0.5f})).containsExactly(1, 0, 1);
        }
    }

    @Test
    void theTokenIsThatOfTheFirstWhereNoLogitIsANumber() {
        float[] rows = new float[ROWS * 8];
        Arrays.fill(rows, Float.NaN);
        try (Drawer drawer = new Drawer(TestModels.cpu(), new TokenChoice.Drawn(1, 3, 0.9f, 0.1f), 8)) {
            assertThat(drawer.draw(rows, new float[ROWS])).containsOnly(0);
        }
    }

    private static List<Integer> generated(Session session, Sampler sampler, boolean onDevice) {
        List<Integer> tokens = new ArrayList<>();
        Batch batch = onDevice ? new Batch().draw(sampler) : new Batch();
        session.run(batch.addAll(new int[] {5, 6, 7}, 0));
        for (int i = 0; i < 40; i++) {
            int token = onDevice ? session.token(0) : sampler.next(session.logits(0));
            tokens.add(token);
            session.run(batch.clear().add(token, 0, true));
        }
        return tokens;
    }

    private static LanguageModel open(Device device) {
        ModelOptions options = ModelOptions.defaults()
                .withContext(128)
                .withRearrangedWeights(false)
                .withDevices(List.of(device));
        return LanguageModel.open(TestModels.file("tiny-qwen2"), options, LoadListener.NONE);
    }

    private static Device gpu() {
        return SimulatedDevice.named("gpu")
                .hostBuffers(true)
                .computingWith(TestModels.cpu())
                .build();
    }

    @Test
    void aSessionGivesTheTokensThatTheSamplerWouldDraw() {
        try (LanguageModel model = open(gpu());
                Session plain = model.newSession();
                Session drawn = model.newSession()) {
            for (int seed = 0; seed < 5; seed++) {
                SamplingOptions options = SamplingOptions.defaults().withSeed(seed);
                plain.clear();
                drawn.clear();
                long before = drawn.computeBytes(0);
                assertThat(generated(drawn, new Sampler(options, MODEL_VOCABULARY), true))
                        .isEqualTo(generated(plain, new Sampler(options, MODEL_VOCABULARY), false));
                assertThat(drawn.computeBytes(0)).isEqualTo(before);
            }
        }
    }

    @Test
    void aGenerationGivesTheSameTextWhereverItsTokensAreDrawn() {
        GenerationOptions options = GenerationOptions.defaults().withMaxTokens(30);
        List<String> texts = new ArrayList<>();
        for (Device device : List.of(gpu(), TestModels.cpu())) {
            try (LanguageModel model = open(device);
                    Session session = model.newSession()) {
                Sampler sampler = new Sampler(options.sampling(), MODEL_VOCABULARY);
                assertThat(session.draws(sampler)).isEqualTo(!device.name().equals("cpu"));
                texts.add(model.generate("a", options, (_, _) -> {}).text());
            }
        }
        assertThat(texts.getFirst()).isNotEmpty().isEqualTo(texts.getLast());
    }

    @Test
    void optionsThatNoDeviceDrawsWithAreRefused() {
        for (SamplingOptions options : List.of(
                SamplingOptions.greedy(),
                OPEN.withTopK(0),
                OPEN.withTopK(TokenChoice.Drawn.MOST_CANDIDATES + 1),
                OPEN.withRepetitionPenalty(2, 4),
                OPEN.withTemperature(1e-5f))) {
            assertThat(options.drawn()).isEmpty();
            Sampler sampler = new Sampler(options, 10);
            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(() -> new Batch().draw(sampler))
                    .withMessageContaining("by logits");
        }
        assertThatExceptionOfType(InvalidGraphException.class).isThrownBy(() -> new TokenChoice.Drawn(0, 1, 1, 0));
    }
}
