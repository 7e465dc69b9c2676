package dev.stowage.cli.option;

import dev.stowage.llm.AttentionMode;
import dev.stowage.llm.ModelOptions;
import dev.stowage.tensor.ElementType;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** How a model is evaluated: batch, KV cache and attention, for commands that plan, run or measure one. */
public final class InferenceOptions {

    @Option(
            names = "--batch",
            paramLabel = "N",
            converter = CountConverter.class,
            description = "Tokens that are evaluated at once, at most. Default: " + ModelOptions.DEFAULT_BATCH + ".")
    private @Nullable Integer batch;

    @Option(
            names = "--cache-type",
            paramLabel = "TYPE",
            defaultValue = "f16",
            converter = ElementTypeConverter.class,
            completionCandidates = ElementTypeNames.Caches.class,
            description =
                    "Element type of the KV cache: ${COMPLETION-CANDIDATES}. Quantised types need flash attention."
                            + " Default: ${DEFAULT-VALUE}.")
    private ElementType cacheType = ElementType.F16;

    @Option(
            names = "--flash",
            description = "Use flash attention, a single op that stores no attention scores. Default for a file, unless"
                    + " the model is very small.")
    private boolean flash;

    @Option(
            names = "--no-flash",
            description = "Use plain attention, an op for each step. Default for a model by name.")
    private boolean plain;

    /** The batch that is given on the command line. */
    public Optional<Integer> batch() {
        return Optional.ofNullable(batch);
    }

    /** The element type of keys and values. */
    public ElementType cacheType() {
        return cacheType;
    }

    /**
     * The attention that is given on the command line, else {@link AttentionMode#AUTO}.
     *
     * @param command the command that has these options
     * @throws ParameterException if both kinds are given
     */
    public AttentionMode attention(CommandSpec command) {
        if (flash && plain) {
            throw new ParameterException(command.commandLine(), "--flash and --no-flash cannot both be given");
        }
        return flash ? AttentionMode.FUSED : plain ? AttentionMode.PLAIN : AttentionMode.AUTO;
    }
}
