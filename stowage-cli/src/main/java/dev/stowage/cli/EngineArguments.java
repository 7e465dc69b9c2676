package dev.stowage.cli;

import dev.stowage.error.StowageException;
import dev.stowage.llm.AttentionMode;
import dev.stowage.llm.ModelOptions;
import dev.stowage.plan.Planner;
import dev.stowage.tensor.ElementType;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that say what a model runs on, and with how much memory. */
final class EngineArguments {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--ctx",
            paramLabel = "N",
            converter = CountConverter.class,
            description =
                    "How many tokens there is room for, prompt and text together. Default: what the model was trained"
                            + " with, at most " + ModelOptions.DEFAULT_CONTEXT + ".")
    private @Nullable Integer context;

    @Option(
            names = "--batch",
            paramLabel = "N",
            converter = CountConverter.class,
            description = "How many tokens of a prompt are read at once, at most. Default: "
                    + ModelOptions.DEFAULT_BATCH + ".")
    private @Nullable Integer batch;

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = CountConverter.class,
            description =
                    "How many threads compute. Default: one for each core, and one with the embedded model, which is"
                            + " too small to share.")
    private @Nullable Integer threads;

    @Option(
            names = "--device",
            split = ",",
            paramLabel = "NAME",
            description =
                    "What to run on, as 'stowage devices' lists it; several with commas, the processor last. Default:"
                            + " the best there is.")
    private @Nullable List<String> devices;

    @Option(
            names = "--layers-on",
            split = ",",
            paramLabel = "N",
            converter = LayerCountConverter.class,
            description =
                    "How many layers each device before the processor gets. Default: as many as fit, the first device"
                            + " first.")
    private @Nullable List<Integer> layersOn;

    @Option(
            names = "--planner",
            paramLabel = "NAME",
            defaultValue = "ggml",
            converter = PlannerConverter.class,
            completionCandidates = PlannerConverter.Names.class,
            description = "Who plans memory: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private Planner planner = Planner.ggml();

    @Option(
            names = "--cache-type",
            paramLabel = "TYPE",
            converter = ElementTypeConverter.class,
            description = "The type of keys and values in the cache: f16, f32 or q8_0. Default: f16.")
    private @Nullable ElementType cacheType;

    @Option(names = "--no-flash", description = "Compute attention step by step rather than as one op.")
    private boolean plain;

    @Option(
            names = "--no-mmap",
            description =
                    "Load all weights into memory rather than use them in the mapped file, which then may be truncated"
                            + " or overwritten while the model runs. Takes longer, and memory of its own.")
    private boolean loaded;

    /**
     * What was asked for.
     *
     * @param embedded whether the model is the one that is always there, for which less is more
     * @throws ParameterException if what was asked for is impossible whatever the model
     */
    ModelOptions options(boolean embedded) {
        try {
            ModelOptions options = ModelOptions.defaults();
            if (embedded) {
                // So small a model is read before its weights would be rearranged, and it would not keep two cores
                // busy.
                options = options.withRearrangedWeights(false).withThreads(1).withAttention(AttentionMode.FUSED);
            }
            options = options.withSchedule(options.schedule().withPlanner(planner));
            options = context == null ? options : options.withContext(context);
            options = batch == null ? options : options.withBatch(batch);
            options = threads == null ? options : options.withThreads(atMostProcessors(threads));
            options = cacheType == null ? options : options.withCacheType(cacheType);
            options = plain ? options.withAttention(AttentionMode.PLAIN) : options;
            options = options.withMappedWeights(!loaded);
            options = devices == null ? options : options.withDevices(NamedDevices.of(devices, spec));
            return layersOn == null ? options : options.withLayersOn(layersOn);
        } catch (StowageException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }
    /** More threads than processors compute nothing faster, so there are none; says so where that changes something. */
    private int atMostProcessors(int asked) {
        int processors = Runtime.getRuntime().availableProcessors();
        if (asked > processors) {
            spec.commandLine()
                    .getErr()
                    .println("--threads " + asked + ": this machine has " + processors
                            + (processors == 1 ? " processor" : " processors") + ", so " + processors + " are used");
        }
        return Math.min(asked, processors);
    }
}
