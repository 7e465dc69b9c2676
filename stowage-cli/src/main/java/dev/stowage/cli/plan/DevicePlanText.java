package dev.stowage.cli.plan;

import dev.stowage.cli.text.ByteSize;
import dev.stowage.cli.text.CountText;
import dev.stowage.cli.text.TextTable;
import dev.stowage.llm.fit.FitAdvice;
import dev.stowage.llm.fit.LargestContext;
import dev.stowage.models.LayerPlacement;
import dev.stowage.picture.PageTable;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Writes a {@link DevicePlanReport} as a human-readable page. */
final class DevicePlanText {
    private static final int FEW = 8;

    private final DevicePlanReport report;
    private final PrintWriter out;

    DevicePlanText(DevicePlanReport report, PrintWriter out) {
        this.report = report;
        this.out = out;
    }

    void print() {
        out.println(headline());
        WorkloadText.remarks(report.run().how()).forEach(out::println);
        out.println();
        DeviceTable.print(report, out);
        out.println();
        printSplits();
        printTraffic();
        printPipeline();
        report.schedule().gain().ifPresent(gain -> out.println(gain + ", " + DeviceSpeeds.text()));
        out.println();
        printAnswer();
        out.println();
        out.printf(
                Locale.ROOT,
                "Placed by '%s', planned by '%s' in %.1f ms.%n",
                report.planner().options().placement().name(),
                report.schedule().plan().planner(),
                report.nanoseconds() / 1e6);
    }

    private void printAnswer() {
        printVerdict();
        if (report.fitted()) {
            printSplit();
        }
        printAdvice();
        report.freeNow().ifPresent(this::printFree);
        report.largestContext().ifPresent(this::printContext);
    }

    /** What devices hold and whether it fits, for a page. */
    PageTable table() {
        StringWriter answer = new StringWriter();
        new DevicePlanText(report, new PrintWriter(answer)).printAnswer();
        return new PageTable(
                "Devices", DeviceTable.rows(report), answer.toString().lines().toList());
    }

    /** The model and how it is run, in one line. */
    String headline() {
        return new PlanReportText(report.asPlanReport(), out).headline();
    }

    private void printSplits() {
        Schedule schedule = report.schedule();
        String splits = schedule.splitCount() <= FEW
                ? schedule.splits().stream()
                        .map(split -> name(split.device()) + " " + CountText.of(split.nodeCount(), "node"))
                        .collect(Collectors.joining(", then "))
                : IntStream.range(0, report.plan().loads().size())
                        .filter(device -> report.work(device).splits() > 0)
                        .mapToObj(device -> CountText.of(report.work(device).splits()) + " on " + name(device)
                                + " with " + CountText.of(report.work(device).nodes(), "node"))
                        .collect(Collectors.joining(", "));
        out.println(CountText.of(schedule.splitCount(), "split") + ": " + splits);
    }

    private void printTraffic() {
        Schedule schedule = report.schedule();
        if (schedule.inputCopyCount() == 0) {
            out.println("nothing is copied between devices");
            return;
        }
        out.println(CountText.of(schedule.inputCopyCount(), "tensor") + ", " + size(schedule.inputCopyBytes())
                + ", copied per run: "
                + report.traffic().stream()
                        .map(traffic ->
                                name(traffic.from()) + " to " + name(traffic.to()) + " " + size(traffic.bytes()))
                        .collect(Collectors.joining(", ")));
    }

    private void printPipeline() {
        ScheduleOptions options = report.planner().options();
        if (options.copies() > 1) {
            out.println("pipeline of " + options.copies() + ", with copies "
                    + switch (options.pipelineCopies()) {
                        case EVERYWHERE -> "of all that crosses";
                        case WHERE_NEEDED -> "only where batches in flight need them";
                    });
        }
    }

    private void printVerdict() {
        if (report.plan().fits()) {
            out.println(report.missingNow() == 0 ? "It fits." + filling() : "It does not fit into what is free now.");
            return;
        }
        out.println("It does not fit: "
                + report.plan().loads().stream()
                        .filter(load -> !load.fits())
                        .map(load -> load.name() + " lacks " + size(load.missing()) + " ("
                                + CountText.of(load.missing(), "byte") + ")")
                        .collect(Collectors.joining(", "))
                + ".");
    }

    private void printSplit() {
        LayerPlacement layers = report.plan().layers();
        int off = layers.layers() - layers.layersOf(layers.devices() - 1).length;
        String share =
                (off == layers.layers() ? "all " + off : off + " of " + layers.layers()) + " layers off the cpu.";
        out.println(layers.layersOn()
                .filter(_ -> layers.devices() > 1)
                .map(counts -> "The best split is --layers-on " + counts + ", with " + share)
                .orElse("The best split has " + share));
    }

    /** How to ask for the same again, where nothing was requested and there is more than one device. */
    private String filling() {
        if (report.fitted()
                || report.planner().layersOn().isPresent()
                || report.planner().devices().size() == 1) {
            return "";
        }
        return report.plan()
                .layers()
                .layersOn()
                .map(counts -> " Its layers are distributed as by --layers-on " + counts + ".")
                .orElse("");
    }

    private void printAdvice() {
        if (report.plan().fits()) {
            return;
        }
        if (report.advice().isEmpty()) {
            out.println("No single change of these options would help; it takes more memory.");
            return;
        }
        out.println("What would help:");
        TextTable table = TextTable.aligned("ll");
        for (FitAdvice advice : report.advice()) {
            table.row(change(advice), advice.fits() ? "fits" : size(advice.missing()) + " still missing");
        }
        table.printIndented(out);
    }

    private String change(FitAdvice advice) {
        return FitChangeText.of(advice.change(), report.run());
    }

    /** What the processor holds is taken from there, and what the process itself takes. */
    private void printFree(long free) {
        long total = report.plan().loads().getLast().budget().bytes();
        out.println("A process that runs it takes " + size(report.neededHere())
                + " of the memory of this machine, of which " + size(report.overhead())
                + " for itself: the JVM, compiled code and the vocabulary."
                + (report.leftInFile() == 0
                        ? ""
                        : " The embeddings, " + size(report.leftInFile())
                                + ", stay in the file, and only rows that are used are read."));
        out.println(size(free) + " of the memory of this machine are free now" + ofAll(total) + ", "
                + (report.missingNow() == 0 ? "which is enough." : size(report.missingNow()) + " less than needed."));
    }

    private static String ofAll(long total) {
        return total == DeviceSpec.UNLIMITED ? "" : " of " + size(total);
    }

    private void printContext(LargestContext context) {
        int asManyOff = context.withAsManyOff();
        int any = context.withAnyLayers();
        if (any == 0) {
            out.println("No context fits.");
            return;
        }
        out.println("The largest context that fits is " + (asManyOff == 0 ? "" : CountText.of(asManyOff))
                + (asManyOff == any
                        ? ""
                        : (asManyOff == 0 ? "" : ", or ") + CountText.of(any) + " with more layers on the cpu")
                + "; the model was trained with " + CountText.of(context.trained()) + ".");
    }

    private String name(int device) {
        return report.plan().loads().get(device).name();
    }

    private static String size(long bytes) {
        return ByteSize.format(bytes);
    }
}
