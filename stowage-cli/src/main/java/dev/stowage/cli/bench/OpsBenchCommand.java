package dev.stowage.cli.bench;

import dev.stowage.cli.option.CountConverter;
import dev.stowage.cli.option.ElementTypeConverter;
import dev.stowage.cli.option.ElementTypeNames;
import dev.stowage.cli.option.ThreadCounts;
import dev.stowage.cli.text.OutputFiles;
import dev.stowage.error.MalformedDataException;
import dev.stowage.tensor.ElementType;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Reads what is to be measured, and has the {@link OpsBenchmark} measure it. */
@Command(
        name = "ops",
        description = {
            "Measure ops one by one: the processor against ggml's CPU backend, or a device against its own ceilings.",
            "Without --device: the same data on both sides, alternately, in one process. Prints for each case the speed"
                    + " of both (medians over all rounds), ours as a multiple of ggml's, how far the rounds spread, and"
                    + " how far the numbers are apart. Where both can compute from repacked weights, the better way"
                    + " counts. Without ggml only our side is measured.",
            "With --device: measures what the device does at best, a large copy and a large product, then prints for"
                    + " each op its time, by the clock of the device where it has one, bytes and operations a second,"
                    + " and which part of the ceilings they are. Operands are not in a cache. With --ggml or"
                    + " --fetch-ggml the device is compared with ggml instead."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage bench ops --quick --fetch-ggml",
            "  stowage bench ops --op mul_mat,mul_mat_vec --type q4_K --threads 1 --rounds 21",
            "  stowage bench ops --ggml ~/ggml/bins/linux-x64 --json ops.json",
            "  stowage bench ops --device cuda0",
            "  stowage bench ops --device cuda0 --op mul_mat,flash_attn --type q4_0,f16 --json cuda0.json"
        })
final class OpsBenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--op",
            paramLabel = "OP",
            split = ",",
            completionCandidates = OpsBenchGroups.class,
            description = "Only these: ${COMPLETION-CANDIDATES}. Default: all.")
    private List<String> ops = List.of();

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            split = ",",
            converter = ElementTypeConverter.class,
            completionCandidates = ElementTypeNames.Weights.class,
            description = "Only these types of weights or caches; with this also those not measured by default.")
    private List<ElementType> types = List.of();

    @Option(
            names = {"-t", "--threads"},
            paramLabel = "N",
            split = ",",
            converter = CountConverter.class,
            description = "Numbers of threads, the same on both sides; a device is measured with the last. Default:"
                    + " 1,2; of a device its own choice.")
    private List<Integer> threads = List.of();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            converter = CountConverter.class,
            description = "How often each side is measured. Default: 9, with --quick 3.")
    private @Nullable Integer rounds;

    @Option(
            names = "--device",
            paramLabel = "NAME",
            description = "Measure this device, as 'stowage devices' lists it, against its ceilings. Default: compare"
                    + " cpu, or the reference without it, with ggml.")
    private @Nullable String device;

    @Option(
            names = "--ggml",
            paramLabel = "DIR",
            description = "A folder with libggml-base.so and its libggml-cpu-*.so. Default: what was fetched before.")
    private @Nullable Path ggml;

    @Option(
            names = "--fetch-ggml",
            description = "Where ggml is missing, download it once, with npm, into the build folder (11 MB).")
    private boolean fetchGgml;

    @Option(names = "--quick", description = "Fewer rounds, and without the cases that take long.")
    private boolean quick;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Write the results as JSON too; '-' prints them instead of the table.")
    private @Nullable Path json;

    private static final int ROUNDS = 9;
    private static final int QUICK_ROUNDS = 3;

    @Override
    public Integer call() {
        OpsBenchmarkRequest request = request();
        if (json != null && !request.printsJson()) {
            OutputFiles.requireWritable(json, "the results");
        }
        var command = spec.commandLine();
        boolean exact = benchmark().run(request, command.getOut(), command.getErr());
        return exact ? ExitCode.OK : spec.exitCodeOnExecutionException();
    }

    private OpsBenchmarkRequest request() {
        for (String op : ops) {
            require(
                    OpsBenchGroups.NAMES.contains(op),
                    "--op must be one of " + OpsBenchGroups.NAMES + ", not '" + op + "'");
        }
        int repeated = rounds != null ? rounds : quick ? QUICK_ROUNDS : ROUNDS;
        require(ggml == null || !fetchGgml, "--ggml names a folder, so --fetch-ggml has nothing to do");
        List<Integer> counts = ThreadCounts.atMostProcessors(threads, spec);
        return new OpsBenchmarkRequest(ops, types, counts, repeated, device, ggml, fetchGgml, quick, json);
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }

    private static OpsBenchmark benchmark() {
        return ServiceLoader.load(OpsBenchmark.class)
                .findFirst()
                .orElseThrow(() -> new MalformedDataException("the comparison with ggml is not part of this"
                        + " installation: run ./stowage bench ops in a checkout of the sources"));
    }
}
