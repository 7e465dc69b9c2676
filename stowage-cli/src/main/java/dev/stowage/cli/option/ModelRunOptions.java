package dev.stowage.cli.option;

import dev.stowage.error.StowageException;
import dev.stowage.llm.AttentionMode;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.fit.DevicePlan;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options of a command that runs a language model: which model, on which devices, with how much context, how many threads,
 * and whether there is room for it. {@link #open} opens it accordingly.
 */
public final class ModelRunOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = {"-m", "--model"},
            paramLabel = "MODEL.gguf",
            description = "The model: a GGUF file, any part of a split one. Default: the embedded model.")
    private @Nullable String model;

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

    @Option(
            names = RoomCheck.OPTION,
            description = "Load the model although it needs more memory than is free. Default: it is refused.")
    private boolean unchecked;

    /** The model that is named with {@code -m}, if one is. */
    public Optional<Path> model() {
        return Optional.ofNullable(model).map(ModelFile::of);
    }

    /**
     * The options as given.
     *
     * @param embedded whether the model is the embedded one, which runs best on one thread
     * @throws ParameterException if the options are invalid for every model
     */
    public ModelOptions options(boolean embedded) {
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
            return layersOn.applyTo(options, spec);
        } catch (StowageException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /**
     * Opens a model, once it has been found that there is room for it; the embedded one, which always has room, is not
     * checked.
     *
     * @param file the model; empty for the embedded one
     * @param options how, from {@link #options}, perhaps with changes
     * @param listener is notified of the progress
     * @throws dev.stowage.error.StowageException if the file is not a model that can be run, or memory or a device is lacking
     */
    public LanguageModel open(Optional<Path> file, ModelOptions options, LoadListener listener) {
        return file.map(path -> LanguageModel.open(path, options, unchecked ? listener : checking(path, listener)))
                .orElseGet(() -> LanguageModel.open(EmbeddedModel.file(), options, listener));
    }

    private static LoadListener checking(Path file, LoadListener listener) {
        return new LoadListener() {
            @Override
            public void placed(Supplier<DevicePlan> plan) {
                DevicePlan found = plan.get();
                new RoomCheck(FreeMemory::now, ProcessOverhead.BASE).require(found, file.toString());
                listener.placed(() -> found);
            }

            @Override
            public void loaded(long done, long all) {
                listener.loaded(done, all);
            }
        };
    }
}
