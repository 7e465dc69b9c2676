package dev.stowage.llm.engine;

import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.StowageException;
import dev.stowage.llm.Batch;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.Session;
import dev.stowage.llm.engine.EngineStatus.SlotState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What the thread of an engine does, step by step:
 *
 * <ol>
 *   <li>requests that were cancelled or have no time left end;
 *   <li>requests begin in free slots ({@link SlotChoice});
 *   <li>one batch takes the next token of every slot that generates, and pieces of the prompts that are being read
 *       ({@link TextBatch});
 *   <li>the batch goes through the model, and each slot gets its next token.
 * </ol>
 */
final class EngineLoop implements AutoCloseable {

    private final LanguageModel model;
    private final LongSupplier clock;
    private final Session session;
    private final List<Slot> slots;
    private final SlotChoice choice;
    private final TextBatch generating;
    private final PoolingBatch pooling;
    private final Batch batch = new Batch();

    /** Has those who wait hear of the requests that have ended. */
    private final List<Runnable> news = new ArrayList<>();

    private final EngineCounts counts = new EngineCounts();

    /** The weights and the cache were on a device that is lost. */
    private Optional<DeviceLostException> loss = Optional.empty();

    EngineLoop(LanguageModel model, EngineOptions options, LongSupplier clock) {
        this.model = model;
        this.clock = clock;
        this.session = model.newSession();
        this.slots = IntStream.range(0, model.options().sequences())
                .mapToObj(Slot::new)
                .toList();
        this.choice = new SlotChoice(session, slots);
        int batchSize = model.options().session(model.blueprint()).tokens();
        boolean encodes = model.blueprint().shape().isEncoder();
        this.generating = new TextBatch(slots, batchSize, options.promptPiece());
        this.pooling = new PoolingBatch(session, slots, encodes, batchSize, options.promptPiece());
    }

    Session session() {
        return session;
    }

    /** Whether a slot has a request. */
    boolean isBusy() {
        return slots.stream().anyMatch(slot -> !slot.isIdle());
    }

    /** Begins a request in a slot if there is one, and room. */
    boolean begin(Job job) {
        try {
            // Made before it has a slot: what the request asks for may fail.
            job.chooser();
            job.start(clock.getAsLong());
            return choice.begin(job, counts.steps());
        } catch (RuntimeException e) {
            fail(job, e);
            return true;
        }
    }

    /** Ends requests that somebody wants to end, or all of them. */
    void endSome(boolean all) {
        for (Slot slot : slots) {
            if (!slot.isIdle()) {
                Optional<FinishReason> reason =
                        all ? Optional.of(FinishReason.CANCELLED) : slot.job().endedFromOutside(clock.getAsLong());
                reason.ifPresent(why -> end(slot, why));
            }
        }
    }

    /** Ends a request that has no slot. */
    void end(Job job, FinishReason reason) {
        counts.finished();
        job.start(clock.getAsLong());
        news.add(job.end(reason, clock.getAsLong()));
    }

    private void end(Slot slot, FinishReason reason) {
        Job job = slot.job();
        slot.end();
        counts.finished();
        news.add(job.end(reason, clock.getAsLong()));
    }

    /** Has those who wait hear of the requests that have ended since the last call, which no status shows any more. */
    void tellEnds() {
        news.forEach(Runnable::run);
        news.clear();
    }

    /** Runs one batch. */
    void step() {
        slots.stream().filter(slot -> slot.state() == SlotState.WAITING).forEach(choice::resume);
        long start = clock.getAsLong();
        int[] read = generating.fill(batch);
        if (batch.size() > 0) {
            runText(read, start);
        }
        pool();
    }

