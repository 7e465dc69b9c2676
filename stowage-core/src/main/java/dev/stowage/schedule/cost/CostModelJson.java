package dev.stowage.schedule.cost;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.internal.json.JsonWriter;

/** Cost models as JSON, measured or written by hand. */
final class CostModelJson {

    private static final String FORMAT = "stowage-costs";
    private static final int VERSION = 1;
    private static final String ANY_WORK = "ANY";

    private CostModelJson() {}

    static String write(CostModel model) {
        StringBuilder text = new StringBuilder();
        JsonWriter json = JsonWriter.indented(text);
        json.beginObject();
        json.name("format").value(FORMAT).name("version").value(VERSION);
        json.name("devices").beginArray();
        model.devices().forEach((name, rates) -> {
            json.beginObject().name("name").value(name).name("rates").beginArray();
            rate(json, ANY_WORK, rates.general());
            rates.special().forEach((kind, rate) -> rate(json, kind.name(), rate));
            json.endArray().endObject();
        });
        json.endArray().name("links").beginArray();
        model.links().forEach((pair, rate) -> {
            json.beginObject();
            json.name("from").value(pair.from()).name("to").value(pair.to());
            json.name("latency_nanos").value(rate.latencyNanos());
            json.name("bytes_per_second").value(rate.bytesPerSecond());
            json.endObject();
        });
        json.endArray().endObject().finish();
        return text.append('\n').toString();
    }

    private static void rate(JsonWriter json, String work, OpRate rate) {
        json.beginObject().name("work").value(work);
        json.name("nanos_per_node").value(rate.nanosPerNode());
        json.name("nanos_per_flop").value(rate.nanosPerFlop());
        json.name("nanos_per_byte").value(rate.nanosPerByte());
        json.endObject();
    }

    static CostModel read(String text) {
        JsonCursor json = JsonReader.parse(text).cursor();
        json.requireFormat(FORMAT, VERSION, "a file of costs of devices");
        CostModel.Builder model = CostModel.builder();
        for (JsonCursor device : json.get("devices").elements()) {
            for (JsonCursor rate : device.get("rates").elements()) {
                readRate(model, device.get("name").asString(), rate);
            }
        }
        for (JsonCursor link : json.get("links").elements()) {
            model.linkTo(link.get("from").asString(), link.get("to").asString(), readLink(link));
        }
        return model.build();
    }

    private static void readRate(CostModel.Builder model, String device, JsonCursor json) {
        JsonCursor work = json.get("work");
        OpRate rate = opRate(json);
        if (work.asString().equals(ANY_WORK)) {
            model.device(device, rate);
            return;
        }
        for (WorkKind kind : WorkKind.values()) {
            if (kind.name().equals(work.asString())) {
                model.device(device, kind, rate);
                return;
            }
        }
        throw work.malformed("there is no such kind of work");
    }

    private static OpRate opRate(JsonCursor json) {
        try {
            return new OpRate(
                    json.get("nanos_per_node").asDouble(),
                    json.get("nanos_per_flop").asDouble(),
                    json.get("nanos_per_byte").asDouble());
        } catch (InvalidPlanException e) {
            throw json.malformed(e);
        }
    }

    private static LinkRate readLink(JsonCursor json) {
        try {
            return new LinkRate(
                    json.get("latency_nanos").asDouble(),
                    json.get("bytes_per_second").asDouble());
        } catch (InvalidPlanException e) {
            throw json.malformed(e);
        }
    }
}
