package dev.stowage.llm.engine;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.BusyException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.llm.LanguageModel;
import java.time.Duration;
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
    private final EngineThread thread;

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
        this.thread = new EngineThread(loop, clock);
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
                throw EngineThread.closed();
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
        return thread.submit(options.queueLimit(), number -> {
            Completion completion = new Completion(number, thread::wake);
            return new Job(request, completion, limit, clock.getAsLong(), model.tokenizer(), pooler);
        });
    }

    /** What it does now, and has done so far. */
    public EngineStatus status() {
        return thread.status();
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
        return thread.close(atMost);
    }
}
