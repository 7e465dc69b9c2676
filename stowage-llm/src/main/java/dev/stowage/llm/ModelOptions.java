package dev.stowage.llm;

import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.llm.fit.SessionShape;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.models.KeyValueCache;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.tensor.ElementType;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How a model is opened and run. {@link #defaults()} suits most; the {@code with} methods change one thing each.
 *
 * @param devices what it runs on, the most important first and the processor last; empty for what the machine has
 * @param layersOn how many layers each device before the last gets; empty for as many as fit, the first device first
 * @param gpuLayers how many layers the devices before the last get together, in proportion to their memory; {@link
 *     #AS_MANY_AS_FIT} for as many as fit
 * @param context how many tokens all sequences together may have; 0 for the model's own, at most
 *     {@value #DEFAULT_CONTEXT}; {@link #WHOLE_CONTEXT} for all it was trained with. An encoder has no more than that
 * @param batch how many tokens go through the model at once, at most; in an encoder it is the context, as it reads whole texts
 * @param sequences how many sequences there may be at once
 * @param cacheType the element type of keys and values: f16, f32 or q8_0
 * @param attention how attention is computed
 * @param rearrangesWeights whether weights are loaded into memory that a device prefers to the mapped file, where it
 *     has such memory
 * @param mapsWeights whether weights that are not rearranged are used in the mapped file, where a device reads that; if
 *     not, all of them are loaded into memory
 * @param schedule which planner and which placement the scheduler uses, and whether ops are offloaded: by default a device
 *     computes with weights of the processor where at least 32 tokens or so share them, as it decides
 * @param backend the number of threads, the cancellation of runs and the run listener
 */
public record ModelOptions(
        List<Device> devices,
        List<Integer> layersOn,
        int gpuLayers,
        int context,
        int batch,
        int sequences,
        ElementType cacheType,
        AttentionMode attention,
        boolean rearrangesWeights,
        boolean mapsWeights,
        ScheduleOptions schedule,
        BackendOptions backend) {

    /** How large a context is unless asked for, where the model could do with more. */
    public static final int DEFAULT_CONTEXT = 4096;

    /** How many tokens go through a model at once unless asked for. */
    public static final int DEFAULT_BATCH = 512;

    /** Stands for as many tokens as a model was trained with. */
    public static final int WHOLE_CONTEXT = Integer.MAX_VALUE;

    /** Stands for as many layers as there is room for. */
    public static final int AS_MANY_AS_FIT = -1;

    private static final ModelOptions DEFAULTS = new ModelOptions(
            List.of(),
            List.of(),
            AS_MANY_AS_FIT,
            0,
            DEFAULT_BATCH,
            1,
            ElementType.F16,
            AttentionMode.AUTO,
            true,
            true,
            ScheduleOptions.defaults().withEvents().withOffloadedOps(true),
            BackendOptions.defaults());

    /**
     * @throws InvalidPlanException if a number is impossible
     */
    public ModelOptions {
        devices = List.copyOf(devices);
        layersOn = List.copyOf(layersOn);
        Objects.requireNonNull(cacheType);
        Objects.requireNonNull(attention);
        Objects.requireNonNull(schedule);
        Objects.requireNonNull(backend);
        require(context >= 0, "the context", context, "at least 1, or 0 for the model's own");
        require(batch >= 1, "the batch", batch, "at least 1");
        require(sequences >= 1, "the number of sequences", sequences, "at least 1");
        require(gpuLayers >= AS_MANY_AS_FIT, "the number of layers", gpuLayers, "at least 0, or -1 for as many as fit");
        if (gpuLayers != AS_MANY_AS_FIT && !layersOn.isEmpty()) {
            throw new InvalidPlanException(
                    "layers are given both for each device and for all of them together: give one");
        }
        for (int layers : layersOn) {
            require(layers >= 0, "the layers on a device", layers, "at least 0");
        }
    }

    private static void require(boolean holds, String what, int value, String rule) {
        if (!holds) {
            throw new InvalidPlanException(what + " must be " + rule + ", not " + value);
        }
    }

    /** The machine's devices, the model's context up to {@value #DEFAULT_CONTEXT}, an f16 cache. */
    public static ModelOptions defaults() {
        return DEFAULTS;
    }

    /** A mutable copy, in which a {@code with} method changes one component. */
    private static final class Copy {

        private List<Device> devices;
        private List<Integer> layersOn;
        private int gpuLayers;
        private int context;
        private int batch;
        private int sequences;
        private ElementType cacheType;
        private AttentionMode attention;
        private boolean rearrangesWeights;
        private boolean mapsWeights;
        private ScheduleOptions schedule;
        private BackendOptions backend;

        Copy(ModelOptions options) {
            devices = options.devices;
            layersOn = options.layersOn;
            gpuLayers = options.gpuLayers;
            context = options.context;
            batch = options.batch;
            sequences = options.sequences;
            cacheType = options.cacheType;
            attention = options.attention;
            rearrangesWeights = options.rearrangesWeights;
            mapsWeights = options.mapsWeights;
            schedule = options.schedule;
            backend = options.backend;
        }

        ModelOptions build() {
            return new ModelOptions(
                    devices,
                    layersOn,
                    gpuLayers,
                    context,
                    batch,
                    sequences,
                    cacheType,
                    attention,
                    rearrangesWeights,
                    mapsWeights,
                    schedule,
                    backend);
        }
    }

    private ModelOptions with(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return copy.build();
    }

    /** Runs on these, the most important first and the processor last. */
    public ModelOptions withDevices(List<? extends Device> changed) {
        return with(copy -> copy.devices = List.copyOf(changed));
    }

    /** With so many layers on each device before the last. */
    public ModelOptions withLayersOn(List<Integer> changed) {
        return with(copy -> copy.layersOn = changed);
    }

    /**
     * With so many layers on the devices before the last together, in proportion to the memory they have free. More than the
     * model has stand for all of them and its output; where there is a single device, all are on it.
     */
    public ModelOptions withGpuLayers(int changed) {
        return with(copy -> copy.gpuLayers = changed);
    }

    /** With room for so many tokens of all sequences together. */
    public ModelOptions withContext(int changed) {
        return with(copy -> copy.context = changed);
    }

    /** With at most so many tokens at once. */
    public ModelOptions withBatch(int changed) {
        return with(copy -> copy.batch = changed);
    }

    /** With so many sequences at once. */
    public ModelOptions withSequences(int changed) {
        return with(copy -> copy.sequences = changed);
    }

    /** With keys and values of that type; quantised ones need fused attention. */
    public ModelOptions withCacheType(ElementType changed) {
        return with(copy -> copy.cacheType = changed);
    }

    /** With attention computed that way. */
    public ModelOptions withAttention(AttentionMode changed) {
        return with(copy -> copy.attention = changed);
    }

    /** With weights in the layout that devices prefer, or all of them as they are in the file. */
    public ModelOptions withRearrangedWeights(boolean changed) {
        return with(copy -> copy.rearrangesWeights = changed);
    }

    /**
     * With weights used in the mapped file where that is possible, or with all of them loaded into memory. Loading
     * takes longer and memory that other processes do not share; once a model is open nothing that happens to its file
     * matters any more, where truncating a mapped one may end the process (see {@link
     * dev.stowage.memory.MappedBuffer}).
     */
    public ModelOptions withMappedWeights(boolean changed) {
        return with(copy -> copy.mapsWeights = changed);
    }

    /** With another planner, placement or pipeline. */
    public ModelOptions withSchedule(ScheduleOptions changed) {
        return with(copy -> copy.schedule = changed);
    }

    /** With other options for the backends of all devices. */
    public ModelOptions withBackend(BackendOptions changed) {
        return with(copy -> copy.backend = changed);
    }

    /** The context a session of a model has. */
    public int contextOf(ModelBlueprint blueprint) {
        int trained = blueprint.shape().rope().trainedContext();
        return switch (context) {
            case 0 -> Math.min(trained, DEFAULT_CONTEXT);
            case WHOLE_CONTEXT -> trained;
            default -> blueprint.shape().isEncoder() ? Math.min(trained, context) : context;
        };
    }

    /**
     * The cache a session of a model has, without a place.
     *
     * @throws dev.stowage.error.InvalidGraphException if the model cannot have such a cache
     */
    public KeyValueCache newCache(ModelBlueprint blueprint, int cells) {
        return blueprint.newCache(cells, cacheType, attention.isFused(blueprint.shape(), cacheType));
    }

    /** The parameters that the memory of a session depends on, for plans and sessions alike. */
    public SessionShape session(ModelBlueprint blueprint) {
        return new SessionShape(
                contextOf(blueprint),
                batch,
                sequences,
                cacheType,
                attention.isFused(blueprint.shape(), cacheType),
                rearrangesWeights,
                mapsWeights,
                blueprint.shape().isEncoder());
    }

    /** With so many threads. */
    public ModelOptions withThreads(int changed) {
        return withBackend(backend.withThreads(changed));
    }
}
