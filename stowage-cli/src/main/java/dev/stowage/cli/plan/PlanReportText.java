package dev.stowage.cli.plan;

import dev.stowage.cli.text.ByteSize;
import dev.stowage.cli.text.CountText;
import dev.stowage.cli.text.TextTable;
import dev.stowage.graph.Graph;
import dev.stowage.picture.PageTable;
import dev.stowage.plan.BudgetFit;
import dev.stowage.plan.LiveTensor;
import dev.stowage.plan.Liveness;
import dev.stowage.plan.PlanAnalysis;
import dev.stowage.plan.order.Reordering;
import dev.stowage.tensor.Tensor;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Writes a {@link PlanReport} as human-readable text. */
final class PlanReportText {
    private final PlanReport report;
    private final PrintWriter out;
    private final TextTable numbers = TextTable.aligned("lrl");

    PlanReportText(PlanReport report, PrintWriter out) {
        this.report = report;
        this.out = out;
    }

    void print() {
        Graph graph = report.plan().graph();
        PlanAnalysis analysis = report.plan().analysis();
        out.println(headline());
        printRemarks();
        out.println();
        row("parameters", CountText.of(report.run().how().parameters()), "");
        row("nodes", CountText.of(graph.nodeCount()), CountText.of(graph.leafCount()) + " leaves");
        size("weights", report.model().weightBytes(), "");
        boolean cached = !report.model().cache().isEmpty();
        if (cached) {
            size("KV cache", report.model().cacheBytes(), "");
        }
        size("compute buffer", report.plan().size(), "");
        size("lower bound", analysis.lowerBound(), "the most that is live at one node");
        row("ratio", String.format(Locale.ROOT, "%.3f", analysis.ratio()), "compute buffer to lower bound");
        size(
                "without reuse",
                analysis.sumOfSizes(),
                String.format(
                        Locale.ROOT,
                        "%s (%.1f %%) saved",
                        ByteSize.format(report.savedBytes()),
                        100 * report.savedShare()));
        size(
                "total",
                report.totalBytes(),
                cached ? "weights, KV cache and compute buffer" : "weights and compute buffer");
        numbers.printIndented(out);
        out.println();
        peak();
        out.println();
        reordering();
        fit();
        out.printf(Locale.ROOT, "Planned by '%s' in %.1f ms.%n", report.plan().planner(), report.nanoseconds() / 1e6);
    }

    /** The model and how it is run, in one line. */
    String headline() {
        return WorkloadText.headline(report.run().how());
    }

    /** What is stored beside what is planned, for a page. */
    PageTable table() {
        long weights = report.model().weightBytes();
        long cache = report.model().cacheBytes();
        return new PageTable(
                "Memory",
                List.of(
                        List.of("model", "planner", "weights", "KV cache", "compute", "total"),
                        List.of(
                                report.run().how().name(),
                                report.plan().planner(),
                                ByteSize.format(weights),
                                ByteSize.format(cache),
                                ByteSize.format(report.plan().size()),
                                ByteSize.format(report.totalBytes()))),
                List.of());
    }

    /** What limits the validity of the numbers. */
    void printRemarks() {
        WorkloadText.remarks(report.run().how()).forEach(out::println);
    }

    private void peak() {
        List<LiveTensor> live = report.liveAtPeak();
        List<LiveTensor> largest = report.largestAtPeak();
        if (largest.isEmpty()) {
            out.println("Nothing needs memory.");
            return;
        }
        out.printf(
                Locale.ROOT,
                "The most is live %s: %s%s%n",
                peakNode(),
                CountText.of(live.size(), "tensor"),
                largest.size() < live.size() ? ", the largest of which are" : "");
        TextTable table = TextTable.aligned("rlll");
        for (LiveTensor tensor : largest) {
            table.row(ByteSize.format(tensor.bytes()), tensor.name(), kind(tensor), tensor.reason());
        }
        table.printIndented(out);
    }

    private void reordering() {
        Reordering reordering = report.reordering();
        if (reordering == null) {
            return;
        }
        if (reordering.saved() == 0) {
            out.println("No order of the nodes was found that needs less.");
        } else {
            out.println("Running " + CountText.of(reordering.movedNodes(), "node") + " in another order saves "
                    + ByteSize.format(reordering.saved()) + " of " + ByteSize.format(reordering.sizeBefore()) + ".");
        }
    }

    private void fit() {
        BudgetFit fit = report.fit();
        if (fit == null) {
            return;
        }
        String budget = ByteSize.format(fit.budget());
        out.println(
                switch (fit.answer()) {
                    case FITS ->
                        "The compute buffer fits into " + budget + ", with " + ByteSize.format(fit.spare())
                                + " to spare.";
                    case DOES_NOT_FIT ->
                        "The compute buffer does not fit into " + budget + ": " + ByteSize.format(fit.missing())
                                + " too many. What is live at the peak would fit.";
                    case CANNOT_FIT ->
                        "The compute buffer does not fit into " + budget + ": " + ByteSize.format(fit.missing())
                                + " too many. What is live at the peak alone does not fit.";
                });
    }

    private String peakNode() {
        int node = report.plan().analysis().peakNode(0);
        Graph graph = report.plan().graph();
        return node == Liveness.BEFORE
                ? "before the first node"
                : "at node " + CountText.of(node) + ", '" + graph.label(node) + "' (" + graph.op(node) + ")";
    }

    private String kind(LiveTensor live) {
        Tensor tensor = report.plan().graph().tensor(live.id());
        String origin = tensor.isLeaf()
                ? (tensor.isInput() ? "input" : "leaf")
                : tensor.op().toString();
        return origin + " " + tensor.type() + tensor.shape();
    }

    private void size(String name, long bytes, String remark) {
        row(name, ByteSize.format(bytes), remark);
    }

    private void row(String name, String value, String remark) {
        numbers.row(name, value, remark);
    }
}
