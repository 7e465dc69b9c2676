package dev.stowage.llm.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.DeviceType;
import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.BusyException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.RunException;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.TestModels;
import dev.stowage.llm.engine.EngineStatus.SlotState;
import dev.stowage.llm.fit.DeviceLoad;
import dev.stowage.llm.fit.DevicePlan;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.testkit.simulated.CallKind;
import dev.stowage.testkit.simulated.FaultKind;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An engine and the threads that use it. */
@Timeout(300)
class EngineTest {

    private static CompletionRequest.Builder greedy(int... prompt) {
        return CompletionRequest.builder(prompt)
                .sampling(SamplingOptions.greedy())
                .ignoresEnd(true);
    }

    @Test
    void whatCanNeverFitIsRefusedAtOnce() {
        try (LanguageModel model = EngineModels.open(2, 64);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            CompletionRequest large = greedy(EngineModels.longPrompt(65, 1)).build();
            assertThatThrownBy(() -> engine.submit(large))
                    .isInstanceOf(AllocationException.class)
                    .hasMessageContaining("the prompt has 65 tokens")
                    .hasMessageContaining("has room for 64");
            assertThatThrownBy(() -> engine.submit(greedy().build()))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("no tokens");
            assertThatThrownBy(() -> engine.submit(greedy(-1).build()))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("no token -1");
            assertThatThrownBy(() -> greedy(1).stop(List.of("")))
                    .isInstanceOf(InvalidPlanException.class)
                    .hasMessageContaining("stop string");
        }
    }

    @Test
    void moreThanAskedOfTheContextIsCutToIt() throws InterruptedException {
        try (LanguageModel model = EngineModels.open(2, 64);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            Completion limited = engine.submit(
                    greedy(EngineModels.longPrompt(60, 1)).maxTokens(1000).build());
            Completion unlimited =
                    engine.submit(greedy(EngineModels.longPrompt(8, 2)).build());
            assertThat(limited.await().tokens()).hasSize(64 - 60 + 1);
            assertThat(limited.await().reason()).isEqualTo(FinishReason.CONTEXT_FULL);
            assertThat(unlimited.await().tokens()).as("a slot's share").hasSize(32 - 8 + 1);
        }
    }

    @Test
    void aQueueHasALimit() throws InterruptedException {
        try (LanguageModel model = EngineModels.open(1, 512);
                Engine engine = new Engine(model, EngineOptions.defaults().withQueueLimit(1))) {
            Completion running = engine.submit(greedy(5).maxTokens(500).build());
            running.next();
            Completion waiting = engine.submit(greedy(6).maxTokens(1).build());
            assertThatThrownBy(() -> engine.submit(greedy(7).build()))
                    .isInstanceOf(BusyException.class)
                    .hasMessageContaining("1 requests are waiting");
            running.cancel();
            assertThat(waiting.await().tokens()).hasSize(1);
        }
    }

    @Test
    void aHigherPriorityBeginsFirst() throws InterruptedException {
        try (LanguageModel model = EngineModels.open(1, 512);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            Completion running = engine.submit(greedy(5).maxTokens(500).build());
            running.next();
            Completion low = engine.submit(greedy(6).maxTokens(400).build());
            Completion high = engine.submit(greedy(7).maxTokens(2).priority(1).build());
            running.cancel();
            assertThat(high.await().tokens()).hasSize(2);
            low.cancel();
            assertThat(low.await().tokens()).as("it began later").hasSizeLessThan(400);
        }
    }

