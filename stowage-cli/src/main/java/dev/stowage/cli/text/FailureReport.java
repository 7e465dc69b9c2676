package dev.stowage.cli.text;

import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Reports a failed command in one line; the stack trace, which few users need, is printed with {@code --verbose}. */
public final class FailureReport {
    /** The option of the root command that adds the stack trace. */
    public static final String VERBOSE = "--verbose";

    private FailureReport() {}

    /** Prints the failure to the command's error stream. */
    public static void print(Throwable failure, CommandLine command) {
        var err = command.getErr();
        err.println("stowage: " + describe(failure));
        OptionSpec verbose = command.getCommandSpec().root().findOption(VERBOSE);
        if (verbose != null && Boolean.TRUE.equals(verbose.getValue())) {
            failure.printStackTrace(err);
        }
        err.flush();
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
