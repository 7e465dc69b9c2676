package dev.stowage.cli.bench;

import dev.stowage.cli.option.CountConverter;
import dev.stowage.cli.option.DeviceOption;
import dev.stowage.cli.option.InferenceOptions;
import dev.stowage.cli.option.LayersOnOption;
import dev.stowage.cli.option.ModelFile;
import dev.stowage.cli.option.ThreadCounts;
import dev.stowage.cli.text.Progress;
import dev.stowage.gguf.GgufContents;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.model.ModelBlueprint;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures how fast a model runs; its subcommands measure other things. */
@Command(
        name = "bench",
        description = {
            "Measure how fast a model reads prompts and generates tokens, as llama-bench does; or what the subcommands"
                    + " measure.",
            "Each test is repeated: 'pp128' reads a prompt of 128 tokens, 'tg32' generates 32 tokens, 'tg32 x 8' does so"
                    + " for 8 sequences at once, 'tg32 @ d4096' after a context of 4096 tokens. Shown are tokens per"
                    + " second, of all sequences together, as mean ± standard deviation and as median. Before that the test runs until it no longer gets faster, as Java compiles on the way."
        },
        subcommands = {OpsBenchCommand.class, MakeModelCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage bench model.gguf                     pp512 and tg128",
            "  stowage bench model.gguf -p 128 -n 32 -t 1,2",
            "  stowage bench model.gguf -p 0 -n 128 --sequences 1,8,32 -d 0,8192",
            "  stowage bench model.gguf -p 128 -n 0 --against ~/llama.cpp --json",
            "  stowage bench ops --quick",
            "  stowage bench ops --op mul_mat --type q4_0,q8_0 --fetch-ggml"
        })
