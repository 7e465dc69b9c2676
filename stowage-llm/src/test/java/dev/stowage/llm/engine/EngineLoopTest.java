package dev.stowage.llm.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.Backend;
import dev.stowage.device.RunListener;
import dev.stowage.error.DeviceLostException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.graph.Graph;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.engine.EngineStatus.SlotState;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.llm.sampling.TokenConstraint;
import dev.stowage.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What each step of an engine does, without its thread. */
class EngineLoopTest {

    private static final int CONTEXT = 512;
    private static final EngineOptions OPTIONS = new EngineOptions(8, 16);

    private final AtomicLong now = new AtomicLong();
    private final LanguageModel model = EngineModels.open(4, CONTEXT);
    private final EngineLoop loop = new EngineLoop(model, OPTIONS, now::get);
    private long number;

    @AfterEach
    void close() {
        loop.close();
        model.close();
    }

    private Job job(CompletionRequest request, int limit) {
        Completion completion = new Completion(++number, () -> {});
        return new Job(request, completion, limit, now.get(), model.tokenizer(), null);
    }

    private Completion begin(CompletionRequest request) {
        Job job = job(request, Math.min(CONTEXT, request.promptTokens() + Math.min(100, request.maxTokens())));
        assertThat(loop.begin(job)).as("has a slot").isTrue();
        return job.completion();
    }

    private static CompletionRequest.Builder greedy(int... prompt) {
        return CompletionRequest.builder(prompt)
                .sampling(SamplingOptions.greedy())
                .ignoresEnd(true);
    }

    private void step() {
        loop.step();
        loop.tellEnds();
    }

    private SlotState state(int slot) {
        return loop.status(0).slots().get(slot).state();
    }

    private void finish(Completion completion) {
        loop.tellEnds();
        while (!completion.isDone()) {
            step();
        }
    }

    @Test
    void aShortPromptIsReadInOneStepWhileALongOneIsRead() throws InterruptedException {
        Completion long1 =
                begin(greedy(EngineModels.longPrompt(300, 1)).maxTokens(2).build());
        step();
        assertThat(state(0)).isEqualTo(SlotState.READING);
        Completion brief =
                begin(greedy(EngineModels.longPrompt(8, 2)).maxTokens(2).build());
        step();
        assertThat(brief.next()).as("its first token, after one step").isPresent();
        assertThat(state(0)).isEqualTo(SlotState.READING);
        finish(long1);
        assertThat(long1.await().promptTokens()).isEqualTo(300);
    }

    @Test
    void aShortRequestWaitsTwoStepsAtMostForALongPrompt() throws InterruptedException {
        try (LanguageModel large = EngineModels.open(2, 2500);
                EngineLoop twoSlots = new EngineLoop(large, EngineOptions.defaults(), now::get)) {
            int[] prompt = EngineModels.longPrompt(2000, 1);
            twoSlots.begin(job(greedy(prompt).maxTokens(2).build(), 2001));
            twoSlots.step();
            Job brief = job(greedy(EngineModels.longPrompt(20, 2)).maxTokens(9).build(), 28);
            twoSlots.begin(brief);
            twoSlots.step();
            assertThat(brief.generated())
                    .as("with the first step after it was submitted")
                    .isEqualTo(1);
            assertThat(twoSlots.status(0).slots().getFirst().state()).isEqualTo(SlotState.READING);
        }
    }

    @Test
    void aTextWhoseVectorIsWantedIsReadInPiecesWhileOthersGenerate() {
        begin(greedy(EngineModels.longPrompt(4, 1)).maxTokens(90).build());
        step();
        CompletionRequest vector =
                greedy(EngineModels.longPrompt(60, 2)).maxTokens(0).build();
        Pooler pooler = new Pooler(Pooling.MEAN, 60, model.blueprint().shape().width());
        loop.begin(new Job(vector, new Completion(9, () -> {}), 60, now.get(), model.tokenizer(), pooler));
        step();
        assertThat(loop.status(0).slots().get(1).tokens()).isEqualTo(OPTIONS.promptPiece());
    }

