package dev.stowage.cli.pack;

import dev.stowage.cli.text.ByteSize;
import dev.stowage.cli.text.CountText;
import dev.stowage.cli.text.TextTable;
import dev.stowage.packing.PackingResult;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;

/** Writes a {@link PackReport} as human-readable text. Bytes are exact, because capacities are. */
final class PackReportText {
    private static final String OPTIMAL = "Proven optimal: no packing is lower.";

    private final PackReport report;
    private final PackingResult result;
    private final PrintWriter out;
    private final TextTable numbers = TextTable.aligned("lrl");

    PackReportText(PackReport report, PrintWriter out) {
        this.report = report;
        this.result = report.result();
        this.out = out;
    }

    void print() {
        int count = report.problem().count();
        out.println(report.source() + ": " + CountText.of(count) + (count == 1 ? " buffer" : " buffers"));
        out.println();
        report.capacity().ifPresent(capacity -> row("capacity", CountText.of(capacity), ByteSize.format(capacity)));
        row("height", CountText.of(result.height()), ByteSize.format(result.height()));
        row("lower bound", CountText.of(result.lowerBound()), ByteSize.format(result.lowerBound()));
        row("ratio", String.format(Locale.ROOT, "%.4f", report.ratio()), "height to lower bound");
        long saved = report.sumOfSizes() - result.height();
        row(
                "without reuse",
                CountText.of(report.sumOfSizes()),
                saved > 0
                        ? String.format(
                                Locale.ROOT,
                                "%s (%.1f %%) saved",
                                ByteSize.format(saved),
                                100.0 * saved / report.sumOfSizes())
                        : "");
        row("steps", CountText.of(result.steps()), limit());
        numbers.printIndented(out);
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
                : "of at most " + CountText.of(report.budget().steps());
        return report.budget()
                .time()
                .map(time -> (steps + " in at most " + PackReport.span(time)).strip())
                .orElse(steps);
    }

    private String verdict() {
        if (report.capacity().isEmpty()) {
            return report.isCheck()
                    ? "The given offsets are valid. " + check()
                    : result.isOptimal() ? OPTIMAL : "Not proven optimal: " + open();
        }
        long capacity = report.capacity().getAsLong();
        String into = " into " + CountText.of(capacity) + " bytes";
        if (report.fits()) {
            return "Fits" + into + ", with " + CountText.of(capacity - result.height()) + " to spare. "
                    + (report.isCheck() ? check() : result.isOptimal() ? OPTIMAL : "A lower packing may exist.");
        }
        return result.provesUnfit(capacity)
                ? "Does not fit" + into + ", by " + CountText.of(result.lowerBound() - capacity) + " or more. That is"
                        + " proven: no packing has less than the lower bound."
                : "No packing found that fits" + into + ": the best has " + CountText.of(result.height() - capacity)
                        + " too many. Whether one fits is not known: " + report.end() + ".";
    }

    /** What offsets that were given leave to gain. */
    private String check() {
        long gain = result.height() - report.freeLowerBound();
        return gain == 0
                ? "No other offsets have a lower height."
                : String.format(
                        Locale.ROOT,
                        "Other offsets may have a lower height, by at most %,d bytes (%.2f %%).",
                        gain,
                        100.0 * gain / result.height());
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
        numbers.row(name, value, remark);
    }
}
