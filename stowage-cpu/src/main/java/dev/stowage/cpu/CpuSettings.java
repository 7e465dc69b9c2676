package dev.stowage.cpu;

import dev.stowage.cpu.op.StandardKernels;
import dev.stowage.device.BackendOptions;
import dev.stowage.error.DeviceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The settings of this device. Unknown ones are refused, so that a typing error does not go unnoticed. */
final class CpuSettings {

    private static final String ALL = "all";

    private CpuSettings() {}

    /**
     * @throws DeviceException if there is a setting, or a fusion in one, that is not known
     */
    static void requireKnown(String device, BackendOptions options) {
        for (Map.Entry<String, String> setting : options.settings().entrySet()) {
            if (!setting.getKey().equals(StandardKernels.WITHOUT_FUSIONS)) {
                throw DeviceException.of(
                        device,
                        "open",
                        "there is no setting '" + setting.getKey() + "'; known: " + StandardKernels.WITHOUT_FUSIONS);
            }
            requireFusions(device, setting.getValue());
        }
    }

    private static void requireFusions(String device, String names) {
        List<String> known = new ArrayList<>(
                StandardKernels.fusions(BackendOptions.defaults()).names());
        known.add(ALL);
        for (String name : names.isEmpty() ? new String[0] : names.split(",", -1)) {
            if (!known.contains(name)) {
                throw DeviceException.of(
                        device,
                        "open",
                        "setting '" + StandardKernels.WITHOUT_FUSIONS + "': there is no fusion '" + name + "'; known: "
                                + String.join(", ", known));
            }
        }
    }
}
