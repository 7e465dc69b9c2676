package dev.stowage.cli.bench;

import dev.stowage.cli.option.GgufFileName;
import dev.stowage.cli.text.ByteSize;
import dev.stowage.cli.text.TextTable;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufSummary;
import dev.stowage.gguf.Printable;
import dev.stowage.internal.json.JsonWriter;
import dev.stowage.llm.ModelOptions;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/** Shows how fast a model is, in the columns and under the names that llama-bench has. */
final class BenchReport {
    private static final double BILLION = 1e9;
    private static final double MILLION = 1e6;

    /**
     * A case, and what llama.cpp did where it was asked.
     *
     * @param devices the names of the devices it ran on
     */
    record Row(BenchResult ours, String devices, Optional<BenchResult> theirs) {
        /** A row for each case; both sides have them in the same order. */
        static List<Row> of(ModelBenchmark.Report ours, Optional<List<BenchResult>> theirs) {
            return IntStream.range(0, ours.results().size())
                    .mapToObj(
                            i -> new Row(ours.results().get(i), ours.devices(), theirs.map(results -> results.get(i))))
                    .toList();
        }

        /** Our speed as a multiple of theirs, by the medians. */
        Optional<Double> ratio() {
            return theirs.map(result -> ours.median() / result.median());
        }
    }

    private final GgufContents model;
    private final GgufSummary summary;
    private final ModelOptions options;
    private final boolean flash;
    private final boolean greedy;
    private final List<Row> rows;

    BenchReport(GgufContents model, ModelOptions options, boolean flash, boolean greedy, List<Row> rows) {
        this.model = model;
        this.summary = GgufSummary.of(model);
        this.options = options;
        this.flash = flash;
        this.greedy = greedy;
        this.rows = List.copyOf(rows);
    }

    /** The file without its ending, and what most of it is. */
    private String name() {
        String file = model.parts().getFirst().file().getFileName().toString();
        return Printable.of(GgufFileName.withoutSuffix(file));
    }

    /** As llama-bench writes it, such as {@code 1.10 B}. */
    private String parameters() {
        return summary.parameters() >= BILLION
                ? String.format(Locale.ROOT, "%.2f B", summary.parameters() / BILLION)
                : String.format(Locale.ROOT, "%.2f M", summary.parameters() / MILLION);
    }

    void print(PrintWriter out) {
        boolean compared = rows.stream().anyMatch(row -> row.theirs().isPresent());
        List<List<String>> lines = new ArrayList<>();
        List<String> head =
                new ArrayList<>(List.of("model", "size", "params", "device", "threads", "test", "t/s", "median"));
        if (compared) {
            head.addAll(List.of("llama.cpp t/s", "median", "ratio"));
        }
        lines.add(head);
        rows.forEach(row -> lines.add(line(row)));
        TextTable.aligned("l" + "r".repeat(head.size() - 1)).rows(lines).printIndented(out);
    }

    private List<String> line(Row row) {
        ModelBenchCase test = row.ours().test();
        List<String> line = new ArrayList<>(List.of(
                name(),
                ByteSize.format(summary.dataBytes()),
                parameters(),
                row.devices(),
                String.valueOf(test.threads()),
                test.label(),
                spread(row.ours()),
                number(row.ours().median())));
        row.theirs().ifPresent(theirs -> line.addAll(List.of(spread(theirs), number(theirs.median()))));
        row.ratio().ifPresent(ratio -> line.add(String.format(Locale.ROOT, "%.2f", ratio)));
        return line;
    }

    private static String spread(BenchResult result) {
        return number(result.mean()) + " ± " + number(result.deviation());
    }

    private static String number(double speed) {
        return String.format(Locale.ROOT, "%.2f", speed);
    }

    /** An array of objects, with members called as llama-bench calls them where it has them too. */
    void printJson(PrintWriter out) {
        JsonWriter json = JsonWriter.indented(out).beginArray();
        rows.forEach(row -> write(row, json));
        json.endArray().finish();
        out.println();
    }

    private void write(Row row, JsonWriter json) {
        ModelBenchCase test = row.ours().test();
        json.beginObject();
        json.name("model_filename").value(model.parts().getFirst().file().toString());
        json.name("model_type").value(name());
        json.name("model_size").value(summary.dataBytes());
        json.name("model_n_params").value(summary.parameters());
        json.name("backends").value(row.devices());
        json.name("n_batch").value(options.batch());
        json.name("n_threads").value(test.threads());
        json.name("type_k").value(options.cacheType().label());
        json.name("type_v").value(options.cacheType().label());
        json.name("flash_attn").value(flash);
        json.name("n_prompt").value(test.prompt());
        json.name("n_gen").value(test.generated());
        json.name("n_depth").value(test.depth());
        json.name("n_sequences").value(test.sequences());
        json.name("greedy").value(greedy && test.generated() > 0);
        speeds(row.ours(), json);
        row.theirs().ifPresent(theirs -> {
            json.name("against").beginObject();
            speeds(theirs, json);
            json.endObject();
        });
        row.ratio().ifPresent(ratio -> json.name("ratio").value(ratio));
        json.endObject();
    }

    private static void speeds(BenchResult result, JsonWriter json) {
        json.name("avg_ts").value(result.mean());
        json.name("stddev_ts").value(result.deviation());
        json.name("median_ts").value(result.median());
        json.name("samples_ts").beginArray();
        result.speeds().forEach(json::value);
        json.endArray();
    }
}
