package dev.stowage.bench.ggml.op;

import dev.stowage.bench.ggml.live.CrashIsolatedRun;
import dev.stowage.cli.text.TextTable;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Counts how the cases of each op ended, prints failures as they come, and at the end a table. */
final class OpTable implements CrashIsolatedRun.Listener {

    private static final class Row {
        private int cases;
        private int passed;
        private int failed;
        private int unsupported;
        private int absent;
        private double worstF32 = Double.NaN;
        private double worstOther = Double.NaN;

        void add(OpVerdict verdict) {
            cases++;
            switch (verdict.outcome()) {
                case PASSED -> passed++;
                case FAILED -> failed++;
                case UNSUPPORTED -> unsupported++;
                case ABSENT -> absent++;
            }
            if (Double.isNaN(verdict.error())) {
                return;
            }
            if (verdict.isF32()) {
                worstF32 = larger(worstF32, verdict.error());
            } else {
                worstOther = larger(worstOther, verdict.error());
            }
        }

        private static double larger(double worst, double error) {
            return Double.isNaN(worst) ? error : Math.max(worst, error);
        }
    }

    private final PrintStream out;
    private final Map<String, Row> rows = new LinkedHashMap<>();

    OpTable(PrintStream out) {
        this.out = out;
    }

    @Override
    public void done(int piece, String name, String result) {
        add(name, OpVerdict.fromLine(result));
    }

    @Override
    public void died(int piece, String name, String lastWords) {
        add(name, OpVerdict.failed("the process ended: " + lastWords));
    }

    private void add(String name, OpVerdict verdict) {
        String[] opAndCase = name.split(" ", 2);
        rows.computeIfAbsent(opAndCase[0], _ -> new Row()).add(verdict);
        if (verdict.outcome() == OpVerdict.Outcome.FAILED) {
            out.println("failed: " + opAndCase[1] + ": " + verdict.remark());
        }
    }

    int failed() {
        return rows.values().stream().mapToInt(row -> row.failed).sum();
    }

    /** The errors are those of the cases with f32 and whole numbers alone, and of all others. */
    void print() {
        TextTable table = TextTable.aligned("lrrrrrrr")
                .row("op", "cases", "passed", "failed", "NMSE f32", "NMSE others", "not supported", "not in ggml");
        rows.forEach((op, r) -> table.row(
                op,
                String.valueOf(r.cases),
                String.valueOf(r.passed),
                String.valueOf(r.failed),
                text(r.worstF32),
                text(r.worstOther),
                String.valueOf(r.unsupported),
                String.valueOf(r.absent)));
        table.lines().forEach(out::println);
        int passed = rows.values().stream().mapToInt(row -> row.passed).sum();
        out.println(passed + " passed, " + failed() + " failed");
    }

    private static String text(double error) {
        return Double.isNaN(error) ? "" : String.format(Locale.ROOT, "%.3g", error);
    }
}
