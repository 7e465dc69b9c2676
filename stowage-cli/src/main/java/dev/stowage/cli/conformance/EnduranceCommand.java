package dev.stowage.cli.conformance;

import dev.stowage.cli.option.CountConverter;
import dev.stowage.cli.text.Progress;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.fault.FaultInjector;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Checks that a device loses nothing over many sessions, and that it survives a failure of every call of its driver. */
@Command(
        name = "endurance",
        description = {
            "Open and close many sessions on a device, then have every call of its driver fail once during a generation.",
            "Every session must write the same text, every failure must be an exception, the device must work after it,"
                    + " and the memory of the device must be as free as before. The last line says how many checks"
                    + " passed and failed. Nothing else should use the device meanwhile."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage conformance endurance cuda0 lexicon-5m-f16.gguf",
            "  stowage conformance endurance cuda0 model.gguf --sessions 100 --every 10"
        })
final class EnduranceCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "NAME", description = "The device, as 'stowage devices' lists it.")
    private String name;

    @Parameters(index = "1", paramLabel = "FILE.gguf", description = "The model, a small one.")
    private Path file;

    @Option(
            names = "--sessions",
            paramLabel = "N",
            defaultValue = "1000",
            converter = CountConverter.OrZero.class,
            description = "How many sessions. Default: ${DEFAULT-VALUE}.")
    private int sessions;

    @Option(
            names = "--every",
            paramLabel = "N",
            defaultValue = "1",
            converter = CountConverter.OrZero.class,
            description = "Have only every Nth call fail where the device is opened anew for each, which takes long; 0"
                    + " leaves failures out. Default: ${DEFAULT-VALUE}.")
    private int every;

    @Override
    public Integer call() {
        EnduranceTally tally = new EnduranceTally(
                spec.commandLine().getOut(),
                Progress.onTerminal(spec.commandLine().getErr()));
        ModelProbe probe = new ModelProbe(file);
        try (DeviceRegistry registry = DeviceRegistry.load()) {
            Device device = registry.device(name);
            new SessionEndurance(device, probe, tally).run(sessions);
        }
        if (every > 0) {
            if (injector().isPresent()) {
                new FaultEndurance(name, () -> injector().orElseThrow(), probe, tally).run(every);
            } else {
                tally.say(
                        "failures: " + name + " has no driver whose calls can be made to fail, so that is not checked");
            }
        }
        return tally.finish() ? ExitCode.OK : spec.exitCodeOnExecutionException();
    }

    /** What makes calls of this device fail, anew each time. */
    private Optional<FaultInjector> injector() {
        for (FaultInjector found : ServiceLoader.load(FaultInjector.class)) {
            if (FaultEndurance.device(found, name).isPresent()) {
                return Optional.of(found);
            }
        }
        return Optional.empty();
    }
}
