package dev.stowage.cli.conformance;

import dev.stowage.cli.text.Progress;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.rpc.replay.Recording;
import dev.stowage.rpc.replay.Replay;
import dev.stowage.rpc.server.RpcServer;
import dev.stowage.rpc.server.RpcServerOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Plays recorded conversations of llama.cpp's rpc client to our server. */
@Command(
        name = "rpc",
        description = {
            "Play recorded conversations of llama.cpp's rpc client with its server to our server and compare the replies.",
            "Every difference is printed. The last line says how many replies passed and failed."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage conformance rpc recordings/*.bin.gz",
            "  stowage conformance rpc --device cuda0 qwen2.bin.gz"
        })
final class RpcConformanceCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Recordings, plain or compressed with gzip.")
    private List<Path> files;

    @Option(names = "--device", paramLabel = "NAME", description = "The device that the server lends. Default: cpu.")
    private String device = "cpu";

    private int passed;
    private int failed;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        Progress progress = Progress.onTerminal(spec.commandLine().getErr());
        try (DeviceRegistry registry = DeviceRegistry.load()) {
            Device lent = registry.device(device);
            for (Path file : files) {
                progress.show(file + ": " + passed + " passed, " + failed + " failed");
                List<Replay.Outcome> outcomes = play(Recording.read(file), lent);
                progress.clear();
                for (Replay.Outcome outcome : outcomes) {
                    if (outcome.passed()) {
                        passed++;
                    } else {
                        failed++;
                        out.println(file + ": " + outcome);
                    }
                }
            }
        }
        out.println(passed + " passed, " + failed + " failed");
        out.flush();
        return failed == 0 ? ExitCode.OK : spec.exitCodeOnExecutionException();
    }

    private static List<Replay.Outcome> play(Recording recording, Device lent) throws IOException {
        RpcServerOptions options = RpcServerOptions.of(Collections.nCopies(Replay.devices(recording), lent))
                .withPort(0)
                .withDialect(Replay.dialect(recording));
        try (RpcServer server = RpcServer.start(options)) {
            return Replay.play(recording, server.address());
        }
    }
}
