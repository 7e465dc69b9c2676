package dev.stowage.cli.text;

import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** Reports a failed command in one line; the stack trace, which few users need, is printed with {@code --verbose}. */
public final class FailureReport {
    /** A root command that can be asked for stack traces. */
    public interface Verbosity {
        /** Whether failures are printed with their stack trace. */
        boolean verbose();
    }

    private FailureReport() {}

    /** Prints the failure to the command's error stream. */
    public static void print(Throwable failure, CommandLine command) {
        var err = command.getErr();
        err.println(line(describe(failure)));
        if (command.getCommandSpec().root().userObject() instanceof Verbosity root && root.verbose()) {
            failure.printStackTrace(err);
        }
        err.flush();
    }

    /** The line that says what is wrong, in colour on a terminal whose user has not asked for none. */
    public static String line(String message) {
        boolean coloured = Progress.isTerminal() && System.getenv("NO_COLOR") == null;
        return (coloured ? Ansi.ON : Ansi.OFF).string("@|bold,red stowage:|@ ") + message;
    }

    private static String describe(Throwable failure) {
        String message = failure.getMessage();
        return switch (failure) {
            case UncheckedIOException e when e.getCause() != null -> describe(e.getCause());
            // The message of these two is the file's name alone.
            case NoSuchFileException _ -> "no such file: " + message;
            case AccessDeniedException _ -> "access denied: " + message;
            case OutOfMemoryError _ -> "out of memory: " + message;
            default ->
                message == null || message.isBlank()
                        ? failure.getClass().getSimpleName()
                        : message.strip().replaceAll("\\R\\s*", " ");
        };
    }
}
