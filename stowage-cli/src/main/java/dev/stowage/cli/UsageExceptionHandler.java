package dev.stowage.cli;

import dev.stowage.cli.text.FailureReport;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Reports a usage error in one line, followed by a line that refers to the help. An option that does not exist is reported
 * first of all: its value, taken for something else, is often what the parser stumbles over.
 */
final class UsageExceptionHandler implements IParameterExceptionHandler {
    /** What differs from a short word in more is another word. */
    private static final int MOST_TYPOS = 2;

    @Override
    public int handleParseException(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        var err = command.getErr();
        Optional<String> unknown = unknownOption(command.getCommandSpec(), args);
        if (unknown.isPresent() && !(e instanceof UnmatchedArgumentException)) {
            return handleParseException(new UnmatchedArgumentException(command, List.of(unknown.get())), args);
        }
        err.println(FailureReport.line(e instanceof UnmatchedArgumentException u ? unmatched(u) : inTermsOf(args, e)));
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

    /** What does not belong on the command line, but not the value that was meant for it, and what is like it. */
    private static String unmatched(UnmatchedArgumentException e) {
        String first = e.getUnmatched().getFirst();
        boolean isCommand = !e.isUnknownOption()
                && !e.getCommandLine().getSubcommands().isEmpty()
                && e.getCommandLine().getCommandSpec().positionalParameters().isEmpty();
        String what = e.isUnknownOption() ? "unknown option" : isCommand ? "unknown command" : "one argument too many:";
        String like = e.getSuggestions().stream()
                .map(name -> name.substring(name.lastIndexOf(' ') + 1))
                .filter(name -> typos(first, name) <= Math.max(MOST_TYPOS, first.length() / 3))
                .limit(3)
                .map(name -> "'" + name + "'")
                .collect(Collectors.joining(" or "));
        return what + " '" + first + "'" + (like.isEmpty() ? "" : "; did you mean " + like + "?");
    }

    /** How many letters have to be added, taken away or replaced to make one word of the other. */
    private static int typos(String typed, String name) {
        int[] before = IntStream.rangeClosed(0, name.length()).toArray();
        for (int i = 1; i <= typed.length(); i++) {
            int[] now = new int[before.length];
            now[0] = i;
            for (int j = 1; j < now.length; j++) {
                int replaced = before[j - 1] + (typed.charAt(i - 1) == name.charAt(j - 1) ? 0 : 1);
                now[j] = Math.min(replaced, 1 + Math.min(before[j], now[j - 1]));
            }
            before = now;
        }
        return before[name.length()];
    }

    /** The message of the parser, with the name of the option that was typed and in words of the command line. */
    private static String inTermsOf(String[] args, ParameterException e) {
        String message = message(e);
        if (e.getArgSpec() instanceof OptionSpec option) {
            String known = "'" + option.longestName() + "'";
            message = Arrays.stream(args)
                    .flatMap(arg -> Stream.of(option.names()).filter(name -> isUseOf(name, arg)))
                    .findFirst()
                    .map(typed -> message(e).replace(known, "'" + typed + "'"))
                    .orElse(message);
        }
        return message.replaceFirst(" is not an? (int|long)$", " is not a whole number")
                .replaceFirst(" is not an? (float|double)$", " is not a number");
    }

    private static String message(ParameterException e) {
        // Some of picocli's own messages begin as if they stood alone.
        return String.valueOf(e.getMessage()).replaceFirst("^Error: ", "");
    }

    private static boolean isUseOf(String name, String arg) {
        return arg.equals(name) || arg.startsWith(name + "=");
    }
}
