package dev.stowage.cli.pack;

import dev.stowage.cli.text.BinarySize;
import dev.stowage.packing.PackingResult;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;

/** Writes a {@link PackReport} for people. Bytes are exact, because capacities are. */
final class PackReportText {
    private final PackReport report;
    private final PackingResult result;
    private final PrintWriter out;

    PackReportText(PackReport report, PrintWriter out) {
        this.report = report;
        this.result = report.result();
        this.out = out;
    }

    void print() {
        int count = report.problem().count();
        out.println(report.source() + ": " + grouped(count) + (count == 1 ? " buffer" : " buffers"));
        out.println();
        report.capacity().ifPresent(capacity -> row("capacity", grouped(capacity), BinarySize.of(capacity)));
        row("height", grouped(result.height()), BinarySize.of(result.height()));
        row("lower bound", grouped(result.lowerBound()), BinarySize.of(result.lowerBound()));
        row("ratio", String.format(Locale.ROOT, "%.4f", report.ratio()), "height to lower bound");
        long saved = report.sumOfSizes() - result.height();
        row(
                "without reuse",
                grouped(report.sumOfSizes()),
                saved > 0
                        ? String.format(
                                Locale.ROOT,
                                "%s (%.1f %%) saved",
                                BinarySize.of(saved),
                                100.0 * saved / report.sumOfSizes())
                        : "");
        row("steps", grouped(result.steps()), limit());
        out.println();
        out.println(verdict());
        out.printf(
                Locale.ROOT,
                "Packed by '%s' in %s, and checked.%n",
                report.packer(),
                PackReport.span(Duration.ofNanos(report.nanoseconds())));
    }

    private String limit() {
        String steps = report.budget().steps() == Long.MAX_VALUE
                ? ""
                : "of at most " + grouped(report.budget().steps());
        return report.budget()
                .time()
                .map(time -> (steps + " in at most " + PackReport.span(time)).strip())
                .orElse(steps);
    }

    private String verdict() {
        if (report.capacity().isEmpty()) {
            return result.isOptimal() ? "Proven optimal: no packing is lower." : "Not proven optimal: " + open();
        }
        long capacity = report.capacity().getAsLong();
        String into = " into " + grouped(capacity) + " bytes";
        if (report.fits()) {
            return "Fits" + into + ", with " + grouped(capacity - result.height()) + " to spare. "
                    + (result.isOptimal() ? "Proven optimal: no packing is lower." : "A lower packing may exist.");
        }
        return result.provesUnfit(capacity)
                ? "Does not fit" + into + ", by " + grouped(result.lowerBound() - capacity) + " or more. That is"
                        + " proven: no packing has less than the lower bound."
                : "No packing found that fits" + into + ": the best has " + grouped(result.height() - capacity)
                        + " too many. Whether one fits is not known: " + report.end() + ".";
    }

    private String open() {
        return String.format(
                Locale.ROOT,
                "%s. At most %,d bytes (%.2f %%) are left to gain.",
                report.end(),
                result.height() - result.lowerBound(),
                100.0 * (result.height() - result.lowerBound()) / result.height());
    }

    private void row(String name, String value, String remark) {
        out.println(String.format(Locale.ROOT, "  %-13s %17s  %s", name, value, remark)
                .stripTrailing());
    }

    private static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
