package dev.stowage.cli.plan;

import dev.stowage.cli.option.ByteSizeConverter;
import dev.stowage.cli.option.CountConverter;
import dev.stowage.cli.option.PlannerOption;
import dev.stowage.cli.text.OutputFiles;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.memory.HostBufferType;
import dev.stowage.picture.PageTable;
import dev.stowage.picture.PlanPicture;
import dev.stowage.plan.BudgetFit;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.order.Reordering;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Plans the memory of a model: its weights, its cache, and above all what passes between its ops. */
@Command(
        name = "plan",
        description = {
            "Plan the memory of a model.",
            "Shows what weights, KV cache and compute buffer take, how close the plan comes to the least possible,"
                    + " and what is live where the most is. With --devices, what each device holds, what is copied"
                    + " between them, and whether it fits. Needs no weights and takes no memory.",
            "Of a GGUF file only the head is read, so that the rest may still be missing. It is planned as 'stowage run'"
                    + " would run it, to the byte, on this machine unless --devices names another.",
            "For an image network --batch counts images and is 1 by default."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage plan                             the small model",
            "  stowage plan llama-3-8b                  512 tokens, context 4096",
            "  stowage plan llama-3-8b --batch 1        one token at a time",
            "  stowage plan llama-3-70b --type q4_K     quantised weights",
            "  stowage plan qwen-3-8b --ctx 32768 --flash --cache-type q8_0",
            "  stowage plan resnet-50 --batch 16 --json",
            "  stowage plan small --svg plan.svg        a picture to open in a browser",
            "  stowage plan llama-3-8b --html plan.html a page to zoom into and search",
            "  stowage plan llama-3-8b --planner tight --budget 512MiB",
            "  stowage plan llama-3-70b --type q4_K --devices gpu:24GiB,gpu:24GiB,cpu",
            "  stowage plan llama-3-8b --devices gpu:12GiB,cpu --layers-on 20 --explain",
            "  stowage plan model.gguf                  what 'stowage run model.gguf' takes here",
            "  stowage plan model.gguf --ctx 32768 --devices gpu:24GiB,cpu:64GiB --fit",
            "  stowage plan --list                      the models there are"
        })
public final class PlanCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "MODEL",
            defaultValue = "small",
            converter = ModelConverter.class,
            completionCandidates = ModelConverter.Names.class,
            description =
                    "The model: a GGUF file, any part of a split one, or one of ${COMPLETION-CANDIDATES}. Default:"
                            + " ${DEFAULT-VALUE}.")
    private ModelChoice model;

    @Option(
            names = {"-m", "--model"},
            paramLabel = "MODEL",
            converter = ModelConverter.class,
            completionCandidates = ModelConverter.Names.class,
            description = "The model, as an option.")
    private @Nullable ModelChoice named;

    /** Accepts the option of other commands, so that a command line of theirs can be planned; no plan depends on it. */
    @Option(
            names = {"-t", "--threads"},
            paramLabel = "N",
            hidden = true,
            converter = CountConverter.class)
    void setThreads(Integer count) {}

    @Mixin
    private ModelArguments options;

    @Mixin
    private DeviceArguments devices;

    @Mixin
    private PlannerOption planner;

    @Option(names = "--reorder", description = "Run the nodes in an order that needs less memory, if there is one.")
    private boolean reorder;

    @Option(
            names = "--budget",
            paramLabel = "SIZE",
            converter = ByteSizeConverter.class,
            description = "Fail if the compute buffer does not fit into this, such as 512MiB, and say by how much.")
    private @Nullable Long budget;

    @Option(names = "--explain", description = "Add why the plan is as it is.")
    private boolean explain;

    @Option(names = "--json", description = "Print one JSON object, with all sizes in bytes.")
    private boolean json;

    @Option(
            names = "--svg",
            paramLabel = "FILE",
            description =
                    "Also draw the plan into this file: time to the right, addresses upwards, a rectangle per tensor.")
    private @Nullable Path svg;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Also write a page about the plan into this file: the picture to zoom into, a search, the"
                    + " largest tensors. It needs no network.")
    private @Nullable Path html;

    @Option(names = "--list", description = "List the models there are with their hyper-parameters, and plan nothing.")
    private boolean list;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        boolean fits = list || plan(options.run(model()), out);
        if (list) {
            list(out);
        }
        out.flush();
        return fits ? ExitCode.OK : spec.exitCodeOnExecutionException();
    }

    private boolean plan(ModelArguments.Run run, PrintWriter out) {
        if (devices.areRequested(run.how())) {
            DevicePlanReport report = devices.report(run, planner.planner());
            report(report, out);
            return report.fits();
        }
        PlanReport report = planned(run);
        report(report, out);
        return report.fits();
    }

    private ModelChoice model() {
        if (named == null) {
            return model;
        }
        if (spec.commandLine().getParseResult().hasMatchedPositional(0)) {
            throw new ParameterException(spec.commandLine(), "the model is named twice: as an argument and with -m");
        }
        return named;
    }

    private void list(PrintWriter out) {
        if (json) {
            ModelList.printJson(out);
        } else {
            ModelList.print(out);
        }
    }

    private void report(PlanReport report, PrintWriter out) {
        PlanReportText text = new PlanReportText(report, out);
        draw(report.plan(), text.headline(), text.table());
        if (json) {
            PlanReportJson.print(report, explain, out);
            return;
        }
        text.print();
        if (explain) {
            out.println();
            out.print(report.plan().explain());
        }
        printWritten(out);
    }

    private void report(DevicePlanReport report, PrintWriter out) {
        DevicePlanText text = new DevicePlanText(report, out);
        draw(report.schedule().plan(), text.headline(), text.table());
        if (json) {
            DevicePlanJson.print(report, explain, out);
            return;
        }
        text.print();
        if (explain) {
            out.println();
            out.print(report.schedule().explain());
        }
        printWritten(out);
    }

    private void draw(MemoryPlan plan, String title, PageTable table) {
        try (OutputFiles files = new OutputFiles()) {
            if (svg != null) {
                files.add(PlanPicture.svg(plan), svg, "the picture");
            }
            if (html != null) {
                files.add(PlanPicture.html(plan, title, List.of(table)), html, "the picture");
            }
            files.publish();
        }
    }

    private void printWritten(PrintWriter out) {
        Stream.of(Optional.ofNullable(svg), Optional.ofNullable(html))
                .flatMap(Optional::stream)
                .forEach(file -> out.println("Written: " + file));
    }

    private PlanReport planned(ModelArguments.Run run) {
        PlanRequest request = PlanRequest.of(run.model().graph(), HostBufferType.standard());
        long start = System.nanoTime();
        try {
            Reordering reordering = reorder ? Reordering.of(request, planner.planner()) : null;
            MemoryPlan plan = reordering == null ? planner.planner().plan(request) : reordering.plan();
            long nanoseconds = System.nanoTime() - start;
            BudgetFit fit = budget == null ? null : plan.fitInto(budget);
            PlanReport report = new PlanReport(run, plan, nanoseconds, reordering, fit);
            // What is too large to be counted must be found out before the first line is printed.
            report.totalBytes();
            return report;
        } catch (InvalidPlanException e) {
            throw new ParameterException(
                    spec.commandLine(), run.how().name() + " is too large with these options: " + e.getMessage(), e);
        }
    }
}
