package dev.stowage.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The root command: what all subcommands have in common. A new subcommand is a class of its own, listed in
 * {@code subcommands} below.
 */
@Command(
        name = "stowage",
        description = "Plans the memory of tensor graphs and checks the devices that run them.",
        subcommands = {
            PlanCommand.class,
            PackCommand.class,
            InspectCommand.class,
            QuantizeCommand.class,
            BenchCommand.class,
            DevicesCommand.class,
            ConformanceCommand.class,
            CompletionCommand.class
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        scope = ScopeType.INHERIT,
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:the job failed", "2:the command line is wrong"})
final class StowageCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Show the stack trace when something fails.")
    private boolean verbose;

    /** The whole command tree, ready to execute. */
    static CommandLine commandLine() {
        return new CommandLine(new StowageCommand())
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler(new UsageExceptionHandler())
                .setExecutionExceptionHandler(new ExecutionExceptionHandler());
    }

    /** Runs a command line and answers its exit code. */
    static int execute(CommandLine commandLine, String... args) {
        try {
            return commandLine.execute(args);
        } catch (VirtualMachineError e) {
            // Out of memory is a likely failure of a large job, and picocli lets errors through.
            return ExecutionExceptionHandler.report(e, commandLine);
        }
    }

    boolean verbose() {
        return verbose;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }
}
