package dev.stowage.cli;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.memory.HostBufferType;
import dev.stowage.models.ModelShape;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanPicture;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.Planner;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Plans the memory of a model known by name: its weights, its cache, and above all what passes between its ops. */
@Command(
        name = "plan",
        description = {
            "Plan the memory of a model.",
            "Shows what weights, KV cache and compute buffer take, how close the plan comes to the least possible,"
                    + " and what is live where the most is. Needs no weights and takes no memory."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage plan                             the small model",
            "  stowage plan llama-3-8b                  512 tokens, context 4096",
            "  stowage plan llama-3-8b --tokens 1       one token at a time",
            "  stowage plan llama-3-70b --type q4_K     quantised weights",
            "  stowage plan qwen-3-8b --context 32768 --flash --cache-type q8_0",
            "  stowage plan resnet-50 --batch 16 --json",
            "  stowage plan small --svg plan.svg        a picture to open in a browser",
            "  stowage plan --list                      the models there are"
        })
final class PlanCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "MODEL",
            defaultValue = "small",
            converter = ModelConverter.class,
            completionCandidates = ModelConverter.Names.class,
            description = "The model: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private ModelShape shape;

    @Mixin
    private ModelOptions options;

    @Option(
            names = "--planner",
            paramLabel = "NAME",
            defaultValue = "ggml",
            converter = PlannerConverter.class,
            completionCandidates = PlannerConverter.Names.class,
            description = "Who plans: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private Planner planner = Planner.ggml();

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

    @Option(names = "--list", description = "List the models there are with their hyper-parameters, and plan nothing.")
    private boolean list;

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        if (list) {
            list(out);
        } else {
            report(out);
        }
        out.flush();
    }

    private void list(PrintWriter out) {
        if (json) {
            ModelList.printJson(out);
        } else {
            ModelList.print(out);
        }
    }

    private void report(PrintWriter out) {
        PlanReport report = planned(options.run(shape));
        if (svg != null) {
            draw(report.plan(), svg);
        }
        if (json) {
            PlanReportJson.print(report, explain, out);
            return;
        }
        new PlanReportText(report, out).print();
        if (explain) {
            out.println();
            out.print(report.plan().explain());
        }
    }

    /** Writes beside the file first, so that what was there before stays if something fails. */
    private static void draw(MemoryPlan plan, Path file) {
        Path unfinished = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.writeString(unfinished, PlanPicture.svg(plan));
            Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    new IOException("cannot write the picture to " + file + ": " + e.getMessage(), e));
        }
    }

    private PlanReport planned(ModelOptions.Run run) {
        PlanRequest request = PlanRequest.of(run.model().graph(), HostBufferType.standard());
        long start = System.nanoTime();
        try {
            MemoryPlan plan = planner.plan(request);
            PlanReport report = new PlanReport(run, plan, System.nanoTime() - start);
            // What is too large to be counted must be found out before the first line is printed.
            report.totalBytes();
            return report;
        } catch (InvalidPlanException e) {
            throw new ParameterException(
                    spec.commandLine(), shape.name() + " is too large with these options: " + e.getMessage(), e);
        }
    }
}
