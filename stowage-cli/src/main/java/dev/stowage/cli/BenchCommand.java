package dev.stowage.cli;

import dev.stowage.gguf.GgufContents;
import dev.stowage.llm.AttentionMode;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.tensor.ElementType;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures how fast a model runs; what else is measured are its subcommands. */
@Command(
        name = "bench",
        description = {
            "Measure how fast a model reads prompts and generates tokens, as llama-bench does; or what the subcommands"
                    + " measure.",
            "Each test starts from an empty context and is repeated: 'pp128' reads a prompt of 128 tokens, 'tg32'"
                    + " generates 32 tokens. Shown are tokens per second, as mean ± standard deviation and as median."
                    + " Before that the test runs until it no longer gets faster, as Java compiles on the way."
        },
        subcommands = {OpsBenchCommand.class, MakeModelCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage bench model.gguf                     pp512 and tg128",
            "  stowage bench model.gguf -p 128 -n 32 -t 1,2",
            "  stowage bench model.gguf -p 128 -n 0 --against ~/llama.cpp --json",
            "  stowage bench ops --quick",
            "  stowage bench ops --op mul_mat --type q4_0,q8_0 --fetch-ggml"
        })
final class BenchCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "MODEL.gguf", description = "The model.")
    private @Nullable Path file;

    @Option(
            names = {"-p", "--prompt"},
            paramLabel = "N",
            split = ",",
            defaultValue = "512",
            converter = TokenCountConverter.class,
            description = "Read prompts of so many tokens; 0 for none. Default: ${DEFAULT-VALUE}.")
    private List<Integer> prompts = List.of();

    @Option(
            names = {"-n", "--generate"},
            paramLabel = "N",
            split = ",",
            defaultValue = "128",
            converter = TokenCountConverter.class,
            description = "Generate so many tokens; 0 for none. Default: ${DEFAULT-VALUE}.")
    private List<Integer> generations = List.of();

    @Option(
            names = {"-t", "--threads"},
            paramLabel = "N",
            split = ",",
            converter = CountConverter.class,
            description = "With so many threads. Default: one for each processor.")
    private List<Integer> threads = List.of();

    @Option(
            names = {"-r", "--repetitions"},
            paramLabel = "N",
            defaultValue = "5",
            converter = CountConverter.class,
            description = "How often each test is measured. Default: ${DEFAULT-VALUE}.")
    private int repetitions;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "" + ModelOptions.DEFAULT_BATCH,
            converter = CountConverter.class,
            description = "Tokens that go through the model at once, at most. Default: ${DEFAULT-VALUE}.")
    private int batch;

    @Option(
            names = "--cache-type",
            paramLabel = "TYPE",
            defaultValue = "f16",
            converter = ElementTypeConverter.class,
            completionCandidates = TypeNames.Caches.class,
            description = "Element type of the KV cache: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private ElementType cacheType = ElementType.F16;

    @Option(names = "--flash", description = "Use flash attention. Default: what 'stowage run' does.")
    private boolean flash;

    @Option(names = "--no-flash", description = "Use plain attention.")
    private boolean plain;

    @Option(
            names = "--device",
            paramLabel = "NAME",
            description = "The device, as 'stowage devices' lists it. Default: what 'stowage run' uses.")
    private @Nullable String device;

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
        if (file == null) {
            throw refusal("say what to do: measure a GGUF file, or "
                    + String.join(", ", spec.subcommands().keySet()));
        }
        measure(file);
    }

    private void measure(Path model) {
        // Whatever cannot work is said before minutes are spent.
        Optional<LlamaCpp> other = Optional.ofNullable(against).map(LlamaCpp::in);
        ModelBlueprint blueprint = ModelBlueprint.of(GgufContents.read(model));
        List<Integer> counts = threads.isEmpty() ? List.of(Runtime.getRuntime().availableProcessors()) : threads;
        List<List<BenchCase>> cases = counts.stream().map(this::cases).toList();
        ModelOptions options = options();
        boolean fused = options.attention().isFused(blueprint, cacheType);
        LlamaCpp.Work work = new LlamaCpp.Work(model, repetitions, batch, cacheType, fused);
        List<BenchReport.Row> rows = new ArrayList<>();
        Progress progress = Progress.onTerminal(spec.commandLine().getErr());
        try {
            ModelBenchmark ours = new ModelBenchmark(model, options, repetitions, progress::show);
            for (List<BenchCase> alike : cases) {
                ModelBenchmark.Report report = ours.measure(alike);
                other.ifPresent(
                        _ -> progress.show("llama.cpp, " + alike.getFirst().threads() + " threads"));
                rows.addAll(BenchReport.Row.of(report, other.map(theirs -> theirs.measure(alike, work))));
            }
        } finally {
            progress.clear();
        }
        print(new BenchReport(blueprint.contents(), options, fused, rows));
    }

    /** What is measured with so many threads. */
    private List<BenchCase> cases(int count) {
        List<BenchCase> cases = Stream.concat(
                        prompts.stream().map(tokens -> BenchCase.ofPrompt(tokens, count)),
                        generations.stream().map(tokens -> BenchCase.ofGeneration(tokens, count)))
                .filter(each -> each.tokens() > 0)
                .distinct()
                .toList();
        if (cases.isEmpty()) {
            throw refusal("there is nothing to measure: say -p or -n with a number above 0");
        }
        return cases;
    }

    private ModelOptions options() {
        return ModelOptions.defaults()
                .withBatch(batch)
                .withCacheType(cacheType)
                .withAttention(attention())
                .withDevices(device == null ? List.of() : NamedDevices.of(List.of(device), spec));
    }

    private AttentionMode attention() {
        if (flash && plain) {
            throw refusal("--flash and --no-flash cannot both be");
        }
        return flash ? AttentionMode.FUSED : plain ? AttentionMode.PLAIN : AttentionMode.AUTO;
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
