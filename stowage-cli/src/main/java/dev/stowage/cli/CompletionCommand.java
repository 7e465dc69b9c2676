package dev.stowage.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints a completion script that always fits the commands and options of this version. */
@Command(
        name = "completion",
        description = {
            "Print a completion script for bash and zsh.",
            "To use it in the current shell: source <(stowage completion)"
        })
final class CompletionCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        var root = spec.root().commandLine();
        var out = spec.commandLine().getOut();
        out.print(AutoComplete.bash(root.getCommandName(), root));
        out.flush();
    }
}
