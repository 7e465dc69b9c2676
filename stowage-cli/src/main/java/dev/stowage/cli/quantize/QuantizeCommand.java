package dev.stowage.cli.quantize;

import dev.stowage.cli.option.FileTypeConverter;
import dev.stowage.cli.option.ModelFile;
import dev.stowage.cli.option.ThreadsOption;
import dev.stowage.cli.text.ByteSize;
import dev.stowage.cli.text.OutputFiles;
import dev.stowage.cli.text.Progress;
import dev.stowage.gguf.GgufSummary;
import dev.stowage.gguf.Printable;
import dev.stowage.gguf.quantize.FileType;
import dev.stowage.gguf.quantize.QuantizeProgress;
import dev.stowage.gguf.quantize.QuantizeResult;
import dev.stowage.gguf.quantize.Quantizer;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Quantises a model into a new file. */
@Command(
        name = "quantize",
        description = {
            "Quantise a GGUF model into another GGUF file.",
            "Which type each tensor gets is what llama.cpp would choose. The new file gets its name only when it is"
                    + " complete; a split model becomes one file."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  stowage quantize model-f16.gguf model-q4.gguf Q4_K_M", "  stowage quantize in.gguf out.gguf q8_0"})
public final class QuantizeCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "IN.gguf", description = "The model, in f32, f16 or bf16.")
    private String in;

    @Parameters(index = "1", paramLabel = "OUT.gguf", description = "The file to write.")
    private Path out;

    @Parameters(
            index = "2",
            paramLabel = "TYPE",
            converter = FileTypeConverter.class,
            completionCandidates = FileTypeConverter.Names.class,
            description = "What to quantise to: ${COMPLETION-CANDIDATES}.")
    private FileType type;

    @Mixin
    private ThreadsOption threads;

    @Option(
            names = "--allow-requantize",
            description = "Take tensors that are quantised already, though the losses add up.")
    private boolean again;

    @Override
    public void run() {
        Quantizer quantizer = Quantizer.to(type).allowingRequantization(again);
        quantizer = threads.threads().map(quantizer::withThreads).orElse(quantizer);
        OutputFiles.deleteAbandoned(out);
        Progress progress = Progress.onTerminal(spec.commandLine().getErr());
        QuantizeResult result;
        try {
            result = quantizer.withProgress(news -> progress.show(line(news))).quantize(ModelFile.of(in), out);
        } finally {
            progress.clear();
        }
        print(result, spec.commandLine().getOut());
    }

    /** The state in one line. */
    static String line(QuantizeProgress news) {
        return String.format(
                Locale.ROOT,
                "quantising, %d %%, %s of %s, %s",
                news.totalBytes() == 0 ? 100 : Math.round(100.0 * news.doneBytes() / news.totalBytes()),
                ByteSize.format(news.doneBytes()),
                ByteSize.format(news.totalBytes()),
                Printable.of(news.tensor()));
    }

    private void print(QuantizeResult result, PrintWriter printer) {
        GgufSummary before = GgufSummary.of(result.source());
        printer.printf(
                Locale.ROOT,
                "%d tensors, %s (%.2f bits per parameter) to %s (%.2f): %s%n",
                result.targets().size(),
                ByteSize.format(before.dataBytes()),
                before.bitsPerParameter(),
                ByteSize.format(result.byteSize()),
                result.bitsPerParameter(),
                types(result));
        printer.println("Written: " + out);
        printer.flush();
    }

    private static String types(QuantizeResult result) {
        TreeMap<String, Integer> counts = new TreeMap<>();
        result.targets().values().forEach(spec -> counts.merge(spec.type().label(), 1, Integer::sum));
        StringBuilder words = new StringBuilder();
        counts.forEach((label, count) -> words.append(words.isEmpty() ? "" : ", ")
                .append(count)
                .append(' ')
                .append(label));
        return words.toString();
    }
}
