package dev.stowage.cli.pack;

import dev.stowage.cli.option.ByteSizeConverter;
import dev.stowage.cli.option.CountConverter;
import dev.stowage.cli.option.TimeSpanConverter;
import dev.stowage.cli.text.CtrlC;
import dev.stowage.cli.text.OutputFiles;
import dev.stowage.cli.text.Progress;
import dev.stowage.error.MalformedDataException;
import dev.stowage.packing.Budget;
import dev.stowage.packing.Packer;
import dev.stowage.packing.Packers;
import dev.stowage.packing.PackingCsv;
import dev.stowage.packing.Problem;
import dev.stowage.picture.SolutionPicture;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Packs the buffers of a CSV file into memory with the packers of the library; no tensors are involved. */
@Command(
        name = "pack",
        description = {
            "Pack buffers into memory.",
            "Reads a CSV file with the columns id, lower, upper and size: a buffer is live from lower until just before"
                    + " upper. Optional columns are alignment and offset; a buffer with an offset stays there. Finds an"
                    + " offset for every buffer, checks them, and says how close their height comes to the least"
                    + " possible. Ctrl-C ends the search with the best packing so far; a second one ends the program."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage pack buffers.csv                  as low as the budget allows",
            "  stowage pack buffers.csv --capacity 1MiB  does it fit?",
            "  stowage pack buffers.csv --planner exact --time 10m --output packed.csv",
            "  stowage pack buffers.csv --planner size --svg packed.svg",
            "  stowage pack packed.csv                   check offsets that are there",
            "  generate | stowage pack - --json"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done, and within the capacity if there is one",
            "1:the capacity is not met, or the job failed, as with a broken CSV",
            "2:the command line is wrong"
        })
public final class PackCommand implements Callable<Integer> {
    /** Some seconds for problems that are hard, and milliseconds for the others, which end by themselves. */
    static final long STANDARD_STEPS = 2_000_000;

    /** Enough for every greedy order and some repairs of the best. */
    static final long STANDARD_STEPS_PER_BUFFER = 16;

    /** What the check of an answer is expected to take: a sort and a sweep, 1.7 µs a buffer where a million were measured. */
    private static final long CHECK_NANOS_PER_BUFFER = 2_000;

    private final InputStream in;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE.csv", description = "The buffers; - reads them from standard input.")
    private Path file;

    @ArgGroup
    private @Nullable Goal goal;

    @Option(
            names = "--planner",
            paramLabel = "NAME",
            converter = PackerConverter.class,
            completionCandidates = PackerConverter.Names.class,
            description = "The packer: ${COMPLETION-CANDIDATES}. Default: anytime.")
    private Packer packer = Packers.standard();

    @Option(
            names = "--steps",
            paramLabel = "N",
            converter = CountConverter.LongOrZero.class,
            description = "Stop after so many steps: buffers placed or refused a place. The same steps give the same"
                    + " answer everywhere. Default: " + STANDARD_STEPS + ", or "
                    + STANDARD_STEPS_PER_BUFFER + " per buffer if that is more; no limit with --time.")
    private @Nullable Long steps;

