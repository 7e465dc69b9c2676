package dev.stowage.cli.rpc;

import dev.stowage.cli.option.ByteSizeConverter;
import dev.stowage.cli.option.NamedDevices;
import dev.stowage.cli.option.ThreadsOption;
import dev.stowage.cli.text.ByteSize;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.rpc.server.RpcServer;
import dev.stowage.rpc.server.RpcServerOptions;
import dev.stowage.rpc.wire.Dialect;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Lends devices to clients of llama.cpp's rpc protocol. */
@Command(
        name = "rpc-serve",
        description = {
            "Lend devices of this machine to programs that speak llama.cpp's rpc protocol: llama.cpp itself, and stowage on"
                    + " another machine (--rpc HOST:PORT).",
            "The protocol has neither passwords nor encryption. Runs until it is interrupted."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage rpc-serve",
            "  stowage rpc-serve --devices cuda0,cpu --memory 8GiB",
            "  stowage rpc-serve --host 0.0.0.0 --port 50053 --dialect 6.0"
        })
public final class RpcServeCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"--devices", "--device"},
            split = ",",
            paramLabel = "NAME",
            description = "The devices to lend, as 'stowage devices' lists them. Default: the best that is available.")
    private @Nullable List<String> names;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "The address to listen on. Default: ${DEFAULT-VALUE}, which only this machine reaches.")
    private String host = "127.0.0.1";

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "The port to listen on; 0 for any. Default: ${DEFAULT-VALUE}.")
    private int port = RpcServerOptions.STANDARD_PORT;

    @Option(
            names = "--dialect",
            paramLabel = "VERSION",
            description = "The version of the protocol, which must be that of the clients. Default: ${DEFAULT-VALUE}.")
    private String dialect = Dialect.DEFAULT.version();

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            converter = ByteSizeConverter.class,
            description = "The most memory that one client gets, such as 8GiB. Default: all there is.")
    private @Nullable Long memory;

    @Mixin
    private ThreadsOption threads;

    @Override
    public Integer call() throws IOException, InterruptedException {
        RpcServerOptions options = RpcServerOptions.of(devices())
                .withHost(host)
                .withPort(port)
                .withDialect(Dialect.named(dialect))
                .withMemory(memory == null ? Long.MAX_VALUE : memory)
                .withThreads(threads.threads().orElse(0));
        PrintWriter out = spec.commandLine().getOut();
        try (RpcServer server = RpcServer.start(options)) {
            Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stowage-rpc-stop"));
            for (Device device : options.devices()) {
                out.println(device.name() + ": " + device.description() + ", "
                        + ByteSize.format(device.memory().free()) + " free");
            }
            if (!InetAddress.getByName(host).isLoopbackAddress()) {
                out.println("Whoever reaches " + host
                        + " can use these devices and read what they compute: the protocol has"
                        + " neither passwords nor encryption. Open the port to trusted machines only.");
            }
            out.println("listening on " + server.address().getHostString() + ":"
                    + server.address().getPort() + ", protocol " + options.dialect());
            out.flush();
            server.await();
        } catch (BindException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    host + ":" + port + " cannot be listened on: " + e.getMessage() + "; try another --port");
        }
        return ExitCode.OK;
    }

    private List<Device> devices() {
        if (names != null) {
            return NamedDevices.exactly(names, spec);
        }
        return DeviceRegistry.load()
                .best()
                .map(List::of)
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(), "there is no device to lend; 'stowage devices' says what is missing"));
    }
}
