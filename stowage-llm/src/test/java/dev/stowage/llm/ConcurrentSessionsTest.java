package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.llm.tokenizer.EncodeOptions;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions of one model do not see each other, however many threads use one each. */
@Timeout(300)
class ConcurrentSessionsTest {

    private static final int ROUNDS = 4;
    private static final List<String> PROMPTS = List.of(
            "harbor, n.",
            "tensor, n.",
            "graceful, adj.",
            "a place where",
            "very",
            "ship, n. a large",
            "to carry",
            "the memory of all the things that were");

    private static final GenerationOptions OPTIONS = GenerationOptions.defaults()
            .withMaxTokens(16)
            .withSampling(SamplingOptions.defaults().withTemperature(1.2f).withSeed(11));

    /** Everything the session says to its prompt, asked several times over. */
    private static List<String> texts(LanguageModel model, Session session, String prompt) {
        List<String> texts = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            session.clear();
            texts.add(model.generate(
                            session,
                            model.tokenizer().encode(prompt, EncodeOptions.PROMPT),
                            OPTIONS,
                            TokenListener.NONE)
                    .text());
        }
        return texts;
    }

    private static void requireSameAsAlone(List<Device> devices) throws Exception {
        ModelOptions options = ModelOptions.defaults()
                .withContext(64)
                .withDevices(devices)
                .withLayersOn(Collections.nCopies(devices.size() - 1, 2));
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), options, LoadListener.NONE);
                ExecutorService threads = Executors.newFixedThreadPool(PROMPTS.size())) {
            List<List<String>> alone = new ArrayList<>();
            for (String prompt : PROMPTS) {
                try (Session session = model.newSession()) {
                    alone.add(texts(model, session, prompt));
                }
            }
            List<Future<List<String>>> together = new ArrayList<>();
            CountDownLatch allOpen = new CountDownLatch(PROMPTS.size());
            for (String prompt : PROMPTS) {
                Session session = model.newSession();
                allOpen.countDown();
                together.add(threads.submit(() -> {
                    try (session) {
                        allOpen.await();
                        return texts(model, session, prompt);
                    }
                }));
            }
            for (int i = 0; i < PROMPTS.size(); i++) {
                assertThat(together.get(i).get()).as(PROMPTS.get(i)).isEqualTo(alone.get(i));
            }
            assertThat(alone).allSatisfy(texts -> assertThat(texts).noneMatch(String::isBlank));
        }
    }

    @Test
    void eightSessionsInEightThreadsWriteWhatEachWritesAlone() throws Exception {
        requireSameAsAlone(List.of(TestModels.cpu()));
    }

    @Test
    void eightSessionsOverThreeDevicesWriteWhatEachWritesAlone() throws Exception {
        Device cpu = TestModels.cpu();
        requireSameAsAlone(List.of(
                SimulatedDevice.named("gpu0").computingWith(cpu).build(),
                SimulatedDevice.named("gpu1").computingWith(cpu).build(),
                cpu));
    }
}
