package dev.stowage.bench.ggml.op;

import dev.stowage.bench.ggml.live.CrashIsolatedRun;
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
        print("op", "cases", "passed", "failed", "NMSE f32", "NMSE others", "not supported", "not in ggml");
        rows.forEach((op, r) ->
                print(op, r.cases, r.passed, r.failed, text(r.worstF32), text(r.worstOther), r.unsupported, r.absent));
        int passed = rows.values().stream().mapToInt(row -> row.passed).sum();
        out.println(passed + " passed, " + failed() + " failed");
    }

    private void print(Object... cells) {
        out.printf(Locale.ROOT, "%-20s %6s %7s %7s %12s %12s %14s %12s%n", cells);
    }

    private static String text(double error) {
        return Double.isNaN(error) ? "" : String.format(Locale.ROOT, "%.3g", error);
    }
}
