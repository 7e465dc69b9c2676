package dev.stowage.cli.option;

import dev.stowage.llm.ModelOptions;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The size of the context, for commands that plan or run a language model. */
public final class ContextOption {

    @Option(
            names = {"-c", "--ctx", "--ctx-size"},
            paramLabel = "N",
            converter = CountConverter.OrZero.class,
            description =
                    "Size of the context in tokens, which is the number of cells of the KV cache; 0 for all that the"
                            + " model was trained with. Default: that, and at most " + ModelOptions.DEFAULT_CONTEXT
                            + ".")
    private @Nullable Integer context;

    @Option(names = "--context", paramLabel = "N", hidden = true, converter = CountConverter.OrZero.class)
    private @Nullable Integer formerName;

    /** The size that is given on the command line; {@link ModelOptions#WHOLE_CONTEXT} for that of the model. */
    public Optional<Integer> context() {
        return Optional.ofNullable(context)
                .or(() -> Optional.ofNullable(formerName))
                .map(size -> size == 0 ? ModelOptions.WHOLE_CONTEXT : size);
    }
}
