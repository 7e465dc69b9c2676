package dev.stowage.cli;

import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Tells of a failed job in one line; the stack trace, which few users want, comes with {@code --verbose}. */
final class ExecutionExceptionHandler implements IExecutionExceptionHandler {
    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
        return report(e, command);
    }

    /** Prints the failure to the command's error stream and answers the exit code. */
    static int report(Throwable failure, CommandLine command) {
        var err = command.getErr();
        err.println("stowage: " + describe(failure));
        if (command.getCommandSpec().root().userObject() instanceof StowageCommand root && root.verbose()) {
            failure.printStackTrace(err);
        }
        err.flush();
        return command.getCommandSpec().exitCodeOnExecutionException();
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
