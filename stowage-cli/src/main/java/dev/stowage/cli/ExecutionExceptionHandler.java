package dev.stowage.cli;

import dev.stowage.cli.text.FailureReport;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Reports the exception that ended a command, and returns the exit code of a failed job. */
final class ExecutionExceptionHandler implements IExecutionExceptionHandler {
    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
        return report(e, command);
    }

    /** Prints the failure to the command's error stream and returns the exit code. */
    static int report(Throwable failure, CommandLine command) {
        FailureReport.print(failure, command);
        return command.getCommandSpec().exitCodeOnExecutionException();
    }
}
