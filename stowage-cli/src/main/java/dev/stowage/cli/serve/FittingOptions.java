package dev.stowage.cli.serve;

import dev.stowage.cli.option.FreeMemory;
import dev.stowage.cli.option.ProcessOverhead;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.DeviceType;
import dev.stowage.error.StowageException;
import dev.stowage.gguf.GgufContents;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.llm.fit.DevicePlan;
import dev.stowage.llm.fit.DevicePlanner;
import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.fit.FitAdvice;
import dev.stowage.llm.fit.FitChange;
import dev.stowage.llm.fit.LargestContext;
import dev.stowage.llm.model.ModelBlueprint;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The options with which a model that does not fit would, found by planning it with each. */
final class FittingOptions {

    private FittingOptions() {}

    /** The options in words; empty where nothing is known to help. */
    static Optional<String> advice(Path file, ModelOptions options) {
        try {
            ModelBlueprint blueprint = ModelBlueprint.of(GgufContents.read(file));
            FileDecoder workload = new FileDecoder(blueprint, options.session(blueprint));
            DevicePlanner planner =
                    DevicePlanner.over(budgets(options, blueprint)).withOptions(options.schedule());
            return advice(planner, workload);
        } catch (StowageException _) {
            // Why the model cannot be opened has been said.
            return Optional.empty();
        }
    }

    static Optional<String> advice(DevicePlanner planner, FileDecoder workload) {
        DevicePlan plan = planner.plan(workload);
        List<String> found = new ArrayList<>();
        planner.largestContext(workload, plan)
                .map(LargestContext::withAnyLayers)
                .filter(context -> context > 0)
                .ifPresent(context -> found.add("--ctx " + context));
        planner.advice(workload, plan).stream()
                .filter(FitAdvice::fits)
                .map(FitAdvice::change)
                .flatMap(change -> option(change).stream())
                .filter(option -> !option.startsWith("--ctx"))
                .forEach(found::add);
        return found.isEmpty() ? Optional.empty() : Optional.of(String.join(", or ", found));
    }

    private static List<DeviceBudget> budgets(ModelOptions options, ModelBlueprint blueprint) {
        List<Device> devices = new ArrayList<>(options.devices());
        DeviceRegistry registry = DeviceRegistry.load();
        if (devices.isEmpty()) {
            devices.addAll(registry.devices(DeviceType.GPU));
        }
        if (devices.isEmpty() || devices.getLast().type() != DeviceType.CPU) {
            registry.devices(DeviceType.CPU).stream().findFirst().ifPresent(devices::add);
        }
        long host = FreeMemory.now().free()
                - ProcessOverhead.ofServer(blueprint.shape().vocabulary());
        return devices.stream()
                .map(device -> device.type() == DeviceType.CPU
                        ? new DeviceBudget(device, Math.max(0, host))
                        : DeviceBudget.of(device))
                .toList();
    }

    private static Optional<String> option(FitChange change) {
        return switch (change) {
            case FitChange.LayersOn(List<Integer> counts) ->
                Optional.of(
                        "--layers-on " + counts.stream().map(String::valueOf).collect(Collectors.joining(",")));
            case FitChange.FillDevices() -> Optional.of("no --layers-on");
            case FitChange.UsePlanner(var name) -> Optional.of("--planner " + name);
            case FitChange.CacheType(var type) -> Optional.of("--cache-type " + type.label());
            case FitChange.Context(var tokens) -> Optional.of("--ctx " + tokens);
            case FitChange.Tokens(var tokens) -> Optional.of("--batch " + tokens);
            case FitChange.FusedAttention() -> Optional.of("--flash");
            default -> Optional.empty();
        };
    }
}
