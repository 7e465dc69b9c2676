package dev.stowage.cli.conformance;

import dev.stowage.cli.text.Progress;
import dev.stowage.error.MalformedDataException;
import dev.stowage.testkit.golden.GoldenFile;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * A comparison with recorded cases: every file is read case by case, differences are printed as they are found, and the
 * last line counts. A subclass defines how a case is read and what differs in it.
 *
 * @param <C> a recorded case
 */
abstract class GoldenComparison<C> {
    private final List<Path> files;
    private final CommandLine command;

    private int passed;
    private int failed;
    private boolean unreadable;

    /**
     * @param files the files with the cases
     * @param command the command that prints the result
     */
    GoldenComparison(List<Path> files, CommandLine command) {
        this.files = files;
        this.command = command;
    }

    /** The cases of a file; the caller closes the stream. */
    abstract Stream<C> cases(GoldenFile file);

    /** What differs in one case, a line each; empty when nothing does. */
    abstract List<String> failures(C golden);

    /** What is printed for a case whose comparison throws, after its name. */
    abstract String refusal();

    /** Compares all cases of all files, and returns whether every file could be read and every case passed. */
    final boolean run() {
        PrintWriter out = command.getOut();
        Progress progress = Progress.onTerminal(command.getErr());
        for (Path file : files) {
            compare(file, progress);
        }
        progress.clear();
        out.println(passed + " passed, " + failed + " failed");
        out.flush();
        return failed == 0 && !unreadable;
    }

    private void compare(Path file, Progress progress) {
        int before = passed + failed;
        try (Stream<C> cases = cases(GoldenFile.of(file))) {
            for (Iterator<C> each = cases.iterator(); each.hasNext(); ) {
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

    private void compare(C golden, Path file, Progress progress) {
        List<String> failures = failuresOrRefusal(golden);
        if (failures.isEmpty()) {
            passed++;
            return;
        }
        failed++;
        progress.clear();
        PrintWriter out = command.getOut();
        String where = files.size() > 1 ? file + ": " : "";
        failures.forEach(failure -> out.println(where + failure));
        out.flush();
    }

    /** An exception fails the current case only. */
    private List<String> failuresOrRefusal(C golden) {
        try {
            return failures(golden);
        } catch (RuntimeException e) {
            return List.of(golden + ": " + refusal() + ": " + e);
        }
    }

    private static String reason(MalformedDataException e, Path file) {
        return e.getCause() instanceof NoSuchFileException ? "no such file: " + file : String.valueOf(e.getMessage());
    }

    private void complain(String message, Progress progress) {
        unreadable = true;
        progress.clear();
        PrintWriter err = command.getErr();
        err.println("stowage: " + message);
        err.flush();
    }
}
