package dev.stowage.cli.conformance;

import dev.stowage.cli.text.Progress;
import java.io.PrintWriter;

/** Counts checks, and prints those that failed as they do. */
final class EnduranceTally {
    private static final int MOST_LINES = 20;

    private final PrintWriter out;
    private final Progress progress;
    private int passed;
    private int failed;

    EnduranceTally(PrintWriter out, Progress progress) {
        this.out = out;
        this.progress = progress;
    }

    /** Counts a check; {@code what} is printed if it failed, and not too many have before. */
    void check(boolean holds, String what) {
        if (holds) {
            passed++;
            return;
        }
        failed++;
        if (failed <= MOST_LINES) {
            say("failed: " + what);
        }
    }

    void progress(String state) {
        progress.show(state + ", " + failed + " failed");
    }

    /** Prints a line. */
    void say(String line) {
        progress.clear();
        out.println(line);
        out.flush();
    }

    /** Prints the counts; returns whether nothing failed. */
    boolean finish() {
        if (failed > MOST_LINES) {
            say("... and " + (failed - MOST_LINES) + " more");
        }
        say(passed + " passed, " + failed + " failed");
        return failed == 0;
    }
}
