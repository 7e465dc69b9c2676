package dev.stowage.llm;

import dev.stowage.device.Device;
import dev.stowage.device.RunListener;
import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.llm.fit.SessionShape;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.llm.sampling.Sampler;
import dev.stowage.models.KeyValueCache;
import dev.stowage.models.LayerPlacement;
import dev.stowage.models.TokenChoice;
import dev.stowage.models.TransformerShape;
import dev.stowage.schedule.NodeObserver;
import dev.stowage.schedule.Schedule;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A running model: a cache with the tokens of one or several sequences so far, and the memory and threads to run more
 * of them through the model.
 *
 * {@snippet class="dev.stowage.llm.SnippetTest" region="session"}
 *
 * <p>All memory is taken when the session is opened, for a full batch over the whole context with logits after one
 * token of each sequence; only a run that wants more logits takes more. Tokens are never dropped to make room: a run
 * that does not fit into the context is refused, and the session is as it was.
 *
 * <p>The session of an {@linkplain dev.stowage.models.EncoderTraits encoder} keeps nothing: each batch has whole texts, one
 * for each sequence, which go through the model at once and whose tokens look at all others of their text. Runs give
 * {@linkplain Batch#states() states}, and sequences are empty after them.
 *
 * <p><b>Threads.</b> Several sessions of one model may be used at once, each by one thread at a time; a call while
 * another thread is inside one, or generates in the session, is refused. {@link #close()} may come from any thread at
 * any time.
 */
public final class Session implements AutoCloseable {

    private final int vocabulary;
    private final boolean encoder;
    private final CacheCells cells;
    private final SessionResources resources;
    private final BoundPasses passes;
    private final PassOutputs outputs;
    private final Drawing drawing;
    private final ThreadGuard guard = new ThreadGuard("session");
    private final SessionGate gate;
    private final SessionRuns runs;

    Session(
            ModelBlueprint blueprint,
            LayerPlacement layers,
            List<Device> devices,
            ModelOptions options,
            BooleanSupplier modelClosed) {
        SessionShape shape = options.session(blueprint);
        this.vocabulary = blueprint.shape().vocabulary();
        this.encoder = blueprint.shape().isEncoder();
        KeyValueCache cache = shape.newCache(blueprint);
        this.cells = cells(blueprint.shape(), cache, options.sequences());
        this.resources = new SessionResources(devices, layers, cache, options);
        this.passes = new BoundPasses(blueprint, layers, cache, resources.scheduler(), options.sequences());
        this.outputs = new PassOutputs(vocabulary, blueprint.shape().width(), resources);
        this.drawing = new Drawing(devices.get(layers.outputDevice()), vocabulary, shape.outputs());
        this.gate = new SessionGate(resources::close, modelClosed);
        boolean pipelined = options.schedule().copies() > 1;
        this.runs = new SessionRuns(shape.tokens(), pipelined, encoder, cells, resources, passes, outputs, gate);
        try {
            passes.reserve(shape);
        } catch (RuntimeException | Error e) {
            gate.close();
            throw e;
        }
    }

    private static CacheCells cells(TransformerShape shape, KeyValueCache cache, int sequences) {
        if (!shape.hasWindows()) {
            return new CacheCells(cache.cells(), sequences);
        }
        int window = shape.traits().window().size();
        return new CacheCells(cache.cells(), sequences, new WindowCells(cache.windowCells(), window, sequences));
    }

    /** How many tokens all sequences together may have. */
    public int context() {
        return cells.count();
    }

    /** For how many more tokens there is room. */
    public int room() {
        return cells.free();
    }

    /** How many tokens a sequence has. */
    public int length(int sequence) {
        return cells.length(sequence);
    }

    /** Cuts a sequence to its first tokens, which makes room. */
    public void truncate(int sequence, int length) {
        enter();
        try {
            cells.truncate(sequence, length);
        } finally {
            leave();
        }
    }

    /** Has a sequence without tokens begin with those of another, at no cost. */
    public void fork(int from, int to) {
        enter();
        try {
            cells.fork(from, to);
        } finally {
            leave();
        }
    }

    /** Takes all tokens of all sequences out. */
    public void clear() {
        enter();
        try {
            cells.clear();
        } finally {
            leave();
        }
    }

    /**
     * Runs tokens through the model, after those their sequences have already.
     *
     * @throws dev.stowage.error.AllocationException if the context has no room for all of them
     * @throws AccessException if there is no such token or sequence
     * @throws dev.stowage.error.ClosedException if the session or its model is closed, before or meanwhile
     * @throws dev.stowage.error.RunException if a device fails or the run is stopped; whatever is thrown, sequences are
     *     as they were
     */
    public void run(Batch batch) {
        enter();
        try {
            check(batch);
            runs.run(batch);
        } finally {
            leave();
        }
    }

    private void check(Batch batch) {
        for (int i = 0; i < batch.size(); i++) {
            int token = batch.token(i);
            if (token < 0 || token >= vocabulary) {
                throw new AccessException("there is no token " + token + " in a vocabulary of " + vocabulary);
            }
            cells.requireSequence(batch.sequence(i));
        }
        if (!encoder) {
            cells.requireFree(batch.size());
            return;
        }
        if (!(batch.choice() instanceof TokenChoice.States)) {
            throw new AccessException("this is an embedding model, which gives states of tokens and neither logits nor"
                    + " tokens: run a batch that asks for states");
        }
        if (batch.size() > context()) {
            throw new AllocationException(
                    "an embedding model reads texts whole, and this session has room for " + context()
                            + " tokens at once, not for " + batch.size()
                            + ": shorten the texts, or run them one by one",
                    "the tokens of a pass",
                    batch.size(),
                    context());
        }
    }

    /** For how many tokens of the last run there are logits, or tokens chosen. */
    public int outputs() {
        return outputs.count();
    }

    /**
     * The token that was chosen after one of the tokens of the last run, in the order of the batch, which must have been
     * {@linkplain Batch#greedy(boolean) greedy} or {@linkplain Batch#draw drawn}. A greedy choice is that of a {@link
     * Sampler} without temperature and penalties, the last where several have the largest logit. A drawn one is that of its
     * sampler, except where its random number is so close to the border between two tokens that f32 and f64 differ. It is 0
     * where no logit is a number.
     *
     * @throws AccessException if there were not so many, or the run gave logits
     */
    public int token(int output) {
        guard.enter();
        try {
            return outputs.token(output);
        } finally {
            guard.leave();
        }
    }

    /**
     * A logit for every token of the vocabulary, after one of the tokens of the last run that they were wanted for; in
     * the order of the batch. The array is used again by the next run. After a greedy run they are read from the device
     * now, as far as its last pass computed them.
     *
     * @throws AccessException if there were not so many
     */
    public float[] logits(int output) {
        guard.enter();
        try {
            return outputs.logits(output);
        } finally {
            guard.leave();
        }
    }

    /**
     * The state of the model after one of the tokens of the last run that outputs were wanted for, in the order of the
     * batch, which must have asked for {@linkplain Batch#states() states}. The array is used again by the next run.
     *
     * @throws AccessException if there were not so many, or the run gave none
     */
    public float[] state(int output) {
        guard.enter();
        try {
            return outputs.state(output);
        } finally {
            guard.leave();
        }
    }

    /**
     * Whether a batch should {@linkplain Batch#draw draw} with that sampler: the device draws as it does, and its logits
     * would have to be transferred to be drawn from by the host.
     */
    public boolean draws(Sampler sampler) {
        return drawing.isWorthwhile(sampler.options());
    }

    /** The bytes of the cache on a device, by the device's number. */
    public long cacheBytes(int device) {
        return resources.cacheBytes(device);
    }

    /** The bytes taken for results on a device, by the device's number. */
    public long computeBytes(int device) {
        return resources.computeBytes(device);
    }

    /** Which device computes which nodes, as of the last run. */
    public Optional<Schedule> schedule() {
        return passes.last().map(pass -> pass.bound().schedule());
    }

    /** Notifies a listener of the splits and copies of every later run, in place of an earlier listener. */
    public void listen(RunListener listener) {
        resources.scheduler().listen(listener);
    }

    /** Shows results of every later run to an observer while it runs, which takes time, in place of an earlier observer. */
    public void observe(NodeObserver observer) {
        resources.scheduler().observe(observer);
    }

    /** Ends {@link #observe}. */
    public void stopObserving() {
        resources.scheduler().stopObserving();
    }

    /** Refuses a second thread; a generation holds it from the prompt to the last token. */
    ThreadGuard guard() {
        return guard;
    }

    private void enter() {
        guard.enter();
        try {
            gate.enter();
        } catch (RuntimeException e) {
            guard.leave();
            throw e;
        }
    }

    private void leave() {
        try {
            gate.leave();
        } finally {
            guard.leave();
        }
    }

    /**
     * Gives back memory and threads. If another thread is at a pass through the model, this waits until that pass is
     * done; its next call is refused with a {@link dev.stowage.error.ClosedException}. Closing twice is fine.
     */
    @Override
    public void close() {
        gate.close();
    }
}
