package dev.stowage.bench.ggml;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Counts how the cases of each op ended, prints failures as they come, and at the end a table. */
final class OpTable implements AbortProofRun.Listener {

    private static final class Row {
        private int cases;
        private int passed;
        private int failed;
        private int unsupported;
        private int absent;
        private double worst;

        void add(OpVerdict verdict) {
            cases++;
            switch (verdict.outcome()) {
                case PASSED -> passed++;
                case FAILED -> failed++;
                case UNSUPPORTED -> unsupported++;
                case ABSENT -> absent++;
            }
            if (!Double.isNaN(verdict.error())) {
                worst = Math.max(worst, verdict.error());
            }
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

    void print() {
        String form = "%-20s %6s %7s %7s %12s %14s %12s%n";
        out.printf(Locale.ROOT, form, "op", "cases", "passed", "failed", "worst NMSE", "not supported", "not in ggml");
        rows.forEach((op, row) -> out.printf(
                Locale.ROOT,
                form,
                op,
                row.cases,
                row.passed,
                row.failed,
                row.passed + row.failed == 0 ? "" : String.format(Locale.ROOT, "%.3g", row.worst),
                row.unsupported,
                row.absent));
        int passed = rows.values().stream().mapToInt(row -> row.passed).sum();
        out.println(passed + " passed, " + failed() + " failed");
    }
}