    @Test
    void textsGoOnInEveryStepWhileAPromptIsReadInPieces() {
        Completion stream =
                begin(greedy(EngineModels.longPrompt(4, 1)).maxTokens(50).build());
        step();
        begin(greedy(EngineModels.longPrompt(100, 2)).maxTokens(2).build());
        int before = loop.status(0).slots().getFirst().generatedTokens();
        int steps = 0;
        while (state(1) == SlotState.READING) {
            step();
            steps++;
        }
        assertThat(steps).isEqualTo(Math.ceilDiv(100, OPTIONS.promptPiece()));
        assertThat(loop.status(0).slots().getFirst().generatedTokens()).isEqualTo(before + steps);
        assertThat(stream.isDone()).isFalse();
    }

    @Test
    void theNextTurnOfAConversationReadsOnlyWhatIsNew() throws InterruptedException {
        int[] first = EngineModels.longPrompt(60, 1);
        Completion turn = begin(greedy(first).maxTokens(5).build());
        finish(turn);
        List<Integer> said = turn.await().tokens();
        // The last token was never run through the model.
        int[] second = IntStream.concat(
                        IntStream.concat(Arrays.stream(first), said.stream().mapToInt(Integer::intValue)),
                        IntStream.of(400, 401, 402))
                .toArray();
        long read = loop.status(0).counters().promptTokens();
        Completion next = begin(greedy(second).maxTokens(1).build());
        finish(next);
        assertThat(next.await().cachedTokens()).isEqualTo(60 + 4);
        assertThat(loop.status(0).counters().promptTokens() - read).isEqualTo(1 + 3);
    }

    @Test
    void theSamePromptAgainReadsOneToken() throws InterruptedException {
        int[] prompt = EngineModels.longPrompt(40, 1);
        finish(begin(greedy(prompt).maxTokens(3).build()));
        Completion again = begin(greedy(prompt).maxTokens(3).build());
        finish(again);
        assertThat(again.await().cachedTokens()).isEqualTo(39);
        Completion afresh = begin(greedy(prompt).maxTokens(3).sharesCache(false).build());
        finish(afresh);
        assertThat(afresh.await().cachedTokens()).isZero();
        assertThat(afresh.await().text()).isEqualTo(again.await().text());
    }

    @Test
    void aBeginningIsSharedWithASlotAtWorkWithoutFurtherCells() {
        int[] prompt = EngineModels.longPrompt(64, 1);
        begin(greedy(prompt).maxTokens(50).build());
        while (state(0) != SlotState.GENERATING) {
            step();
        }
        int free = loop.status(0).freeCells();
        begin(greedy(prompt).maxTokens(50).build());
        assertThat(loop.status(0).freeCells()).isEqualTo(free);
        assertThat(loop.status(0).slots().get(1).tokens()).isEqualTo(63);
    }

    @Test
    void aBeginningThatIsBeingReadIsReadOnce() throws InterruptedException {
        int[] prompt = EngineModels.longPrompt(150, 1);
        int[] other = prompt.clone();
        other[140] = 299;
        Completion first = begin(greedy(prompt).maxTokens(2).build());
        Completion second = begin(greedy(other).maxTokens(2).build());
        assertThat(state(1)).isEqualTo(SlotState.WAITING);
        finish(first);
        finish(second);
        assertThat(second.await().cachedTokens()).isEqualTo(140);
        assertThat(loop.status(0).counters().promptTokens()).isEqualTo(150 + 10);
    }

    @Test
    void whoWaitsForABeginningGoesOnAloneIfItsReaderIsCancelled() throws InterruptedException {
        int[] prompt = EngineModels.longPrompt(200, 1);
        Completion first = begin(greedy(prompt).maxTokens(2).build());
        Completion second = begin(greedy(prompt).maxTokens(2).build());
        step();
        first.cancel();
        loop.endSome(false);
        loop.tellEnds();
        finish(second);
        assertThat(first.await().reason()).isEqualTo(FinishReason.CANCELLED);
        assertThat(second.await().cachedTokens()).isEqualTo(64);
        assertThat(loop.status(0).counters().promptTokens()).isEqualTo(200);
    }

    @Test
    void aRequestBeginsOnlyWhenAllCellsItMayNeedAreFree() throws InterruptedException {
        Completion large =
                begin(greedy(EngineModels.longPrompt(300, 1)).maxTokens(100).build());
        Job waiting = job(greedy(EngineModels.longPrompt(100, 2)).maxTokens(50).build(), 150);
        assertThat(loop.begin(waiting)).isFalse();
        finish(large);
        assertThat(large.await().tokens()).hasSize(100);
        assertThat(loop.begin(waiting)).isTrue();
        finish(waiting.completion());
        assertThat(waiting.completion().await().tokens()).hasSize(50);
    }

