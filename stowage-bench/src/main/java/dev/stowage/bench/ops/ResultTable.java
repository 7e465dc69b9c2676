package dev.stowage.bench.ops;

import dev.stowage.cli.text.TextTable;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Prints a line for each result as it comes: a long run that is stopped has reported what it measured. */
final class ResultTable {

    private static final TextTable TABLE = TextTable.aligned("llrllrll").withWidths(26, 6, 7, 24, 24, 6, 11, 0);

    private final PrintWriter out;

    ResultTable(PrintWriter out) {
        this.out = out;
    }

    void head() {
        print("case", "type", "threads", "ours", "ggml", "ratio", "spread", "NMSE");
    }

    void add(CaseResult result) {
        OpBenchCase benchCase = result.benchCase();
        print(
                benchCase.name(),
                benchCase.type().label(),
                Integer.toString(result.threads()),
                speed(benchCase, result.ours()),
                speed(benchCase, result.ggml()),
                result.ratio().isPresent()
                        ? String.format(Locale.ROOT, "%.2f", result.ratio().getAsDouble())
                        : "-",
                spread(result),
                result.error().isPresent()
                        ? String.format(Locale.ROOT, "%.1e", result.error().getAsDouble())
                        : "-");
        if (!result.remark().isEmpty()) {
            out.println("  " + result.remark());
            out.flush();
        }
    }

    /** The best way's speed, and which way that is where there are several. */
    private static String speed(OpBenchCase benchCase, List<RoundTimes> series) {
        if (series.isEmpty()) {
            return "-";
        }
        RoundTimes best = RoundTimes.fastest(series);
        return benchCase.rate().text(benchCase.work(), best.median())
                + (series.size() == 1 ? "" : " (" + best.variant() + ")");
    }

    private static String spread(CaseResult result) {
        return percent(result.ours()) + " / " + percent(result.ggml());
    }

    private static String percent(List<RoundTimes> series) {
        return series.isEmpty()
                ? "-"
                : String.format(
                        Locale.ROOT, "%.0f %%", 100 * RoundTimes.fastest(series).spread());
    }

    private void print(String... cells) {
        out.println(TABLE.line(cells));
        out.flush();
    }
}
