package dev.stowage.cli.plan;

import dev.stowage.cli.option.ContextOption;
import dev.stowage.cli.option.CountConverter;
import dev.stowage.cli.option.InferenceOptions;
import dev.stowage.cli.option.WeightTypes;
import dev.stowage.error.StowageException;
import dev.stowage.gguf.GgufContents;
import dev.stowage.llm.AttentionMode;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.fit.ImageNetwork;
import dev.stowage.llm.fit.NamedDecoder;
import dev.stowage.llm.fit.SessionShape;
import dev.stowage.llm.fit.Workload;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.models.ModelGraph;
import dev.stowage.models.ModelShape;
import dev.stowage.models.ResNetOptions;
import dev.stowage.models.ResNetShape;
import dev.stowage.models.TransformerOptions;
import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.ElementType;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The options that configure how a model is run, and the model built with them. */
final class ModelArguments {
    private static final List<String> OF_TRANSFORMERS =
            List.of("--tokens", "--ctx", "--context", "--outputs", "--flash", "--no-flash", "--cache-type");
    private static final List<String> OF_MADE_WEIGHTS = List.of("--type");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Mixin
    private ContextOption context = new ContextOption();

    @Mixin
    private InferenceOptions inference = new InferenceOptions();

    @Option(names = "--tokens", paramLabel = "N", hidden = true, converter = CountConverter.class)
    private @Nullable Integer formerBatch;

    @Option(
            names = "--outputs",
            paramLabel = "N",
            defaultValue = "1",
            converter = CountConverter.class,
            description = "Tokens whose logits are computed, at most all. Default: ${DEFAULT-VALUE}.")
    private int outputs;

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            defaultValue = "f16",
            converter = WeightTypes.Converter.class,
            completionCandidates = WeightTypes.Names.class,
            description =
                    "Type of the weights, such as f32, bf16, q8_0 or q4_K, or a mixture such as q4_K_M, of a model"
                            + " by name. Matrices whose rows are not a whole number of its blocks are f16; norms and biases are"
                            + " always f32. Default: ${DEFAULT-VALUE}.")
    private WeightTypes weights = new WeightTypes(ElementType.F16, Optional.empty());

    /**
     * A model that is built, and its configuration.
     *
     * @param model weights, caches and the graph of the largest batch, in memory that only measures
     * @param how the model and its configuration
     * @param plain whether plain attention was requested
     */
    record Run(ModelGraph model, Workload how, boolean plain) {}

    private Run put(Workload how) {
        return new Run(how.build().largest().inMeasuredMemory(), how, attention() == AttentionMode.PLAIN);
    }

    /**
     * Builds a model.
     *
     * @throws ParameterException if the options do not suit the model
     * @throws StowageException if a file is not a model that can be run
     */
    Run run(ModelChoice choice) {
        return switch (choice) {
            case ModelChoice.Named named -> named(named.shape());
            case ModelChoice.InFile inFile -> file(inFile.file());
        };
    }

    private Run named(ModelShape shape) {
        String what = shape.name() + ", " + shape.description();
        try {
            return put(
                    switch (shape) {
                        case TransformerShape transformer ->
                            new NamedDecoder(transformer, transformerOptions(transformer), weights.mixture());
                        case ResNetShape network -> {
                            refuse(OF_TRANSFORMERS, what);
                            weights.mixture()
                                    .filter(_ -> !weights.isNameOfOne())
                                    .ifPresent(mixture -> {
                                        throw new ParameterException(
                                                spec.commandLine(),
                                                "--type " + mixture + " is a mixture for language models; " + what
                                                        + " has weights of one type");
                                    });
                            yield new ImageNetwork(
                                    network, new ResNetOptions(inference.batch().orElse(1), weights.most()));
                        }
                    });
        } catch (StowageException e) {
            throw new ParameterException(spec.commandLine(), shape.name() + ": " + e.getMessage(), e);
        }
    }

    private TransformerOptions transformerOptions(TransformerShape shape) {
        int trained = shape.rope().trainedContext();
        int cells = context.context()
                .map(size -> size == ModelOptions.WHOLE_CONTEXT ? trained : size)
                .orElse(Math.min(trained, ModelOptions.DEFAULT_CONTEXT));
        boolean flash = attention().isFused(shape, inference.cacheType());
        int batch = batch(ModelOptions.DEFAULT_BATCH);
        int tokens = new SessionShape(cells, batch, outputs, inference.cacheType(), flash, true, true, false).tokens();
        return new TransformerOptions(tokens, cells, outputs, flash, weights.most(), inference.cacheType());
    }

    /** The file is read before the options are checked: a broken file is not a usage error. */
    private Run file(Path file) {
        ModelBlueprint blueprint = ModelBlueprint.of(GgufContents.read(file));
        refuse(OF_MADE_WEIGHTS, "a file, whose weights are what they are");
        ModelOptions options = ModelOptions.defaults()
                .withBatch(batch(ModelOptions.DEFAULT_BATCH))
                .withSequences(outputs)
                .withCacheType(inference.cacheType())
                .withAttention(attention());
        options = context.context().map(options::withContext).orElse(options);
        FileDecoder run = new FileDecoder(blueprint, options.session(blueprint));
        try {
            return put(run);
        } catch (StowageException e) {
            throw new ParameterException(spec.commandLine(), run.name() + ": " + e.getMessage(), e);
        }
    }

    private AttentionMode attention() {
        return inference.attention(spec);
    }

    private int batch(int otherwise) {
        Optional<Integer> batch = inference.batch();
        if (formerBatch != null
                && batch.filter(number -> !number.equals(formerBatch)).isPresent()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--tokens is a former name of --batch, but " + formerBatch + " is not " + batch.get());
        }
        return batch.orElse(formerBatch != null ? formerBatch : otherwise);
    }

    private void refuse(List<String> options, String what) {
        ParseResult parsed = spec.commandLine().getParseResult();
        for (String option : options) {
            if (parsed.hasMatchedOption(option)) {
                throw new ParameterException(spec.commandLine(), option + " means nothing to " + what);
            }
        }
    }
}