    @Test
    void whatFinishedRequestsLeftMakesRoomForOthers() {
        for (int i = 0; i < 4; i++) {
            finish(begin(greedy(EngineModels.longPrompt(120, i)).maxTokens(5).build()));
        }
        assertThat(loop.status(0).freeCells()).isLessThan(100);
        Completion large =
                begin(greedy(EngineModels.longPrompt(400, 9)).maxTokens(5).build());
        finish(large);
        assertThat(loop.status(0).slots()).anyMatch(slot -> slot.tokens() == 404);
    }

    @Test
    void bothTextsStayWhereTheirPromptsDifferLate() {
        int[] one = EngineModels.longPrompt(80, 1);
        int[] other = one.clone();
        other[60] = 299;
        finish(begin(greedy(one).maxTokens(1).build()));
        finish(begin(greedy(other).maxTokens(1).build()));
        Completion again = begin(greedy(one).maxTokens(1).build());
        finish(again);
        assertThat(loop.status(0).counters().promptTokens()).isEqualTo(80 + 20 + 1);
    }

    @Test
    void aRequestEndsWithItsTime() throws InterruptedException {
        Completion completion = begin(greedy(EngineModels.longPrompt(4, 1))
                .maxTokens(90)
                .timeLimit(Duration.ofSeconds(1))
                .build());
        step();
        now.addAndGet(999_999_999);
        loop.endSome(false);
        loop.tellEnds();
        assertThat(completion.isDone()).isFalse();
        now.incrementAndGet();
        loop.endSome(false);
        loop.tellEnds();
        assertThat(completion.await().reason()).isEqualTo(FinishReason.TIME_LIMIT);
        assertThat(completion.await().tokens()).hasSize(1);
        assertThat(loop.isBusy()).isFalse();
    }

    @Test
    void theEndOfItsPartOfTheContextEndsAText() throws InterruptedException {
        Job job = job(greedy(EngineModels.longPrompt(10, 1)).build(), 15);
        loop.begin(job);
        finish(job.completion());
        assertThat(job.completion().await().reason()).isEqualTo(FinishReason.CONTEXT_FULL);
        assertThat(job.completion().await().tokens())
                .as("the last takes no cell")
                .hasSize(6);
    }

    @Test
    void noTokensAtAllOnlyReadThePrompt() throws InterruptedException {
        Completion completion =
                begin(greedy(EngineModels.longPrompt(10, 1)).maxTokens(0).build());
        finish(completion);
        assertThat(completion.await().text()).isEmpty();
        assertThat(completion.await().reason()).isEqualTo(FinishReason.MAX_TOKENS);
        assertThat(loop.status(0).slots().getFirst().tokens()).isEqualTo(10);
    }

    @Test
    void aStopStringEndsATextAndIsNotPartOfIt() throws InterruptedException {
        int[] prompt = EngineModels.tokens(model, "harbor, n.");
        Completion whole = begin(greedy(prompt).maxTokens(30).build());
        finish(whole);
        String text = whole.await().text();
        String stop = text.substring(12, 15);
        Completion stopped =
                begin(greedy(prompt).maxTokens(30).stop(List.of(stop)).build());
        finish(stopped);
        assertThat(stopped.await().reason()).isEqualTo(FinishReason.STOP_STRING);
        assertThat(stopped.await().stopString()).contains(stop);
        assertThat(stopped.await().text()).isEqualTo(text.substring(0, text.indexOf(stop)));
        StringBuilder parts = new StringBuilder();
        stopped.next().ifPresent(part -> parts.append(part.text()));
        for (var part = stopped.next(); part.isPresent(); part = stopped.next()) {
            parts.append(part.get().text());
        }
        assertThat(parts.toString()).isEqualTo(stopped.await().text());
    }

