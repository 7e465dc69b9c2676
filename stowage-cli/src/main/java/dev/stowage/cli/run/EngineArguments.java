package dev.stowage.cli.run;

import dev.stowage.cli.option.ContextOption;
import dev.stowage.cli.option.DeviceOption;
import dev.stowage.cli.option.InferenceOptions;
import dev.stowage.cli.option.LayersOnOption;
import dev.stowage.cli.option.PlannerOption;
import dev.stowage.cli.option.ThreadCounts;
import dev.stowage.cli.option.ThreadsOption;
import dev.stowage.error.StowageException;
import dev.stowage.llm.AttentionMode;
import dev.stowage.llm.ModelOptions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that configure how a model runs: context, batch, devices and memory. */
final class EngineArguments {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Mixin
    private ContextOption context = new ContextOption();

    @Mixin
    private InferenceOptions inference = new InferenceOptions();

    @Mixin
    private ThreadsOption threads = new ThreadsOption();

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Mixin
    private LayersOnOption layersOn = new LayersOnOption();

    @Mixin
    private PlannerOption planner = new PlannerOption();

    @Option(
            names = "--no-mmap",
            description =
                    "Load all weights into memory rather than use them in the mapped file, which then may be truncated"
                            + " or overwritten while the model runs. Takes longer, and memory of its own.")
    private boolean loaded;

    /**
     * The options as given.
     *
     * @param embedded whether the model is the embedded one, which runs best on one thread
     * @throws ParameterException if the options are invalid for every model
     */
    ModelOptions options(boolean embedded) {
        try {
            ModelOptions options = ModelOptions.defaults();
            if (embedded) {
                // So small a model is read before its weights would be rearranged, and it would not keep two cores
                // busy.
                options = options.withRearrangedWeights(false).withThreads(1).withAttention(AttentionMode.FUSED);
            }
            AttentionMode attention = inference.attention(spec);
            options = attention == AttentionMode.AUTO ? options : options.withAttention(attention);
            options = options.withSchedule(options.schedule().withPlanner(planner.planner()))
                    .withCacheType(inference.cacheType())
                    .withMappedWeights(!loaded)
                    .withDevices(device.devices(spec));
            options = context.context().map(options::withContext).orElse(options);
            options = inference.batch().map(options::withBatch).orElse(options);
            options = threads.threads()
                    .map(asked -> ThreadCounts.atMostProcessors(asked, spec))
                    .map(options::withThreads)
                    .orElse(options);
            return layersOn.layersOn().map(options::withLayersOn).orElse(options);
        } catch (StowageException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }
}
