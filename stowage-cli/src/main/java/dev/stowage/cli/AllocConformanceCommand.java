package dev.stowage.cli;

import dev.stowage.error.MalformedDataException;
import dev.stowage.testkit.golden.AllocCase;
import dev.stowage.testkit.golden.AllocConformance;
import dev.stowage.testkit.golden.GoldenFile;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Plans the graphs of golden files and compares every place and size with those of ggml's graph allocator. */
@Command(
        name = "alloc",
        description = {
            "Compare memory plans with those of ggml's graph allocator.",
            "Every difference is printed with its case, tensor, expected and found. The last line says how many cases"
                    + " passed and failed. A file that cannot be read, or has no cases, counts as a failed job."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage conformance alloc golden/alloc.jsonl.gz",
            "  stowage conformance alloc one.jsonl another.jsonl.gz"
        })
final class AllocConformanceCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "Files with one recorded case per line, plain or compressed with gzip.")
    private List<Path> files;

    private int passed;
    private int failed;
    private boolean unreadable;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        Progress progress = Progress.onTerminal(spec.commandLine().getErr());
        for (Path file : files) {
            compare(file, progress);
        }
        progress.clear();
        out.println(passed + " passed, " + failed + " failed");
        out.flush();
        return failed == 0 && !unreadable ? ExitCode.OK : spec.exitCodeOnExecutionException();
    }

    private void compare(Path file, Progress progress) {
        int before = passed + failed;
        try (Stream<AllocCase> cases = GoldenFile.of(file).allocCases()) {
            for (Iterator<AllocCase> each = cases.iterator(); each.hasNext(); ) {
                progress.show(file + ": " + (passed + failed - before) + " cases, " + failed + " failed");
                compare(each.next(), file, progress);
            }
        } catch (MalformedDataException e) {
            complain(reason(e, file), progress);
            return;
        }
        if (passed + failed == before) {
            complain(file + " has no cases", progress);
        }
    }

    private void compare(AllocCase golden, Path file, Progress progress) {
        List<String> failures = failures(golden);
        if (failures.isEmpty()) {
            passed++;
            return;
        }
        failed++;
        progress.clear();
        PrintWriter out = spec.commandLine().getOut();
        String where = files.size() > 1 ? file + ": " : "";
        failures.forEach(failure -> out.println(where + failure));
        out.flush();
    }

    /** A planner that throws has failed the case at hand, and says nothing about the others. */
    private static List<String> failures(AllocCase golden) {
        try {
            return AllocConformance.failures(golden);
        } catch (RuntimeException e) {
            return List.of(golden.name() + ": cannot be planned: " + e);
        }
    }

    private static String reason(MalformedDataException e, Path file) {
        return e.getCause() instanceof NoSuchFileException ? "no such file: " + file : String.valueOf(e.getMessage());
    }

    private void complain(String message, Progress progress) {
        unreadable = true;
        progress.clear();
        PrintWriter err = spec.commandLine().getErr();
        err.println("stowage: " + message);
        err.flush();
    }
}