    @Test
    void probabilitiesAreThoseOfTheModel() throws InterruptedException {
        Completion completion = begin(greedy(EngineModels.tokens(model, "harbor, n."))
                .maxTokens(3)
                .probabilities(4)
                .build());
        finish(completion);
        CompletionResult result = completion.await();
        assertThat(result.probabilities()).extracting(TokenProbability::token).isEqualTo(result.tokens());
        for (TokenProbability each : result.probabilities()) {
            assertThat(each.most()).hasSize(4);
            assertThat(each.most().getFirst().token()).as("greedy").isEqualTo(each.token());
            assertThat(each.logProbability())
                    .isEqualTo(each.most().getFirst().logProbability())
                    .isNegative();
        }
        List<TokenProbability> streamed = new ArrayList<>();
        for (var part = completion.next(); part.isPresent(); part = completion.next()) {
            streamed.addAll(part.get().probabilities());
        }
        assertThat(streamed).isEqualTo(result.probabilities());
    }

    @Test
    void biasExcludesAToken() throws InterruptedException {
        int[] prompt = EngineModels.tokens(model, "harbor, n.");
        Completion plain = begin(greedy(prompt).maxTokens(1).build());
        finish(plain);
        int first = plain.await().tokens().getFirst();
        Completion biased = begin(greedy(prompt)
                .maxTokens(1)
                .bias(Map.of(first, Float.NEGATIVE_INFINITY, 777, 1000f))
                .build());
        finish(biased);
        assertThat(biased.await().tokens()).containsExactly(777);
    }

    @Test
    void anEngineWhoseDeviceIsLostSaysSo() throws InterruptedException {
        finish(begin(greedy(5).maxTokens(2).build()));
        assertThat(loop.status(0).loss()).isEmpty();
        loop.session().listen(new RunListener() {
            @Override
            public void computed(Backend backend, List<Tensor> nodes, long start, long end) {}

            @Override
            public void ranSplit(Backend backend, int split, Graph graph, long start, long end) {
                throw DeviceLostException.of("cpu", "a kernel", new IllegalStateException("unplugged"));
            }
        });
        Completion failing = begin(greedy(6).maxTokens(2).build());
        finish(failing);
        assertThatThrownBy(failing::await).hasMessageContaining("unplugged");
        assertThat(loop.status(0).loss())
                .hasValueSatisfying(loss -> assertThat(loss.device()).isEqualTo("cpu"));
        assertThat(loop.isBusy()).isFalse();
    }

    /** Allows one token in each place. */
    private record Only(List<Integer> tokens, AtomicLong at) implements TokenConstraint {

        @Override
        public void mask(float[] logits) {
            int allowed = tokens.get((int) at.get());
            if (allowed < 0) {
                throw new MalformedDataException("nothing is allowed");
            }
            for (int token = 0; token < logits.length; token++) {
                logits[token] = token == allowed ? logits[token] : Float.NEGATIVE_INFINITY;
            }
        }

        @Override
        public void accept(int token) {
            at.incrementAndGet();
        }

        @Override
        public boolean mustEnd() {
            return at.get() == tokens.size();
        }
    }

    @Test
    void aTextConformsToItsConstraintAndEndsWithIt() throws InterruptedException {
        Completion completion = begin(greedy(EngineModels.longPrompt(5, 1))
                .maxTokens(20)
                .constraint(() -> new Only(List.of(500, 501, 502), new AtomicLong()))
                .build());
        finish(completion);
        assertThat(completion.await().tokens()).containsExactly(500, 501, 502);
        assertThat(completion.await().reason()).isEqualTo(FinishReason.END_OF_TEXT);
    }

    @Test
    void aConstraintThatFailsFailsItsRequestAlone() throws InterruptedException {
        Completion other =
                begin(greedy(EngineModels.longPrompt(5, 2)).maxTokens(10).build());
        Completion failing = begin(greedy(EngineModels.longPrompt(5, 1))
                .maxTokens(20)
                .constraint(() -> new Only(List.of(500, -1), new AtomicLong()))
                .build());
        Completion unmade = begin(greedy(EngineModels.longPrompt(5, 1))
                .constraint(() -> {
                    throw new IllegalStateException("no such grammar");
                })
                .build());
        finish(other);
        assertThat(other.await().tokens()).hasSize(10);
        assertThatThrownBy(failing::await)
                .isInstanceOf(MalformedDataException.class)
                .hasMessage("nothing is allowed");
        assertThatThrownBy(unmade::await).hasMessageContaining("no such grammar");
        assertThat(loop.status(0).counters().failed()).isEqualTo(2);
    }
}
