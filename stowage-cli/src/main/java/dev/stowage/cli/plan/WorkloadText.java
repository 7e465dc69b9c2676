package dev.stowage.cli.plan;

import dev.stowage.cli.text.ByteSize;
import dev.stowage.cli.text.CountText;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufSummary;
import dev.stowage.llm.fit.DecoderWorkload;
import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.fit.ImageNetwork;
import dev.stowage.llm.fit.NamedDecoder;
import dev.stowage.llm.fit.Workload;
import dev.stowage.models.AttentionWindow;
import dev.stowage.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** Describes a model and its configuration. */
final class WorkloadText {
    private WorkloadText() {}

    /** The model and how it is run, in one line. */
    static String headline(Workload workload) {
        return workload.name() + ": " + workload.description() + ", " + configuration(workload);
    }

    private static String configuration(Workload workload) {
        return switch (workload) {
            case DecoderWorkload encoder
            when encoder.shape().isEncoder() ->
                "texts of up to " + CountText.of(encoder.tokens(), "token") + ", " + attention(encoder) + " attention, "
                        + weights(encoder) + " weights, no cache";
            case DecoderWorkload decoder ->
                CountText.of(decoder.tokens(), "token")
                        + String.format(Locale.ROOT, ", context %,d, ", decoder.context())
                        + CountText.of(decoder.outputs(), "output") + ", " + attention(decoder)
                        + " attention, " + weights(decoder) + " weights, " + decoder.cacheType() + " cache"
                        + windows(decoder);
            case ImageNetwork network ->
                CountText.of(network.options().batch(), "image") + ", "
                        + network.options().weightType() + " weights";
        };
    }

    private static String attention(DecoderWorkload decoder) {
        return decoder.flash() ? "flash" : "plain";
    }

    /** The layers whose caches are smaller than the context. */
    private static String windows(DecoderWorkload decoder) {
        AttentionWindow window = decoder.shape().traits().window();
        long layers = IntStream.range(0, decoder.layers()).filter(window::isIn).count();
        return layers == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        ", windows of %,d tokens in %d of %d layers",
                        window.size(),
                        layers,
                        decoder.layers());
    }

    /** Norms are always f32, and say nothing about a file. */
    private static String weights(DecoderWorkload decoder) {
        if (decoder instanceof NamedDecoder named && named.mixture().isPresent()) {
            return named.mixture().get().name();
        }
        ElementType most = decoder.weightType();
        boolean mixed = decoder instanceof FileDecoder file
                && file.contents().tensors().values().stream()
                        .anyMatch(tensor ->
                                tensor.type() != most && tensor.shape().dim(1) > 1);
        return mixed ? "mostly " + most : most.toString();
    }

    /** What limits the validity of the numbers; one sentence each. */
    static List<String> remarks(Workload workload) {
        if (!(workload instanceof FileDecoder file)) {
            return List.of();
        }
        List<String> remarks = new ArrayList<>();
        if (file.context() > file.trainedContext()) {
            remarks.add(String.format(
                    Locale.ROOT,
                    "The model was trained with a context of %,d tokens; after them, the quality of the text degrades.",
                    file.trainedContext()));
        }
        GgufContents contents = file.contents();
        long missing = GgufSummary.of(contents).missingBytes();
        if (missing > 0) {
            remarks.add("The file is not complete: " + ByteSize.format(missing) + " of its data are missing.");
        }
        return remarks;
    }
}
