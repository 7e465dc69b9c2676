package dev.stowage.llm;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.llm.fit.ResultMemory;
import dev.stowage.llm.fit.SessionShape;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.models.DecoderGraph;
import dev.stowage.models.KeyValueCache;
import dev.stowage.models.LayerNorms;
import dev.stowage.models.LayerPlacement;
import dev.stowage.models.Pass;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleRequest;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A model at work: a cache with the tokens of one or several sequences so far, and the memory and threads to run more of
 * them through the model.
 *
 * {@snippet :
 * try (Session session = model.newSession()) {
 *     session.run(new Batch().addAll(tokens, 0));
 *     float[] logits = session.logits(0); // behind the last token
 * }
 * }
 *
 * <p>All memory is taken when the session is opened, for a full batch over the whole context with logits behind one token
 * of each sequence; only a run that wants more logits takes more. Tokens are never dropped to make room: a run that does not
 * fit into the context is refused, and the session is as it was. Several sessions of one model may be used at once, each by
 * one thread at a time; a call while another thread is inside one is refused.
 */
public final class Session implements AutoCloseable {

    /** A graph that can be run again at any time, with its inputs. */
    private record Ready(DecoderGraph graph, PassInputs inputs, BoundSchedule bound) {}

    private final ModelBlueprint blueprint;
    private final LayerPlacement layers;
    private final int batchSize;
    private final int vocabulary;
    private final KeyValueCache cache;
    private final CacheCells cells;
    private final List<Buffer> cacheBuffers = new ArrayList<>();
    private final List<Backend> backends = new ArrayList<>();
    private final Scheduler scheduler;
    private final boolean pipelined;
    private final List<float[]> logits = new ArrayList<>();
    private final List<MemorySegment> logitBytes = new ArrayList<>();
    private final int[] lengthsBefore;
    private final BooleanSupplier modelClosed;
    private final ReentrantLock inUse = new ReentrantLock();

    private @Nullable Ready generation;
    private @Nullable Ready prompt;
    private @Nullable Ready last;
    private int outputs;
    private volatile boolean closing;
    private boolean closed;

