package dev.stowage.cli.conformance;

import dev.stowage.cli.option.CountConverter;
import dev.stowage.cli.option.DeviceOption;
import dev.stowage.cli.option.GgufFileName;
import dev.stowage.cli.option.LayersOnOption;
import dev.stowage.cli.option.PlannerOption;
import dev.stowage.cli.text.Progress;
import dev.stowage.llm.AttentionMode;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.golden.GoldenCase;
import dev.stowage.llm.golden.GoldenModels;
import dev.stowage.llm.golden.ModelConformance;
import dev.stowage.llm.golden.ModelConformance.Finding;
import dev.stowage.llm.golden.ModelConformance.Outcome;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares what a model computes with what llama.cpp was recorded to compute. */
@Command(
        name = "model",
        description = {
            "Compare tokens, likelihood, logits and greedy text of a model with what llama.cpp was recorded to compute.",
            "Every difference is printed. The last line says how many comparisons passed and failed, and of models with experts"
                    + " how many are undecided: rounding decided which expert a token went through, and with the other one they"
                    + " would pass.",
            "With several recordings, as of plain and of flash attention, each prompt is compared with the nearest."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage conformance model lexicon-5m-f16.gguf golden.json.gz",
            "  stowage conformance model lexicon-5m-Q4_0.gguf golden.json.gz --device reference",
            "  stowage conformance model lexicon-5m-Q4_0.gguf golden.json.gz flash.json.gz --flash",
            "  stowage conformance model lexicon-5m-Q4_0.gguf golden.json.gz --device cuda0,cpu --layers-on 3",
            "  stowage conformance model renamed.gguf golden.json.gz --model lexicon-5m-f16"
        })
final class ModelConformanceCommand implements Callable<Integer> {
    /** Enough for most prompts as they are recorded, with what follows them. */
    private static final int CONTEXT = 1024;

    /** Longer ones get the next multiple of this, as llama.cpp has it. */
    private static final int CONTEXT_STEP = 256;

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "FILE.gguf", description = "The model.")
    private Path file;

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "GOLDEN.json.gz",
            description = "The recorded cases, plain or compressed with gzip.")
    private List<Path> goldens;

    @Option(
            names = "--model",
            paramLabel = "NAME",
            description = "Which of the recorded models the file is. Default: the name of the file without .gguf.")
    private @Nullable String model;

    @Mixin
    private DeviceOption device;

    @Mixin
    private LayersOnOption layersOn;

    @Mixin
    private PlannerOption planner;

    @Option(names = "--flash", description = "Use flash attention. Default: plain.")
    private boolean flash;

    @Option(
            names = "--recorded-ctx",
            paramLabel = "N",
            converter = CountConverter.OrZero.class,
            description =
                    "The context that the answers were recorded with, which some ropes depend on; 0 for 1024, or what the"
                            + " longest prompt takes. Default: 0.")
    private int recordedContext;

    private int passed;
    private int failed;
    private int undecided;

    @Override
    public Integer call() {
        List<List<GoldenCase>> cases = cases(model == null ? nameOf(file) : model);
        PrintWriter out = spec.commandLine().getOut();
        Progress progress = Progress.onTerminal(spec.commandLine().getErr());
        try (LanguageModel opened = LanguageModel.open(file, options(context(cases)), LoadListener.NONE);
                ModelConformance conformance = new ModelConformance(opened)) {
            for (int i = 0; i < cases.size(); i++) {
                progress.show(file + ": prompt " + i + " of " + cases.size() + ", " + failed + " failed");
                List<GoldenCase> each = cases.get(i);
                List<Finding> findings = conformance.checkNearest(each);
                progress.clear();
                findings.forEach(finding -> count(finding, each.getFirst(), out));
            }
        }
        out.println(
                passed + " passed, " + failed + " failed" + (undecided == 0 ? "" : ", " + undecided + " undecided"));
        out.flush();
        return failed == 0 ? ExitCode.OK : spec.exitCodeOnExecutionException();
    }

    /** For each prompt of the first file, what was recorded for it in any of them. */
    private List<List<GoldenCase>> cases(String name) {
        List<GoldenCase> all = goldens.stream()
                .flatMap(golden -> GoldenModels.read(golden).cases(name).stream())
                .toList();
        return GoldenModels.read(goldens.getFirst()).cases(name).stream()
                .map(first -> all.stream()
                        .filter(each -> each.prompt().equals(first.prompt()))
                        .toList())
                .toList();
    }

    private int context(List<List<GoldenCase>> cases) {
        if (recordedContext > 0) {
            return recordedContext;
        }
        int longest = cases.stream()
                .flatMap(List::stream)
                .mapToInt(each -> each.tokens().length + each.greedy().length)
                .max()
                .orElse(0);
        return Math.max(CONTEXT, Math.ceilDiv(longest, CONTEXT_STEP) * CONTEXT_STEP);
    }

    private ModelOptions options(int tokens) {
        ModelOptions defaults = ModelOptions.defaults();
        ModelOptions options = defaults.withContext(tokens)
                .withAttention(flash ? AttentionMode.FUSED : AttentionMode.PLAIN)
                .withSchedule(defaults.schedule().withPlanner(planner.planner()))
                .withDevices(device.devices(spec));
        return layersOn.applyTo(options, spec);
    }

    private void count(Finding finding, GoldenCase golden, PrintWriter out) {
        switch (finding.outcome()) {
            case PASSED -> {
                passed++;
                return;
            }
            case FAILED -> failed++;
            case UNDECIDED -> undecided++;
        }
        String undecidedMark = finding.outcome() == Outcome.UNDECIDED ? "undecided: " : "";
        out.println("'" + golden.prompt() + "': " + finding.check() + ": " + undecidedMark + finding.detail());
    }

    private static String nameOf(Path file) {
        return GgufFileName.withoutSuffix(String.valueOf(file.getFileName()));
    }
}
