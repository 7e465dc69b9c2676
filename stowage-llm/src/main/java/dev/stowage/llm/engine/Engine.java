package dev.stowage.llm.engine;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.BusyException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.llm.LanguageModel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Generates many texts at once with one model. Requests share the memory of one session, which is taken when the engine is
 * opened: as many at once as {@link dev.stowage.llm.ModelOptions#withSequences} says, in slots, and together as many tokens
 * as {@link dev.stowage.llm.ModelOptions#withContext} says. Others wait in a queue.
 *
 * {@snippet class="dev.stowage.llm.engine.EngineSnippetTest" region="engine"}
 *
 * <p>In each step the next token of every text and pieces of the prompts that are being read go through the model together.
 * A request begins with what the cache has of its prompt, so the next turn of a conversation reads only what is new.
 * How many tokens a request may have is decided when it is submitted, and the cells for these are kept for it: its text
 * does not depend on what else runs. The last bits of its logits may, where a device adds in another order for several
 * tokens than for one.
 *
 * <p>All methods may be called by any thread. The model must stay open as long as the engine, which does not close it.
 */
public final class Engine implements AutoCloseable {

    private final LanguageModel model;
    private final EngineOptions options;
    private final RequestChecks checks;
    private final LongSupplier clock;
    private final EngineLoop loop;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final RequestQueue queue = new RequestQueue();
    private long submitted;
    private boolean refusing;
    private boolean cancelling;
    private boolean ended;
    /** The parts that only the thread of the engine knows, as of the last step. */
    private volatile EngineStatus status;

    /**
     * Opens a session of a model and starts the thread that runs it.
     *
     * @throws AllocationException if there is too little memory
     */
    public Engine(LanguageModel model, EngineOptions options) {
        this(model, options, System::nanoTime);
    }

    /** With a clock that tests set. */
    Engine(LanguageModel model, EngineOptions options, LongSupplier clock) {
        this.model = model;
        this.options = options;
        this.checks = new RequestChecks(model);
        this.clock = clock;
        this.loop = new EngineLoop(model, options, clock);
        this.status = loop.status(0);
        this.thread = Thread.ofPlatform().name("stowage-engine").daemon().unstarted(this::run);
        thread.start();
    }

    /** The model that it runs. */
    public LanguageModel model() {
        return model;
    }

    /** The bytes of the cache on a device, by the device's number. */
    public long cacheBytes(int device) {
        return loop.session().cacheBytes(device);
    }

    /** The bytes taken for results on a device, by the device's number. */
    public long computeBytes(int device) {
        return loop.session().computeBytes(device);
    }

    /**
     * Submits a request; its text is generated from now on, whether or not somebody waits for it.
     *
     * @throws AccessException if the prompt has no tokens, the vocabulary lacks one of them, or the model writes no text
     * @throws AllocationException if the context can never hold the prompt
     * @throws BusyException if as many requests are waiting as may
     * @throws ClosedException if the engine is closed
     * @throws DeviceLostException if a device of the model was lost: then nothing can run until the model is opened again
     */
    public Completion submit(CompletionRequest request) {
        model.requireText();
        return submit(request, null);
    }

    /** How vectors are made of texts unless asked otherwise: as the file of the model says, or else of the mean. */
    public Pooling pooling() {
        return Pooling.of(model.metadata()).orElse(Pooling.MEAN);
    }

    /** The vector of a text, as {@link #embed(int[], Pooling)} makes it with the {@link #pooling()} of the model. */
    public float[] embed(int[] tokens) throws InterruptedException {
        return embed(tokens, pooling());
    }

    /**
     * The vector of a text, of length 1: texts of similar meaning have similar vectors, as far as the model was trained for
     * that. Waits until it is there; meanwhile others go on.
     *
     * @throws AccessException if there are no tokens, or the vocabulary lacks one of them
     * @throws AllocationException if the context can never hold them
     * @throws BusyException if as many requests are waiting as may
     * @throws ClosedException if the engine is closed, before or meanwhile
     */
    public float[] embed(int[] tokens, Pooling pooling) throws InterruptedException {
        CompletionRequest request = CompletionRequest.builder(tokens)
                .maxTokens(0)
                .sharesCache(false)
                .build();
        Pooler pooler =
                new Pooler(pooling, tokens.length, model.blueprint().shape().width());
        Completion completion = submit(request, pooler);
        try {
            if (completion.await().reason() == FinishReason.CANCELLED) {
                throw closed();
            }
        } catch (InterruptedException e) {
            completion.cancel();
            throw e;
        }
        return pooler.vector();
    }

    private Completion submit(CompletionRequest request, @Nullable Pooler pooler) {
        checks.require(request);
        int limit = checks.limit(request);
        lock.lock();
        try {
            if (refusing) {
                throw closed();
            }
            status.loss().ifPresent(loss -> {
                throw loss;
            });
            if (queue.size() >= options.queueLimit() && !canBeginSoon()) {
                throw new BusyException("all " + model.options().sequences() + " slots are busy, and " + queue.size()
                        + " requests are waiting, which is the limit: try again later");
            }
            Completion completion = new Completion(++submitted, this::wake);
            queue.add(new Job(request, completion, limit, clock.getAsLong(), model.tokenizer(), pooler));
            changed.signalAll();
            return completion;
        } finally {
            lock.unlock();
        }
    }

    /** With a queue of no requests, one can still begin where a slot is free. */
    private boolean canBeginSoon() {
        long idle = status.slots().stream()
                .filter(slot -> slot.state() == EngineStatus.SlotState.IDLE)
                .count();
        return queue.size() < idle;
    }

    /** What it does now, and has done so far. */
    public EngineStatus status() {
        return status;
    }

    private void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try (loop) {
            boolean goesOn = true;
            while (goesOn) {
                goesOn = round();
            }
        } finally {
            end();
        }
    }

    /** One step, when there is something to do; says whether there may be more. */
    private boolean round() {
        try {
            if (!awaitWork()) {
                return false;
            }
            step();
            publish();
        } catch (RuntimeException | Error e) {
            // Such as too little heap for a moment: it ends the requests there are, and those to come find the engine.
            failEverything(unforeseen(e));
        }
        return true;
    }

    private void step() {
        try {
            if (loop.isBusy()) {
                loop.step();
            }
        } catch (RuntimeException | Error e) {
            // Nobody else would hear of it, and those who wait must not wait for ever.
            loop.startAgain(unforeseen(e));
        }
    }

    private static RuntimeException unforeseen(Throwable failure) {
        return failure instanceof RuntimeException exception ? exception : new IllegalStateException(failure);
    }

    private void failEverything(RuntimeException cause) {
        lock.lock();
        try {
            loop.startAgain(cause);
            failQueued(cause);
            publish();
        } finally {
            lock.unlock();
        }
    }

    private void failQueued(RuntimeException cause) {
        for (Job job : queue.removeIf(_ -> true)) {
            loop.fail(job, cause);
        }
    }

    /** Waits until there is something to do, and begins what can begin; says whether to go on. */
    private boolean awaitWork() {
        lock.lock();
        try {
            loop.endSome(cancelling);
            endQueued();
            beginQueued();
            publish();
            while (!loop.isBusy()) {
                if (refusing && queue.size() == 0) {
                    return false;
                }
                changed.awaitUninterruptibly();
                endQueued();
                beginQueued();
                publish();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void endQueued() {
        long now = clock.getAsLong();
        for (Job job :
                queue.removeIf(each -> cancelling || each.endedFromOutside(now).isPresent())) {
            loop.end(job, job.endedFromOutside(now).orElse(FinishReason.CANCELLED));
        }
    }

    private void beginQueued() {
        for (Job job = queue.first(); job != null && loop.begin(job); job = queue.first()) {
            queue.removeFirst();
        }
    }

    /** The status first: who hears of the end of a request finds its slot free. */
    private void publish() {
        lock.lock();
        try {
            status = loop.status(queue.size());
            loop.tellEnds();
        } finally {
            lock.unlock();
        }
    }

    /** Ends whatever is left, as the thread ends. */
    private void end() {
        lock.lock();
        try {
            refusing = true;
            loop.failAll(closed());
            failQueued(closed());
            publish();
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static ClosedException closed() {
        return new ClosedException("this engine is closed; open another one of the model");
    }

    /** Refuses further requests, cancels all there are, and gives back memory and threads. Closing twice is fine. */
    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /**
     * Refuses further requests, waits for those there are, cancels what is left after a time, and gives back memory and
     * threads.
     *
     * @return whether nothing had to be cancelled
     */
    public boolean close(Duration atMost) {
        lock.lock();
        try {
            refusing = true;
            changed.signalAll();
            boolean inTime = awaitEnd(TimeUnit.NANOSECONDS.convert(atMost));
            if (!inTime) {
                cancelling = true;
                changed.signalAll();
            }
            while (!ended && !Thread.currentThread().equals(thread)) {
                changed.awaitUninterruptibly();
            }
            return inTime;
        } finally {
            lock.unlock();
        }
    }

    /** Says whether it ended in time. */
    private boolean awaitEnd(long nanos) {
        long left = nanos;
        try {
            while (!ended && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ended;
    }
}
