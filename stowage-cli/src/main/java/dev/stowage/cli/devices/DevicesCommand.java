package dev.stowage.cli.devices;

import dev.stowage.cli.text.ByteSize;
import dev.stowage.cli.text.TextTable;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.ProviderStatus;
import dev.stowage.internal.json.JsonWriter;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows the devices of this machine, and which providers found none and why. */
@Command(
        name = "devices",
        description = {
            "List the devices there are, and what is missing and why.",
            "The system property " + DeviceRegistry.PROVIDERS_PROPERTY
                    + " chooses among providers: 'cpu' takes only that"
                    + " one, '-cuda' all but that one. Pass it in STOWAGE_JAVA_OPTS."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage devices",
            "  stowage devices --json",
            "  STOWAGE_JAVA_OPTS=-D" + DeviceRegistry.PROVIDERS_PROPERTY + "=reference stowage devices"
        })
public final class DevicesCommand implements Runnable {

    private final Supplier<DeviceRegistry> registry;

    @Spec
    private CommandSpec spec;

    @Option(names = "--json", description = "Print one JSON object, with memory in bytes.")
    private boolean json;

    DevicesCommand() {
        this(DeviceRegistry::load);
    }

    DevicesCommand(Supplier<DeviceRegistry> registry) {
        this.registry = registry;
    }

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            printJson(out);
        } else {
            print(out);
        }
        out.flush();
    }

    private void print(PrintWriter out) {
        DeviceRegistry found = registry.get();
        TextTable table = TextTable.aligned("llrrl").row("device", "type", "free", "total", "description");
        for (Device device : found.devices()) {
            table.row(
                    device.name(),
                    typeOf(device),
                    ByteSize.format(device.memory().free()),
                    ByteSize.format(device.memory().total()),
                    device.description() + capabilities(device));
        }
        table.print(out);
        if (found.devices().isEmpty()) {
            out.println("none");
        }
        for (ProviderStatus provider : found.providers()) {
            String reason = provider.availability().reason();
            if (!reason.isEmpty()) {
                out.println();
                out.println((provider.availability().isAvailable() ? "not all available: " : "not available: ")
                        + provider.name() + ": " + reason);
            }
        }
    }

    private static String capabilities(Device device) {
        return device.capabilities().isEmpty()
                ? ""
                : device.capabilities().stream()
                        .sorted()
                        .map(DevicesCommand::label)
                        .collect(Collectors.joining(", ", " (", ")"));
    }

    private static String label(Capability capability) {
        return capability.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static String typeOf(Device device) {
        return device.type().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private void printJson(PrintWriter out) {
        JsonWriter writer =
                JsonWriter.indented(out).beginObject().name("providers").beginArray();
        for (ProviderStatus provider : registry.get().providers()) {
            writer.beginObject();
            writer.name("name").value(provider.name()).name("version").value(provider.version());
            writer.name("available").value(provider.availability().isAvailable());
            writer.name("reason").value(provider.availability().reason());
            writer.name("devices").beginArray();
            provider.devices().forEach(device -> print(device, writer));
            writer.endArray().endObject();
        }
        writer.endArray().endObject().finish();
        out.println();
    }

    private static void print(Device device, JsonWriter writer) {
        writer.beginObject();
        writer.name("name").value(device.name()).name("type").value(typeOf(device));
        writer.name("description").value(device.description());
        writer.name("free_bytes").value(device.memory().free());
        writer.name("total_bytes").value(device.memory().total());
        writer.name("capabilities").beginArray();
        new TreeSet<>(device.capabilities()).forEach(capability -> writer.value(label(capability)));
        writer.endArray().endObject();
    }
}
