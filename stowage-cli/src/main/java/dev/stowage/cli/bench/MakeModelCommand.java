package dev.stowage.cli.bench;

import dev.stowage.cli.option.FileTypeConverter;
import dev.stowage.cli.option.ThreadsOption;
import dev.stowage.cli.text.OutputFiles;
import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.quantize.FileType;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Reads which model is to be made, and has the {@link ModelMaker} make it. */
@Command(
        name = "make-model",
        description = {
            "Make a GGUF model of random weights, for measuring and testing: it computes what a real one of its shape"
                    + " computes, and writes noise.",
            "The same seed gives the same file. The file gets its name only when it is complete."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage bench make-model 1.1b-q4.gguf --shape tinyllama-1.1b --type q4_0",
            "  stowage bench make-model qwen3.gguf --shape tiny-qwen3 --tokenizer-from other.gguf"
        })
final class MakeModelCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "OUT.gguf", description = "The file to write.")
    private Path out;

    @Option(
            names = "--shape",
            paramLabel = "NAME",
            required = true,
            completionCandidates = ModelMakerShapes.class,
            description = "What the model looks like: ${COMPLETION-CANDIDATES}.")
    private String shape = "";

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            defaultValue = "F16",
            converter = FileTypeConverter.class,
            completionCandidates = FileTypeConverter.Names.class,
            description = "What its weights are quantised to: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private FileType type = FileType.F16;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--tokenizer-from",
            paramLabel = "FILE",
            description = "The GGUF model to take the tokenizer from. Default: one that is made up.")
    private @Nullable Path tokenizerFrom;

    @Mixin
    private ThreadsOption threads;

    @Override
    public void run() {
        if (!ModelMakerShapes.NAMES.contains(shape)) {
            throw new ParameterException(
                    spec.commandLine(), "--shape must be one of " + ModelMakerShapes.NAMES + ", not '" + shape + "'");
        }
        int count = threads.threads().orElseGet(Runtime.getRuntime()::availableProcessors);
        OutputFiles.deleteAbandoned(out);
        var command = spec.commandLine();
        maker().make(
                        new ModelMakerRequest(out, shape, type, seed, count, tokenizerFrom),
                        command.getOut(),
                        command.getErr());
    }

    private static ModelMaker maker() {
        return ServiceLoader.load(ModelMaker.class)
                .findFirst()
                .orElseThrow(() -> new MalformedDataException("the model maker is not part of this installation: run"
                        + " ./stowage bench make-model in a checkout of the sources"));
    }
}