    private static Optional<DeviceLostException> lossIn(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof DeviceLostException lost) {
                return Optional.of(lost);
            }
        }
        return Optional.empty();
    }

    /** Runs the batch; says whether it succeeded. Otherwise the requests that have tokens in it have failed. */
    private boolean run(int[] read) {
        try {
            session.run(batch);
            counts.step();
            return true;
        } catch (StowageException e) {
            loss = loss.or(() -> lossIn(e));
            for (Slot slot : slots) {
                if (read[slot.sequence()] > 0) {
                    fail(slot, e);
                }
            }
            return false;
        }
    }

    private void runText(int[] read, long start) {
        if (!run(read)) {
            return;
        }
        boolean reads = false;
        for (Slot slot : slots) {
            int count = read[slot.sequence()];
            if (count > 0 && slot.state() == SlotState.READING) {
                reads = true;
                counts.read(count);
                slot.read(count, counts.steps());
                counts.cached(slot.state() == SlotState.GENERATING ? slot.job().cachedTokens() : 0);
            } else if (count > 0) {
                slot.generated(counts.steps());
            }
            if (count > 0) {
                counts.slotStep(slot.cached());
            }
        }
        for (int output = 0; output < generating.outputs().size(); output++) {
            advance(generating.outputs().get(output), output);
        }
        counts.took(clock.getAsLong() - start, reads);
    }

    /** Reads on in texts whose vectors are wanted: in a batch of their own, as it gives states and no logits. */
    private void pool() {
        long start = clock.getAsLong();
        int[] read = pooling.fill(batch);
        if (batch.size() == 0 || !run(read)) {
            return;
        }
        pooling.collect(read);
        counts.took(clock.getAsLong() - start, true);
        for (Slot slot : slots) {
            int count = read[slot.sequence()];
            if (count > 0) {
                counts.read(count);
                slot.read(count, counts.steps());
                counts.slotStep(slot.cached());
                if (slot.state() == SlotState.GENERATING) {
                    end(slot, FinishReason.MAX_TOKENS);
                }
            }
        }
    }

    /** Chooses the next token of a slot, and ends its request if that was the last. */
    private void advance(Slot slot, int output) {
        Job job = slot.job();
        try {
            if (job.request().maxTokens() == 0) {
                end(slot, FinishReason.MAX_TOKENS);
                return;
            }
            int token = batch.isGreedy() ? session.token(output) : -1;
            float @Nullable [] logits = token < 0 || TokenChooser.isDoubtful(token) ? session.logits(output) : null;
            if (logits != null) {
                token = job.chooser().choose(logits);
            }
            counts.generated();
            if (model.tokenizer().vocabulary().isEnd(token)) {
                end(slot, FinishReason.END_OF_TEXT);
                return;
            }
            job.add(token, probability(job.request(), logits, token), clock.getAsLong());
            slot.setPending(token);
            job.reachedEnd(job.chooser().mustEnd()).ifPresent(reason -> end(slot, reason));
        } catch (RuntimeException e) {
            // What a request asks for, such as its grammar, fails that request alone.
            fail(slot, e);
        }
    }

    private static Optional<TokenProbability> probability(
            CompletionRequest request, float @Nullable [] logits, int token) {
        return logits == null
                ? Optional.empty()
                : request.probabilities().map(most -> Probabilities.of(logits, token, most));
    }

    /** Fails every request that has a slot. */
    void failAll(RuntimeException cause) {
        slots.stream().filter(slot -> !slot.isIdle()).forEach(slot -> fail(slot, cause));
    }

    /**
     * Fails every request that has a slot, after something went wrong that was not foreseen, such as too little heap: what a
     * slot holds may not be what the cache has any more, so all begin empty.
     */
    void startAgain(RuntimeException cause) {
        failAll(cause);
        try {
            slots.forEach(choice::empty);
        } catch (ClosedException _) {
            // Nothing runs in it any more.
        }
    }

    private void fail(Slot slot, RuntimeException cause) {
        Job job = slot.job();
        slot.end();
        fail(job, cause);
    }

    void fail(Job job, RuntimeException cause) {
        counts.failed();
        StowageException failure = cause instanceof StowageException known
                ? known
                : new InvalidPlanException("request " + job.completion().number() + " failed: " + cause);
        news.add(() -> job.completion().fail(failure));
    }

    EngineStatus status(int queued) {
        return new EngineStatus(
                slots.stream().map(Slot::status).toList(),
                queued,
                session.context(),
                session.room(),
                counts.counters(),
                loss);
    }

    @Override
    public void close() {
        session.close();
    }
}
