package dev.stowage.cli;

import dev.stowage.cli.option.RpcServers;
import dev.stowage.device.DeviceRegistry;
import java.util.Arrays;

/** Entry point of the {@code stowage} command; {@link StowageCommand} has the subcommands. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        boolean vectors = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
        boolean local = Arrays.stream(args).noneMatch(RpcServers::isNamedIn);
        if (vectors && local && args.length > 0 && args[0].equals("run")) {
            // Devices take a while to be found for the first time; meanwhile the command line is read.
            Thread.ofPlatform().daemon().start(DeviceRegistry::load);
        }
        System.exit(StowageCommand.execute(StowageCommand.commandLine(args), args));
    }
}
