package dev.stowage.bench.ops;

import dev.stowage.device.Device;
import dev.stowage.internal.json.JsonWriter;
import java.util.List;
import java.util.OptionalDouble;

/** Writes the ceilings of a device and the times of its ops as JSON, with every round. */
final class DeviceOpJson {

    private DeviceOpJson() {}

    static String text(Device device, boolean deviceClock, Ceilings ceilings, List<DeviceOpResult> results) {
        StringBuilder text = new StringBuilder();
        JsonWriter json = JsonWriter.indented(text);
        json.beginObject();
        json.name("device").value(device.name());
        json.name("description").value(device.description());
        json.name("java").value(Runtime.version().toString());
        json.name("clock").value(deviceClock ? "device" : "host");
        number("ceiling_bytes_per_second", ceilings.bytes(), json);
        number("ceiling_flops_per_second", ceilings.flops(), json);
        json.name("results").beginArray();
        results.forEach(result -> write(result, ceilings, json));
        json.endArray();
        json.endObject();
        json.finish();
        return text.append(System.lineSeparator()).toString();
    }

    private static void write(DeviceOpResult result, Ceilings ceilings, JsonWriter json) {
        json.beginObject();
        json.name("op").value(result.opCase().group());
        json.name("shape").value(result.opCase().shape());
        json.name("type").value(result.opCase().type().label());
        json.name("copies").value(result.copies());
        json.name("bytes").value(result.bytes());
        json.name("flops").value(result.opCase().flops());
        number("bytes_per_second", result.bytesPerSecond(), json);
        number("of_ceiling_bytes", ceilings.partOfBytes(result.bytesPerSecond()), json);
        number("flops_per_second", result.flopsPerSecond(), json);
        number("of_ceiling_flops", ceilings.partOfFlops(result.flopsPerSecond()), json);
        result.times().ifPresent(times -> {
            json.name("median_seconds").value(times.median());
            number("spread", OptionalDouble.of(times.spread()), json);
        });
        json.name("seconds").beginArray();
        result.times().ifPresent(times -> times.seconds().forEach(json::value));
        json.endArray();
        json.name("remark").value(result.remark());
        json.endObject();
    }

    private static void number(String name, OptionalDouble number, JsonWriter json) {
        json.name(name);
        if (number.isPresent() && Double.isFinite(number.getAsDouble())) {
            json.value(number.getAsDouble());
        } else {
            json.nullValue();
        }
    }
}
