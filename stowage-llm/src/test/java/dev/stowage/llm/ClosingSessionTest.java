package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.Device;
import dev.stowage.error.ClosedException;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.memory.BoundTensor;
import dev.stowage.schedule.NodeObserver;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A session or a model that is closed while a text is generated ends the generation, and nothing else happens. */
@Timeout(300)
class ClosingSessionTest {

    private static final int[] PROMPT = {5, 17, 900, 33, 1200};
    private static final GenerationOptions OPTIONS = GenerationOptions.defaults()
            .withMaxTokens(12)
            .withSampling(SamplingOptions.defaults()
                    .withTemperature(50)
                    .withTopK(0)
                    .withTopP(1)
                    .withMinP(0)
                    .withSeed(3));

    private final Device cpu = TestModels.cpu();

    private LanguageModel open(List<Device> devices) {
        ModelOptions options = ModelOptions.defaults()
                .withContext(64)
                .withRearrangedWeights(false)
                .withDevices(devices);
        return LanguageModel.open(
                TestModels.file("tiny-qwen2"),
                devices.size() == 3 ? options.withLayersOn(List.of(1, 1)) : options,
                LoadListener.NONE);
    }

    private List<Device> devices(int accelerators) {
        SimulatedDevice gpu0 = SimulatedDevice.named("gpu0").computingWith(cpu).build();
        SimulatedDevice gpu1 = SimulatedDevice.named("gpu1").computingWith(cpu).build();
        return accelerators == 0 ? List.of(cpu) : List.of(gpu0, gpu1, cpu);
    }

    /**
     * Generates text after text until that is refused, and has another thread close something once a number of tokens is
     * there: while this thread goes on, or while it waits for that.
     */
    private static void requireClosed(
            LanguageModel model, Session session, AutoCloseable closed, SplittableRandom random) throws Exception {
        CountDownLatch reached = new CountDownLatch(1 + random.nextInt(20));
        CountDownLatch over = new CountDownLatch(1);
        boolean waits = random.nextInt(4) == 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Future<?> generating = threads.submit(() -> {
                while (true) {
                    session.clear();
                    model.generate(session, PROMPT, OPTIONS, (_, _) -> {
                        reached.countDown();
                        if (waits && reached.getCount() == 0) {
                            awaitUninterruptibly(over);
                        }
                    });
                }
            });
            Future<?> closing = threads.submit(() -> {
                reached.await();
                closed.close();
                over.countDown();
                return null;
            });
            assertThatThrownBy(generating::get)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isExactlyInstanceOf(ClosedException.class);
            assertThat(closing.get()).isNull();
        }
        assertThatThrownBy(() -> session.run(new Batch().add(1, 0, true))).isInstanceOf(ClosedException.class);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void aSessionClosedByAnotherThreadEndsItsGenerationWithThatAlone(int accelerators) throws Exception {
        List<Device> devices = devices(accelerators);
        try (LanguageModel model = open(devices)) {
            List<Integer> before = openBuffers(devices);
            for (int seed = 0; seed < (accelerators == 0 ? 400 : 100); seed++) {
                try (Session session = model.newSession()) {
                    requireClosed(model, session, session, new SplittableRandom(seed));
                } catch (AssertionError e) {
                    throw new AssertionError("seed " + seed, e);
                }
            }
            assertThat(openBuffers(devices)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void aModelClosedByAnotherThreadEndsTheGenerationWithThatAlone(int accelerators) throws Exception {
        for (int seed = 0; seed < (accelerators == 0 ? 300 : 100); seed++) {
            List<Device> devices = devices(accelerators);
            LanguageModel model = open(devices);
            try (Session session = model.newSession()) {
                requireClosed(model, session, model, new SplittableRandom(seed));
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
            assertThatThrownBy(model::newSession).isInstanceOf(ClosedException.class);
            assertThat(openBuffers(devices)).containsOnly(0);
        }
    }

    private static List<Integer> openBuffers(List<Device> devices) {
        return devices.stream()
                .map(device -> device instanceof SimulatedDevice simulated ? simulated.openBuffers() : 0)
                .toList();
    }

    @Test
    void aListenerMayCloseTheSessionItListensTo() {
        try (LanguageModel model = open(List.of(cpu))) {
            Session session = model.newSession();
            assertThatThrownBy(() -> model.generate(session, PROMPT, OPTIONS, (_, _) -> session.close()))
                    .isExactlyInstanceOf(ClosedException.class);
        }
    }

    @Test
    void aSessionClosedWithinAPassOfTheSameThreadIsGivenBackAtItsEnd() {
        List<Device> devices = devices(2);
        try (LanguageModel model = open(devices)) {
            List<Integer> before = openBuffers(devices);
            Session session = model.newSession();
            session.observe(new NodeObserver() {
                @Override
                public boolean wants(Tensor node) {
                    session.close();
                    return true;
                }

                @Override
                public boolean show(BoundTensor node) {
                    return true;
                }
            });
            session.run(new Batch().addAll(PROMPT, 0));
            assertThat(openBuffers(devices)).isEqualTo(before);
            assertThatThrownBy(() -> session.run(new Batch().add(1, 0, true))).isInstanceOf(ClosedException.class);
        }
    }
}
