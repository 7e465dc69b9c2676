package dev.stowage.cli.option;

import dev.stowage.error.StowageException;
import dev.stowage.llm.sampling.SamplingOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that configure sampling. */
public final class SamplingArguments {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = {"--temp", "--temperature"},
            paramLabel = "T",
            description =
                    "Sampling temperature; 0 always takes the most likely token. Default: 0.8, and 0 with the embedded"
                            + " model unless another sampling option is given.")
    private @Nullable Float temperature;

    @Option(
            names = "--top-k",
            paramLabel = "K",
            description = "Choose among the K most likely tokens; 0 for all. Default: 40.")
    private @Nullable Integer topK;

    @Option(
            names = "--top-p",
            paramLabel = "P",
            description =
                    "Choose among the likely tokens that have this share of the probability together. Default: 0.95.")
    private @Nullable Float topP;

    @Option(
            names = "--min-p",
            paramLabel = "P",
            description = "Choose among tokens at least this share as likely as the most likely one. Default: 0.05.")
    private @Nullable Float minP;

    @Option(
            names = "--repeat-penalty",
            paramLabel = "F",
            description = "Make tokens of the last 64 less likely; 1 does not. Default: 1.")
    private @Nullable Float repetitionPenalty;

    @Option(
            names = {"-s", "--seed"},
            paramLabel = "N",
            description =
                    "Seed of the random numbers: the same seed gives the same text; -1 takes another one each time. Default: 0.")
    private @Nullable Long seed;

    /**
     * The options as given.
     *
     * @param embedded whether the model is the embedded one, which always takes the most likely token unless an option about
     *     sampling is given
     * @throws ParameterException if a number is impossible
     */
    public SamplingOptions options(boolean embedded) {
        SamplingOptions options = SamplingOptions.defaults();
        boolean sampled = topK != null || topP != null || minP != null || seed != null;
        try {
            options = options.withTemperature(
                    temperature != null ? temperature : embedded && !sampled ? 0 : options.temperature());
            options = topK == null ? options : options.withTopK(topK);
            options = topP == null ? options : options.withTopP(topP);
            options = minP == null ? options : options.withMinP(minP);
            options = seed == null ? options : options.withSeed(seed == -1 ? System.nanoTime() : seed);
            return repetitionPenalty == null
                    ? options
                    : options.withRepetitionPenalty(repetitionPenalty, options.repetitionWindow());
        } catch (StowageException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }
}
