package dev.stowage.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Reports a usage error in one line, followed by a line that refers to the help. An option that does not exist is reported
 * first of all: its value, taken for something else, is often what the parser stumbles over.
 */
final class UsageExceptionHandler implements IParameterExceptionHandler {
    @Override
    public int handleParseException(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        var err = command.getErr();
        Optional<String> unknown = unknownOption(command.getCommandSpec(), args);
        if (unknown.isPresent() && !(e instanceof UnmatchedArgumentException)) {
            return handleParseException(new UnmatchedArgumentException(command, List.of(unknown.get())), args);
        }
        // Some of picocli's own messages begin as if they stood alone.
        err.println("stowage: " + String.valueOf(e.getMessage()).replaceFirst("^Error: ", ""));
        UnmatchedArgumentException.printSuggestions(e, err);
        err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        err.flush();
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static Optional<String> unknownOption(CommandSpec command, String[] args) {
        Set<String> known = command.optionsMap().keySet();
        return Arrays.stream(args)
                .takeWhile(arg -> !arg.equals("--"))
                .filter(arg -> arg.startsWith("--"))
                .map(arg -> arg.contains("=") ? arg.substring(0, arg.indexOf('=')) : arg)
                .filter(arg -> !known.contains(arg))
                .findFirst();
    }
}