    @Test
    void noPriorityAndNoTimeLimitIsTooLarge() throws InterruptedException {
        try (LanguageModel model = EngineModels.open(1, 64)) {
            Engine engine = new Engine(model, EngineOptions.defaults());
            CompletionRequest.Builder request = greedy(5).maxTokens(2).timeLimit(Duration.ofSeconds(Long.MAX_VALUE));
            Completion running = engine.submit(greedy(5).maxTokens(60).build());
            running.next();
            Completion low = engine.submit(request.priority(Integer.MIN_VALUE).build());
            Completion high = engine.submit(request.priority(Integer.MAX_VALUE).build());
            running.cancel();
            assertThat(low.await().tokens()).hasSize(2);
            assertThat(high.isDone()).as("it began before the other").isTrue();
            assertThat(engine.close(Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
        }
    }

    @Test
    void moreSlotsThanTokensInABatchAllGetTheirTokens() throws InterruptedException {
        ModelOptions options = ModelOptions.defaults()
                .withDevices(List.of(TestModels.cpu()))
                .withSequences(6)
                .withContext(256)
                .withBatch(2);
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), options, LoadListener.NONE);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            List<Completion> all = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                all.add(engine.submit(
                        greedy(EngineModels.longPrompt(5, i)).maxTokens(10).build()));
            }
            for (Completion each : all) {
                assertThat(each.await().tokens()).hasSize(10);
            }
        }
    }

    @Test
    void memoryIsThatOfThePlanWithEverySlotFullAndVectorsBeside() throws InterruptedException {
        ModelOptions options = ModelOptions.defaults()
                .withDevices(List.of(TestModels.cpu()))
                .withSequences(4)
                .withContext(256)
                .withBatch(64);
        List<DevicePlan> plans = new ArrayList<>();
        LoadListener listener = new LoadListener() {
            @Override
            public void placed(Supplier<DevicePlan> plan) {
                plans.add(plan.get());
            }

            @Override
            public void loaded(long done, long all) {}
        };
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), options, listener);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            List<Completion> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                all.add(engine.submit(
                        greedy(EngineModels.longPrompt(40, i)).maxTokens(25).build()));
            }
            for (Completion each : all) {
                assertThat(each.await().tokens()).hasSize(25);
            }
            assertThat(engine.status().freeCells()).isZero();
            DeviceLoad planned = plans.getFirst().loads().getFirst();
            assertThat(engine.computeBytes(0)).isEqualTo(planned.compute());
            assertThat(engine.cacheBytes(0)).isEqualTo(planned.cache());
            assertThat(model.weightBytes(0)).isEqualTo(planned.weights());
            engine.embed(EngineModels.longPrompt(200, 5), Pooling.MEAN);
            assertThat(engine.computeBytes(0)).as("with a vector").isEqualTo(planned.compute());
        }
    }

    @Test
    void cancellingFreesTheSlotAndKeepsTheTextSoFar() throws InterruptedException {
        try (LanguageModel model = EngineModels.open(1, 512);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            Completion running = engine.submit(greedy(5).maxTokens(500).build());
            String begun = running.next().orElseThrow().text();
            Completion queued = engine.submit(greedy(5).maxTokens(500).build());
            queued.cancel();
            assertThat(queued.await().reason()).isEqualTo(FinishReason.CANCELLED);
            running.cancel();
            assertThat(running.await().reason()).isEqualTo(FinishReason.CANCELLED);
            assertThat(running.await().text()).startsWith(begun);
            assertThat(engine.submit(greedy(6).maxTokens(1).build()).await().tokens())
                    .hasSize(1);
        }
    }

    @Test
    void closingCancelsOrWaits() throws InterruptedException {
        try (LanguageModel model = EngineModels.open(2, 512)) {
            Engine cancelling = new Engine(model, EngineOptions.defaults());
            Completion cancelled = cancelling.submit(greedy(5).maxTokens(500).build());
            cancelled.next();
            cancelling.close();
            cancelling.close();
            assertThat(cancelled.await().reason()).isEqualTo(FinishReason.CANCELLED);
            assertThatThrownBy(() -> cancelling.submit(greedy(5).build()))
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("engine is closed");

            Engine waiting = new Engine(model, EngineOptions.defaults());
            List<Completion> all = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                all.add(waiting.submit(greedy(5 + i).maxTokens(20).build()));
            }
            assertThat(waiting.close(Duration.ofMinutes(4))).isTrue();
            for (Completion each : all) {
                assertThat(each.await().reason()).isEqualTo(FinishReason.MAX_TOKENS);
            }
        }
    }

    @Test
    void closingTheModelFailsRequestsAndClosesFine() throws InterruptedException {
        LanguageModel model = EngineModels.open(2, 512);
        try (Engine engine = new Engine(model, EngineOptions.defaults())) {
            Completion running = engine.submit(greedy(5).maxTokens(500).build());
            running.next();
            model.close();
            assertThatThrownBy(running::await).isInstanceOf(ClosedException.class);
        }
    }

    @Test
    void aFailingDeviceFailsItsRequestsAndNotTheEngine() throws InterruptedException {
        SimulatedDevice device = SimulatedDevice.named("sim0")
                .type(DeviceType.GPU)
                .async(true)
                .events(true)
                .computingWith(TestModels.cpu())
                .build();
        ModelOptions options = ModelOptions.defaults()
                .withDevices(List.of(device, TestModels.cpu()))
                .withLayersOn(List.of(2))
                .withSequences(2)
                .withContext(128)
                .withRearrangedWeights(false);
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), options, LoadListener.NONE);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            String before =
                    engine.submit(greedy(5, 6, 7).maxTokens(8).build()).await().text();
            device.faults().fail(CallKind.COMPUTE, 3, FaultKind.FAILURE);
            Completion failing = engine.submit(greedy(9, 10, 11).maxTokens(8).build());
            assertThatThrownBy(failing::await).isInstanceOf(RunException.class).hasMessageContaining("sim0");
            assertThat(engine.submit(greedy(5, 6, 7)
                                    .maxTokens(8)
                                    .sharesCache(false)
                                    .build())
                            .await()
                            .text())
                    .isEqualTo(before);
            assertThat(engine.status().counters().failed()).isEqualTo(1);
        }
    }

    @Test
    void manyThreadsSubmitCancelAndReadAndEverySlotIsFreeAtTheEnd() throws Exception {
        int clients = 6;
        try (LanguageModel model = EngineModels.open(3, 256);
                Engine engine = new Engine(model, new EngineOptions(1000, 16));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<Integer>> ended = new ArrayList<>();
            for (int client = 0; client < clients; client++) {
                Random random = new Random(client);
                ended.add(threads.submit(() -> {
                    start.await();
                    return traffic(engine, random);
                }));
            }
            start.countDown();
            int requests = 0;
            for (Future<Integer> each : ended) {
                requests += each.get();
            }
            assertThat(engine.close(Duration.ofMinutes(1))).isTrue();
            EngineStatus status = engine.status();
            assertThat(status.counters().finished()).isEqualTo(requests);
            assertThat(status.counters().failed()).isZero();
            assertThat(status.slots()).allMatch(slot -> slot.state() == SlotState.IDLE);
        }
    }

    /** Random requests, some of them cancelled; returns how many. */
    private static int traffic(Engine engine, Random random) throws InterruptedException {
        int requests = 12;
        for (int i = 0; i < requests; i++) {
            int[] prompt = EngineModels.longPrompt(1 + random.nextInt(120), random.nextInt(3));
            int most = random.nextInt(20);
            Completion completion = engine.submit(CompletionRequest.builder(prompt)
                    .sampling(SamplingOptions.defaults().withSeed(random.nextLong()))
                    .ignoresEnd(true)
                    .maxTokens(most)
                    .build());
            boolean cancels = random.nextInt(4) == 0;
            if (cancels) {
                completion.next();
                completion.cancel();
            }
            CompletionResult result = completion.await();
            if (!cancels) {
                assertThat(result.tokens()).hasSize(most);
            }
        }
        return requests;
    }
}
