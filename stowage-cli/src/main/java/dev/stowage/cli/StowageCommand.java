package dev.stowage.cli;

import dev.stowage.cli.bench.BenchCommand;
import dev.stowage.cli.conformance.ConformanceCommand;
import dev.stowage.cli.devices.DevicesCommand;
import dev.stowage.cli.inspect.InspectCommand;
import dev.stowage.cli.option.RpcServers;
import dev.stowage.cli.pack.PackCommand;
import dev.stowage.cli.plan.PlanCommand;
import dev.stowage.cli.quantize.QuantizeCommand;
import dev.stowage.cli.rpc.RpcServeCommand;
import dev.stowage.cli.run.RunCommand;
import dev.stowage.cli.serve.ServeCommand;
import dev.stowage.cli.text.FailureReport;
import dev.stowage.cli.text.LostOutput;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The root command: what all subcommands have in common. A new subcommand is a class of its own, listed in
 * {@code COMMANDS} below.
 */
@Command(
        name = "stowage",
        description = "Runs language models, plans the memory of tensor graphs, and checks the devices that run them.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        scope = ScopeType.INHERIT,
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:the job failed", "2:the command line is wrong"})
public final class StowageCommand implements Runnable, FailureReport.Verbosity {
    /** The subcommands, in the order that help lists them. */
    private static final List<Class<?>> COMMANDS = List.of(
            RunCommand.class,
            ServeCommand.class,
            PlanCommand.class,
            PackCommand.class,
            InspectCommand.class,
            QuantizeCommand.class,
            BenchCommand.class,
            DevicesCommand.class,
            RpcServeCommand.class,
            ConformanceCommand.class,
            CompletionCommand.class,
            CommandLine.HelpCommand.class);

    @Spec
    private CommandSpec spec;

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Show the stack trace when something fails.")
    private boolean verbose;

    @Option(
            names = RpcServers.OPTION,
            scope = ScopeType.INHERIT,
            paramLabel = "HOST:PORT",
            description = "Servers of llama.cpp's rpc protocol whose devices are used too, separated by commas.")
    void setServers(String servers) {
        RpcServers.add(servers);
    }

    @Option(
            names = RpcServers.CACHE_OPTION,
            scope = ScopeType.INHERIT,
            paramLabel = "USE",
            description =
                    "Whether rpc servers are asked for weights that they have kept: auto asks until one is missing,"
                            + " always and never. Default: auto.")
    void setCache(String use) {
        RpcServers.setCache(use);
    }

    /**
     * The command tree, ready to execute: all of it, or only the subcommand that a command line begins with. To set up all of
     * them takes longer than some of them run.
     */
    public static CommandLine commandLine(String... args) {
        List<Class<?>> named = COMMANDS.stream()
                .filter(each -> args.length > 0 && isNamed(each, args[0]))
                .toList();
        CommandLine commandLine = new CommandLine(new StowageCommand());
        (named.isEmpty() ? COMMANDS : named).forEach(commandLine::addSubcommand);
        return commandLine
                .setUsageHelpAutoWidth(true)
                // Else -ngl 3 would be -n with the value gl where a command has no -ngl.
                .setPosixClusteredShortOptionsAllowed(false)
                .setParameterExceptionHandler(new UsageExceptionHandler())
                .setExecutionExceptionHandler(new ExecutionExceptionHandler());
    }

    /** Whether a subcommand has a name; completion and help need all of them and are never alone. */
    private static boolean isNamed(Class<?> command, String name) {
        return command != CompletionCommand.class
                && command != CommandLine.HelpCommand.class
                && command.getAnnotation(Command.class).name().equals(name);
    }

    /** Runs a command line and returns its exit code. */
    public static int execute(CommandLine commandLine, String... args) {
        int exitCode;
        try {
            exitCode = commandLine.execute(args);
        } catch (VirtualMachineError e) {
            // Out of memory is a likely failure of a large job, and picocli lets errors through.
            return ExecutionExceptionHandler.report(e, commandLine);
        }
        return LostOutput.isLost(commandLine) ? lost(exitCode, commandLine) : exitCode;
    }

    /** Output that is lost must not look like success; a reader that has ended has had enough, which is no failure to report. */
    private static int lost(int exitCode, CommandLine commandLine) {
        int failure = LostOutput.READER_ENDED;
        if (!LostOutput.isReaderGone()) {
            failure = ExecutionExceptionHandler.report(
                    new IOException("the output could not be written: the disk is full, or it was closed"),
                    commandLine);
        }
        return exitCode == CommandLine.ExitCode.OK ? failure : exitCode;
    }

    @Override
    public boolean verbose() {
        return verbose;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }
}