    Session(
            ModelBlueprint blueprint,
            LayerPlacement layers,
            List<Device> devices,
            ModelOptions options,
            BooleanSupplier modelClosed) {
        SessionShape shape = options.session(blueprint);
        this.modelClosed = modelClosed;
        this.blueprint = blueprint;
        this.layers = layers;
        this.batchSize = shape.tokens();
        this.vocabulary = blueprint.shape().vocabulary();
        this.cache = shape.newCache(blueprint);
        this.lengthsBefore = new int[options.sequences()];
        this.pipelined = options.schedule().copies() > 1;
        try {
            placeCache(devices);
            this.cells = new CacheCells(shape.context(), options.sequences());
            devices.forEach(device -> backends.add(device.open(options.backend())));
            this.scheduler = Scheduler.over(backends, ResultMemory.of(devices), options.schedule());
        } catch (RuntimeException | Error e) {
            closeAll();
            throw e;
        }
        try {
            for (Pass pass : shape.largestPasses()) {
                scheduler.reserve(request(blueprint.graph(cache, pass)));
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void placeCache(List<Device> devices) {
        List<List<Tensor>> byDevice = new ArrayList<>();
        devices.forEach(_ -> byDevice.add(new ArrayList<>()));
        for (int layer = 0; layer < blueprint.shape().layers(); layer++) {
            byDevice.get(layers.deviceOf(layer)).addAll(cache.tensors(layer));
        }
        for (int device = 0; device < devices.size(); device++) {
            Buffer buffer = Allocations.allocateAll(
                    byDevice.get(device), devices.get(device).bufferType());
            cacheBuffers.add(buffer);
            // Cells that nobody wrote are masked, but what is not a number would shine through.
            buffer.clear((byte) 0);
        }
    }

    private ScheduleRequest request(DecoderGraph graph) {
        ScheduleRequest request = scheduler.request(graph.graph());
        return backends.size() > 1 ? request.assign(LayerNorms.assignments(graph.layers(), layers)) : request;
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
            for (int sequence = 0; sequence < cells.sequences(); sequence++) {
                cells.truncate(sequence, 0);
            }
        } finally {
            leave();
        }
    }

    /**
     * Runs tokens through the model, behind those their sequences have already.
     *
     * @throws dev.stowage.error.AllocationException if the context has no room for all of them
     * @throws AccessException if there is no such token or sequence
     * @throws dev.stowage.error.RunException if a device fails or the run is stopped; whatever is thrown, sequences are as
     *     they were
     */
    public void run(Batch batch) {
        enter();
        try {
            check(batch);
            runAll(batch);
        } finally {
            leave();
        }
    }

    private void runAll(Batch batch) {
        for (int sequence = 0; sequence < lengthsBefore.length; sequence++) {
            lengthsBefore[sequence] = cells.length(sequence);
        }
        outputs = 0;
        try {
            for (int from = 0; from < batch.size(); from += batchSize) {
                requireOpen();
                run(batch, from, Math.min(batch.size(), from + batchSize));
            }
            if (pipelined) {
                scheduler.synchronize();
            }
        } catch (RuntimeException | Error e) {
            outputs = 0;
            for (int sequence = 0; sequence < lengthsBefore.length; sequence++) {
                cells.truncate(sequence, lengthsBefore[sequence]);
            }
            throw e;
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
        cells.requireFree(batch.size());
    }

    private void run(Batch batch, int from, int to) {
        int wanted = 0;
        for (int i = from; i < to; i++) {
            wanted += batch.wantsLogits(i) ? 1 : 0;
        }
        int seen = Math.ceilDiv(cells.endWith(to - from), SessionShape.CELL_STEP) * SessionShape.CELL_STEP;
        Ready ready = ready(new Pass(to - from, Math.min(cells.count(), seen), Math.max(1, wanted)));
        fill(batch, from, to, ready.inputs());
        BoundSchedule bound = ready.bound();
        bound.advance();
        ready.inputs().write(bound);
        bound.runAsync();
        if (wanted > 0 || !pipelined) {
            scheduler.synchronize();
            read(bound.tensor(ready.graph().logits()), wanted);
        }
    }

    private void fill(Batch batch, int from, int to, PassInputs inputs) {
        int cell = 0;
        int output = 0;
        for (int i = from; i < to; i++) {
            int sequence = batch.sequence(i);
            int position = cells.length(sequence);
            cell = cells.nextFree(cell);
            cells.take(cell, sequence);
            inputs.token(i - from, batch.token(i), position, cell);
            if (batch.wantsLogits(i)) {
                inputs.output(output++, i - from);
            }
        }
        for (int i = from; i < to; i++) {
            inputs.sees(i - from, batch.sequence(i), cells);
        }
    }

    /** The graph of a pass; of those made, the last for a single token and the last for several are kept. */
    private Ready ready(Pass pass) {
        Ready kept = pass.tokens() == 1 ? generation : prompt;
        if (kept != null && kept.graph().pass().equals(pass)) {
            last = kept;
            return kept;
        }
        DecoderGraph built = blueprint.graph(cache, pass);
        Ready made = new Ready(built, new PassInputs(built, cache), scheduler.bind(request(built)));
        if (pass.tokens() == 1) {
            generation = made;
        } else {
            prompt = made;
        }
        last = made;
        if (kept != null) {
            kept.bound().close();
        }
        return made;
    }

    private void read(BoundTensor tensor, int wanted) {
        long rowBytes = (long) vocabulary * Float.BYTES;
        for (int i = 0; i < wanted; i++) {
            if (outputs == logits.size()) {
                float[] row = new float[vocabulary];
                logits.add(row);
                logitBytes.add(MemorySegment.ofArray(row));
            }
            tensor.get(i * rowBytes, logitBytes.get(outputs++));
        }
    }

    /** For how many tokens of the last run there are logits. */
    public int outputs() {
        return outputs;
    }

    /**
     * A logit for every token of the vocabulary, behind one of the tokens of the last run that they were wanted for; in
     * the order of the batch. The array is used again by the next run.
     *
     * @throws AccessException if there were not so many
     */
    public float[] logits(int output) {
        if (output < 0 || output >= outputs) {
            throw new AccessException(
                    "the last run gave logits for " + outputs + " tokens, so there are none with number " + output);
        }
        return logits.get(output);
    }

    /** The bytes of the cache on a device, by the device's number. */
    public long cacheBytes(int device) {
        return cacheBuffers.get(device).size();
    }

    /** The bytes taken for results on a device, by the device's number. */
    public long computeBytes(int device) {
        return scheduler.bufferSize(backends.get(device));
    }

    /** Who computes what, as of the last run. */
    public Optional<Schedule> schedule() {
        return Optional.ofNullable(last).map(ready -> ready.bound().schedule());
    }

    /** What runs the graphs, for those who want to look on. */
    public Scheduler scheduler() {
        return scheduler;
    }

    private void requireOpen() {
        if (closed || closing) {
            throw new ClosedException("this session is closed; open another one of the model");
        }
        if (modelClosed.getAsBoolean()) {
            throw new ClosedException("the model of this session is closed; open it again");
        }
    }

    /** Throws if another thread is at work in this session, or it is closed. */
    private void enter() {
        if (!inUse.tryLock()) {
            throw new AccessException("the session is in use by another thread than '"
                    + Thread.currentThread().getName()
                    + "': a session is for one thread at a time; open one for each");
        }
        try {
            requireOpen();
        } catch (RuntimeException e) {
            inUse.unlock();
            throw e;
        }
    }

    private void leave() {
        try {
            if (closing && inUse.getHoldCount() == 1) {
                closeNow();
            }
        } finally {
            inUse.unlock();
        }
    }

    /**
     * Gives back memory and threads. If another thread is at a pass through the model, this waits until that pass is done;
     * its next call is refused. Closing twice is fine.
     */
    @Override
    public void close() {
        closing = true;
        inUse.lock();
        leave();
    }

    private void closeNow() {
        if (!closed) {
            closed = true;
            try {
                scheduler.close();
            } finally {
                closeAll();
            }
        }
    }

    private void closeAll() {
        backends.forEach(Backend::close);
        cacheBuffers.forEach(Buffer::close);
    }
}
