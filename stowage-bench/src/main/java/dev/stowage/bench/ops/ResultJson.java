package dev.stowage.bench.ops;

import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.device.Device;
import dev.stowage.internal.json.JsonWriter;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Writes all results as JSON, with every way that was measured and what it was measured on. */
final class ResultJson {

    private ResultJson() {}

    static String text(Device device, @Nullable GgmlLibrary ggml, List<CaseResult> results) {
        StringBuilder text = new StringBuilder();
        JsonWriter json = JsonWriter.indented(text);
        json.beginObject();
        json.name("device").value(device.name());
        json.name("description").value(device.description());
        json.name("java").value(Runtime.version().toString());
        json.name("ggml");
        if (ggml == null) {
            json.nullValue();
        } else {
            json.beginObject();
            json.name("version").value(ggml.version());
            json.name("cpu").value(ggml.cpuVariant());
            json.endObject();
        }
        json.name("results").beginArray();
        results.forEach(result -> write(result, json));
        json.endArray();
        json.endObject();
        json.finish();
        return text.append(System.lineSeparator()).toString();
    }

    private static void write(CaseResult result, JsonWriter json) {
        OpBenchCase benchCase = result.benchCase();
        json.beginObject();
        json.name("op").value(benchCase.group());
        json.name("shape").value(benchCase.shape());
        json.name("type").value(benchCase.type().label());
        json.name("threads").value(result.threads());
        json.name("unit").value(benchCase.rate().unit());
        writeWays("ours", benchCase, result.ours(), json);
        writeWays("ggml", benchCase, result.ggml(), json);
        writeNumber("ratio", result.ratio(), json);
        writeNumber("nmse", result.error(), json);
        json.name("max_nmse").value(benchCase.maxError());
        json.name("exact").value(result.isExact());
        json.name("remark").value(result.remark());
        json.endObject();
    }

    private static void writeWays(String side, OpBenchCase benchCase, List<RoundTimes> ways, JsonWriter json) {
        json.name(side).beginArray();
        for (RoundTimes way : ways) {
            json.beginObject();
            json.name("variant").value(way.variant().toLowerCase(Locale.ROOT));
            json.name("rate").value(benchCase.rate().of(benchCase.work(), way.median()));
            json.name("median_seconds").value(way.median());
            json.name("spread").value(way.spread());
            json.name("seconds").beginArray();
            way.seconds().forEach(json::value);
            json.endArray();
            json.endObject();
        }
        json.endArray();
    }

    /** JSON knows neither infinity nor NaN, which is what numbers that make no sense are compared to be. */
    private static void writeNumber(String name, OptionalDouble number, JsonWriter json) {
        json.name(name);
        if (number.isPresent() && Double.isFinite(number.getAsDouble())) {
            json.value(number.getAsDouble());
        } else {
            json.nullValue();
        }
    }
}
