package dev.stowage.cli;

import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports a usage error in one line, followed by a line that refers to the help. */
final class UsageExceptionHandler implements IParameterExceptionHandler {
    @Override
    public int handleParseException(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        var err = command.getErr();
        // Some of picocli's own messages begin as if they stood alone.
        err.println("stowage: " + String.valueOf(e.getMessage()).replaceFirst("^Error: ", ""));
        UnmatchedArgumentException.printSuggestions(e, err);
        err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        err.flush();
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }
}