public final class BenchCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "MODEL.gguf", description = "The model.")
    private @Nullable String file;

    @Option(
            names = {"-m", "--model"},
            paramLabel = "MODEL.gguf",
            description = "The model, as an option.")
    private @Nullable String named;

    @Option(
            names = {"-p", "--n-prompt", "--prompt"},
            paramLabel = "N",
            split = ",",
            defaultValue = "512",
            converter = CountConverter.OrZero.class,
            description = "Read prompts of so many tokens; 0 for none. Default: ${DEFAULT-VALUE}.")
    private List<Integer> prompts = List.of();

    @Option(
            names = {"-n", "--n-gen", "--generate"},
            paramLabel = "N",
            split = ",",
            defaultValue = "128",
            converter = CountConverter.OrZero.class,
            description = "Generate so many tokens; 0 for none. Default: ${DEFAULT-VALUE}.")
    private List<Integer> generations = List.of();

    @Option(
            names = "--sequences",
            paramLabel = "N",
            split = ",",
            defaultValue = "1",
            converter = CountConverter.class,
            description = "Generate for so many sequences at once, one token of each per pass. Default:"
                    + " ${DEFAULT-VALUE}.")
    private List<Integer> sequences = List.of();

    @Option(
            names = {"-d", "--depth"},
            paramLabel = "N",
            split = ",",
            defaultValue = "0",
            converter = CountConverter.OrZero.class,
            description = "Begin after a context of so many tokens in every sequence. Default: ${DEFAULT-VALUE}.")
    private List<Integer> depths = List.of();

    @Option(
            names = {"-t", "--threads"},
            paramLabel = "N",
            split = ",",
            converter = CountConverter.class,
            description = "Numbers of threads, each measured. Default: one for each processor.")
    private List<Integer> threads = List.of();

    @Option(
            names = {"-r", "--repetitions"},
            paramLabel = "N",
            defaultValue = "5",
            converter = CountConverter.class,
            description = "How often each test is measured. Default: ${DEFAULT-VALUE}.")
    private int repetitions;

    @Option(
            names = "--greedy",
            description = "Generate as with temperature 0: the device chooses each token, and only that comes back in"
                    + " place of all logits.")
    private boolean greedy;

    @Mixin
    private InferenceOptions inference = new InferenceOptions();

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Mixin
    private LayersOnOption layersOn = new LayersOnOption();

    @Option(
            names = "--against",
            paramLabel = "DIR",
            description =
                    "Have llama.cpp measure the same, and show our speed as a multiple of its: the llama-bench in this"
                            + " folder, or in bin or build/bin below it; or the libllama.so there, in a checkout.")
    private @Nullable Path against;

    @Option(names = "--json", description = "Print one JSON array, with the members that llama-bench has, and medians.")
    private boolean json;

    @Override
    public void run() {
        if (file != null && named != null) {
            throw refusal("the model is named twice: as an argument and with -m");
        }
        measure(Stream.of(Optional.ofNullable(file), Optional.ofNullable(named))
                .flatMap(Optional::stream)
                .map(ModelFile::of)
                .findFirst()
                .orElseThrow(() -> refusal("say what to do: measure a GGUF file, or "
                        + String.join(", ", spec.subcommands().keySet()))));
    }

    private void measure(Path model) {
        // Whatever cannot work is said before minutes are spent.
        Optional<LlamaCpp> other = Optional.ofNullable(against).map(LlamaCpp::in);
        ModelBlueprint blueprint = ModelBlueprint.of(GgufContents.read(model));
        List<Integer> counts = threads.isEmpty()
                ? List.of(Runtime.getRuntime().availableProcessors())
                : ThreadCounts.atMostProcessors(threads, spec);
        List<List<ModelBenchCase>> cases = counts.stream().map(this::cases).toList();
        other.ifPresent(theirs -> cases.getFirst().forEach(theirs::require));
        ModelOptions options = options();
        boolean fused = options.attention().isFused(blueprint.shape(), options.cacheType());
        LlamaCpp.Work work = new LlamaCpp.Work(model, repetitions, options.batch(), options.cacheType(), fused);
        List<BenchReport.Row> rows = new ArrayList<>();
        Progress progress = Progress.onTerminal(spec.commandLine().getErr());
        try {
            ModelBenchmark ours = new ModelBenchmark(model, options, repetitions, greedy, progress::show);
            for (List<ModelBenchCase> alike : cases) {
                ModelBenchmark.Report report = ours.measure(alike);
                other.ifPresent(
                        _ -> progress.show("llama.cpp, " + alike.getFirst().threads() + " threads"));
                rows.addAll(BenchReport.Row.of(report, other.map(theirs -> theirs.measure(alike, work))));
            }
        } finally {
            progress.clear();
        }
        print(new BenchReport(blueprint.contents(), options, fused, greedy, rows));
    }

    /** What is measured with so many threads. */
    private List<ModelBenchCase> cases(int count) {
        List<ModelBenchCase> cases = depths.stream()
                .flatMap(depth -> cases(depth, count))
                .filter(each -> each.tokens() > 0)
                .distinct()
                .toList();
        if (cases.isEmpty()) {
            throw refusal("there is nothing to measure: give -p or -n a number above 0");
        }
        return cases;
    }

    /** What is measured after so many tokens, also what is for 0 tokens and so left out. */
    private Stream<ModelBenchCase> cases(int depth, int count) {
        return Stream.concat(
                prompts.stream().map(tokens -> ModelBenchCase.ofPrompt(tokens, depth, count)),
                generations.stream()
                        .flatMap(tokens -> sequences.stream()
                                .map(several -> ModelBenchCase.ofGeneration(tokens, several, depth, count))));
    }

    private ModelOptions options() {
        ModelOptions options = ModelOptions.defaults()
                .withBatch(inference.batch().orElse(ModelOptions.DEFAULT_BATCH))
                .withCacheType(inference.cacheType())
                .withAttention(inference.attention(spec))
                .withDevices(device.devices(spec));
        return layersOn.applyTo(options, spec);
    }

    private void print(BenchReport report) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            report.printJson(out);
        } else {
            report.print(out);
        }
        out.flush();
    }

    private ParameterException refusal(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
