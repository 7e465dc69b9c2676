package dev.stowage.cli.option;

import dev.stowage.llm.AttentionMode;
import dev.stowage.llm.ModelOptions;
import dev.stowage.tensor.ElementType;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** How a model is evaluated: batch, KV cache and attention, for commands that plan, run or measure one. */
public final class InferenceOptions {

    @Option(
            names = {"-b", "--batch", "--batch-size"},
            paramLabel = "N",
            converter = CountConverter.class,
            description = "Tokens that are evaluated at once, at most. Default: " + ModelOptions.DEFAULT_BATCH + ".")
    private @Nullable Integer batch;

    @Option(
            names = {"-ub", "--ubatch-size"},
            paramLabel = "N",
            hidden = true,
            converter = CountConverter.class)
    private @Nullable Integer microBatch;

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
            names = {"-fa", "--flash-attn"},
            paramLabel = "on|off|auto",
            hidden = true,
            converter = FlashMode.class)
    private AttentionMode mode = AttentionMode.AUTO;

    @Option(
            names = "--flash",
            description =
                    "Use flash attention, a single op that stores no attention scores. Default, unless the model is"
                            + " very small.")
    private boolean flash;

    @Option(names = "--no-flash", description = "Use plain attention, an op for each step.")
    private boolean plain;

    /**
     * The batch that is given on the command line. llama.cpp has two, of tokens that are submitted and of tokens that are
     * evaluated at once; here the smaller one is both.
     */
    public Optional<Integer> batch() {
        return Stream.of(Optional.ofNullable(batch), Optional.ofNullable(microBatch))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder());
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
        return flash ? AttentionMode.FUSED : plain ? AttentionMode.PLAIN : mode;
    }

    /** Reads whether flash attention is used, in the words of llama.cpp. */
    static final class FlashMode implements ITypeConverter<AttentionMode> {
        @Override
        public AttentionMode convert(String text) {
            return switch (text.strip()) {
                case "on", "1", "true" -> AttentionMode.FUSED;
                case "off", "0", "false" -> AttentionMode.PLAIN;
                case "auto", "-1" -> AttentionMode.AUTO;
                default -> throw new TypeConversionException("'" + text + "' is not on, off or auto");
            };
        }
    }
}