    @Option(
            names = "--time",
            paramLabel = "TIME",
            converter = TimeSpanConverter.class,
            description =
                    "Stop after this time, such as 500ms, 10s or 2m, of which reading the file and checking the answer are parts."
                            + " The answer depends on the machine.")
    private @Nullable Duration time;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "Write the buffers with their offsets into this CSV file, unless the capacity is not met.")
    private @Nullable Path output;

    @Option(
            names = "--svg",
            paramLabel = "FILE",
            description =
                    "Draw the packing into this file: time to the right, offsets upwards, a rectangle per buffer.")
    private @Nullable Path svg;

    @Option(names = "--json", description = "Print one JSON object, with all sizes in bytes.")
    private boolean json;

    /** The goal of the packer. */
    static final class Goal {
        @Option(
                names = "--capacity",
                paramLabel = "SIZE",
                converter = ByteSizeConverter.UnitOptional.class,
                description = "Stop at the first packing that fits into this, such as 1048576 or 1MiB; fail if none is"
                        + " found, and say whether there is none.")
        private @Nullable Long capacity;

        @Option(names = "--minimize", description = "Make it as low as the budget allows. This is the default.")
        private boolean minimize;
    }

    PackCommand() {
        this(System.in);
    }

    PackCommand(InputStream in) {
        this.in = in;
    }

    @Override
    public Integer call() {
        long begin = System.nanoTime();
        requireUsableOutputs();
        Problem problem = read();
        PackReport report = packed(problem, System.nanoTime() - begin);
        List<Path> written = write(report);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            PackReportJson.print(report, written, out);
        } else {
            new PackReportText(report, out).print();
            written.forEach(each -> out.println("Written: " + each));
        }
        out.flush();
        return report.fits() ? ExitCode.OK : spec.exitCodeOnExecutionException();
    }

    private void requireUsableOutputs() {
        if (output != null) {
            if (svg != null
                    && output.toAbsolutePath()
                            .normalize()
                            .equals(svg.toAbsolutePath().normalize())) {
                throw new ParameterException(spec.commandLine(), "--output and --svg are the same file, " + output);
            }
            OutputFiles.requireWritable(output, "the offsets");
        }
        if (svg != null) {
            OutputFiles.requireWritable(svg, "the picture");
        }
    }

    private boolean isStandardInput() {
        return file.toString().equals("-");
    }

    private String source() {
        return isStandardInput() ? "standard input" : file.toString();
    }

    private Problem read() {
        try {
            return isStandardInput() ? parseInput() : PackingCsv.read(file);
        } catch (MalformedDataException e) {
            throw e.getCause() instanceof NoSuchFileException
                    ? new MalformedDataException("no such file: " + file, e)
                    : e;
        }
    }

    private Problem parseInput() {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(in.readAllBytes()))
                    .toString();
        } catch (IOException e) {
            throw new MalformedDataException("standard input cannot be read: " + e.getMessage(), e);
        }
        try {
            return PackingCsv.parse(text);
        } catch (MalformedDataException e) {
            throw new MalformedDataException("standard input, " + e.getMessage(), e);
        }
    }

    private PackReport packed(Problem problem, long nanosSpent) {
        AtomicBoolean interrupted = new AtomicBoolean();
        CtrlC.handle(() -> interrupt(interrupted));
        Budget budget = budget(problem, nanosSpent).withCancel(interrupted::get);
        Progress line = Progress.onTerminal(spec.commandLine().getErr());
        try (PackProgress progress = new PackProgress(line, budget).start()) {
            PackReport report = PackReport.of(source(), problem, packer, budget.withProgress(progress));
            return time == null ? report : report.withTimeLimit(time);
        }
    }

    /** The first Ctrl-C ends the search, the second the program. */
    static void interrupt(AtomicBoolean interrupted) {
        if (interrupted.getAndSet(true)) {
            System.exit(CtrlC.EXIT_CODE);
        }
    }

    private Budget budget(Problem problem, long nanosSpent) {
        Budget budget = Budget.unlimited();
        if (steps != null || time == null) {
            long standard = Math.max(STANDARD_STEPS, STANDARD_STEPS_PER_BUFFER * problem.count());
            budget = budget.withSteps(steps == null ? standard : steps);
        }
        if (time != null) {
            budget = budget.withTime(timeToPack(time, nanosSpent, problem.count()));
        }
        if (goal == null || goal.minimize || goal.capacity == null) {
            return budget;
        }
        return budget.withCapacity(goal.capacity);
    }

    /** What is left of a time for packing, after so many nanoseconds and before the answer is checked. */
    static Duration timeToPack(Duration time, long nanosSpent, int buffers) {
        Duration left = time.minusNanos(nanosSpent).minusNanos(CHECK_NANOS_PER_BUFFER * buffers);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Writes the requested files. Offsets that exceed the capacity are not written, so that nobody uses them. */
    private List<Path> write(PackReport report) {
        List<Path> written = new ArrayList<>();
        try (OutputFiles files = new OutputFiles()) {
            if (output != null && report.fits()) {
                String offsets =
                        PackingCsv.format(report.problem(), report.result().solution());
                files.add(offsets, output, "the offsets");
                written.add(output);
            }
            if (svg != null) {
                files.add(SolutionPicture.svg(report.problem(), report.result()), svg, "the picture");
                written.add(svg);
            }
            files.publish();
        }
        return written;
    }
}
