package dev.stowage.cli.plan;

import dev.stowage.cli.plan.DeviceSpec.Kind;
import dev.stowage.cli.text.ByteSize;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a list of devices: {@code gpu:24GiB,gpu:24GiB,cpu}, or {@code rpc:10.0.0.2:50052,cpu}. */
final class DeviceListConverter implements ITypeConverter<DeviceList> {
    @Override
    public DeviceList convert(String text) {
        // The limit keeps empty items at the end, which are mistakes like those in between.
        List<String> items =
                Arrays.stream(text.split(",", -1)).map(String::strip).toList();
        List<Kind> kinds = items.stream().map(DeviceListConverter::kind).toList();
        requireProcessorLast(kinds);
        List<DeviceSpec> devices = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            devices.add(
                    kinds.get(i) == Kind.RPC
                            ? new DeviceSpec(Kind.RPC, items.get(i), DeviceSpec.UNLIMITED)
                            : new DeviceSpec(kinds.get(i), name(kinds, i), memory(items.get(i))));
        }
        return new DeviceList(devices);
    }

    private static Kind kind(String item) {
        String word = item.split(":", 2)[0].strip().toLowerCase(Locale.ROOT);
        return Arrays.stream(Kind.values())
                .filter(kind -> kind.label().equals(word))
                .findFirst()
                .orElseThrow(
                        () -> new TypeConversionException(
                                "'" + item
                                        + "' is not a device: give gpu or cpu, with its memory after a colon, such as gpu:24GiB, or rpc:HOST:PORT"));
    }

    private static void requireProcessorLast(List<Kind> kinds) {
        if (kinds.getLast() != Kind.CPU) {
            throw new TypeConversionException("the list must end with 'cpu', the device that inputs are written to and"
                    + " that computes what no other device takes");
        }
        if (kinds.indexOf(Kind.CPU) < kinds.size() - 1) {
            throw new TypeConversionException("there must be exactly one 'cpu', at the end of the list");
        }
    }

    private static String name(List<Kind> kinds, int index) {
        Kind kind = kinds.get(index);
        long number = kinds.subList(0, index).stream().filter(kind::equals).count();
        long all = kinds.stream().filter(kind::equals).count();
        return all > 1 ? kind.label() + number : kind.label();
    }

    private static long memory(String item) {
        int colon = item.indexOf(':');
        if (colon < 0) {
            return DeviceSpec.UNLIMITED;
        }
        String size = item.substring(colon + 1);
        return ByteSize.parse(size)
                .orElseThrow(() -> new TypeConversionException("'" + size + "' in '" + item
                        + "' is not an amount of memory: give a number above 0 and a unit, such as 24GiB or 512MiB"));
    }
}
