package dev.stowage.cli.text;

import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Shows the progress of a long job on a terminal, in one line that is rewritten. Nothing is shown for short jobs, or
 * without a terminal.
 */
public final class Progress {
    private static final long PATIENCE = 1_000_000_000L;
    private static final long PAUSE = 100_000_000L;

    /** The system property with which a launcher that pipes the error stream states that its own is a terminal. */
    private static final String TERMINAL_PROPERTY = "stowage.terminal";

    private final PrintWriter err;
    private final boolean terminal;
    private final LongSupplier clock;
    private final long start;
    private long shownAt;
    private int shownLength;

    /** Progress on the error stream of this process, timed from now on. */
    public static Progress onTerminal(PrintWriter err) {
        return new Progress(err, isTerminal(), System::nanoTime);
    }

    public Progress(PrintWriter err, boolean terminal, LongSupplier clock) {
        this.err = err;
        this.terminal = terminal;
        this.clock = clock;
        this.start = clock.getAsLong();
        this.shownAt = start;
    }

    /** Java can detect whether input and output are a terminal, but not whether the error stream is one. */
    static boolean isTerminal() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
            return target.startsWith("/dev/pts/")
                    || target.startsWith("/dev/tty")
                    || Boolean.getBoolean(TERMINAL_PROPERTY);
        } catch (IOException | UnsupportedOperationException _) {
            return Optional.ofNullable(System.console())
                    .filter(Console::isTerminal)
                    .isPresent();
        }
    }

    /** Shows how far the job is, if it has been running for a while and was not shown just now. */
    public synchronized void show(String state) {
        long now = clock.getAsLong();
        if (!terminal || now - start < PATIENCE || now - shownAt < PAUSE) {
            return;
        }
        err.print("\r" + state + " ".repeat(Math.max(0, shownLength - state.length())));
        err.flush();
        shownAt = now;
        shownLength = state.length();
    }

    /** Takes the line away, so that others can write where it stood. */
    public synchronized void clear() {
        if (shownLength > 0) {
            err.print("\r" + " ".repeat(shownLength) + "\r");
            err.flush();
            shownLength = 0;
        }
    }
}
