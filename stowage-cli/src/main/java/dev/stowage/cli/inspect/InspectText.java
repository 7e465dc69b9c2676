package dev.stowage.cli.inspect;

import dev.stowage.cli.text.ByteSize;
import dev.stowage.cli.text.CountText;
import dev.stowage.cli.text.TextTable;
import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufHeader;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufSummary;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.Printable;
import dev.stowage.gguf.quantize.FileType;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Writes the contents of a GGUF file as human-readable text, with control characters escaped. */
final class InspectText {
    private static final int LONGEST_VALUE = 72;
    private static final int SHOWN_ELEMENTS = 6;

    private final GgufContents contents;
    private final GgufSummary summary;
    private final PrintWriter out;

    InspectText(GgufContents contents, PrintWriter out) {
        this.contents = contents;
        this.summary = GgufSummary.of(contents);
        this.out = out;
    }

    void print(boolean tensors) {
        head();
        metadata();
        types();
        if (tensors) {
            tensors();
        }
    }

    private void head() {
        List<GgufHeader> parts = contents.parts();
        GgufHeader first = parts.getFirst();
        out.println(first.file() + ": GGUF version " + first.version()
                + (parts.size() == 1 ? "" : ", the first of " + parts.size() + " parts"));
        out.println();
        GgufMetadata metadata = contents.metadata();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("architecture", Printable.of(metadata.text(GgufMetadata.ARCHITECTURE, "not said"))));
        rows.add(List.of("parameters", CountText.of(summary.parameters())));
        rows.add(List.of("tensors", CountText.of(contents.tensors().size())));
        rows.add(List.of("mostly", fileType(metadata)));
        rows.add(List.of(
                "data",
                String.format(
                        Locale.ROOT,
                        "%s, %.2f bits per parameter",
                        ByteSize.format(summary.dataBytes()),
                        summary.bitsPerParameter())));
        rows.add(List.of(parts.size() == 1 ? "file" : "files", ByteSize.format(summary.fileBytes())));
        if (summary.missingBytes() > 0) {
            rows.add(List.of("missing", ByteSize.format(summary.missingBytes()) + " of the data: not complete"));
        }
        rows.add(List.of("alignment", CountText.of(first.alignment()) + " bytes"));
        TextTable.aligned("ll").rows(rows).printIndented(out);
    }

    private static String fileType(GgufMetadata metadata) {
        if (!(metadata.find(GgufMetadata.FILE_TYPE).orElse(null) instanceof GgufValue.Whole whole)) {
            return "not said";
        }
        return FileType.ofCode(whole.value()).map(FileType::name).orElseGet(() -> "file type " + whole.display());
    }

    private void metadata() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("key", "type", "value"));
        contents.metadata()
                .entries()
                .forEach((key, value) ->
                        rows.add(List.of(Printable.of(key), value.type().label(), shown(value))));
        section("Metadata", rows, "lll");
    }

    private static String shown(GgufValue value) {
        return shortened(
                switch (value) {
                    case GgufValue.Array(GgufArray elements) -> elements + " " + beginning(elements);
                    case GgufValue.Float32 _, GgufValue.Float64 _ -> decimal(value.display());
                    default -> Printable.of(value.display());
                });
    }

    /** A number as C prints it: {@code 1e-05} and {@code 10000}, where Java has 1.0E-5 and 10000.0. */
    static String decimal(String number) {
        if (!Character.isDigit(number.charAt(number.length() - 1))) {
            return number;
        }
        String[] parts = number.split("E", 2);
        String mantissa = parts[0].endsWith(".0") ? parts[0].substring(0, parts[0].length() - 2) : parts[0];
        if (parts.length == 1) {
            return mantissa;
        }
        int exponent = Integer.parseInt(parts[1]);
        return String.format(Locale.ROOT, "%se%s%02d", mantissa, exponent < 0 ? "-" : "+", Math.abs(exponent));
    }

    private static String beginning(GgufArray elements) {
        String words = IntStream.range(0, Math.min(SHOWN_ELEMENTS, elements.size()))
                .mapToObj(i -> Printable.of(elements.display(i)))
                .collect(Collectors.joining(", "));
        return elements.size() > SHOWN_ELEMENTS ? words + ", …" : words;
    }

    private static String shortened(String text) {
        return text.codePointCount(0, text.length()) <= LONGEST_VALUE
                ? text
                : text.substring(0, text.offsetByCodePoints(0, LONGEST_VALUE - 1)) + "…";
    }

    private void types() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("type", "tensors", "parameters", "size"));
        summary.shares()
                .forEach(share -> rows.add(List.of(
                        share.type().label(),
                        CountText.of(share.tensors()),
                        CountText.of(share.parameters()),
                        ByteSize.format(share.bytes()))));
        section("Types", rows, "lrrr");
    }

    private void tensors() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("name", "type", "shape", "size", "offset"));
        for (GgufTensor tensor : contents.tensors().values()) {
            GgufHeader part = contents.parts().get(tensor.part());
            rows.add(List.of(
                    Printable.of(tensor.name()),
                    tensor.type().label(),
                    tensor.shape().toString(),
                    ByteSize.format(tensor.byteSize()),
                    Long.toString(part.dataOffset() + tensor.offset())));
        }
        section("Tensors", rows, "lllrr");
    }

    private void section(String title, List<List<String>> rows, String alignments) {
        out.println();
        out.println(title);
        if (rows.size() == 1) {
            out.println("  none");
        } else {
            TextTable.aligned(alignments).rows(rows).printIndented(out);
        }
    }
}
