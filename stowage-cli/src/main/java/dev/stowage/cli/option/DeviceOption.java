package dev.stowage.cli.option;

import dev.stowage.device.Device;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The devices of this machine that a model runs on. */
public final class DeviceOption {

    @Option(
            names = {"-dev", "--device", "--devices"},
            split = ",",
            paramLabel = "NAME",
            description = "The device to run on, as 'stowage devices' lists it; several are separated by commas, the"
                    + " CPU last; rpc:HOST:PORT stands for all devices of that server. A CPU that is not named takes what the others have no room for. Default: the best"
                    + " that is available.")
    private @Nullable List<String> names;

    /**
     * The devices that are given on the command line; empty where none is given.
     *
     * @param command the command that has this option
     * @throws ParameterException if one is named twice
     * @throws dev.stowage.error.DeviceException if there is no such device
     */
    public List<Device> devices(CommandSpec command) {
        return names == null ? List.of() : NamedDevices.of(names, command);
    }
}
