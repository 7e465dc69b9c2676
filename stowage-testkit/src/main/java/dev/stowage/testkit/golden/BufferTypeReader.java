package dev.stowage.testkit.golden;

import dev.stowage.error.AllocationException;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.memory.MeasuringBufferType;
import java.util.HashMap;
import java.util.Map;

/** Makes the buffer types of a case, which hold no memory. The same name twice is one and the same type. */
final class BufferTypeReader {

    private final Map<String, MeasuringBufferType> types = new HashMap<>();
    private final Map<String, JsonCursor> first = new HashMap<>();

    MeasuringBufferType read(JsonCursor json) {
        String name = json.get("name").asString();
        JsonCursor before = first.putIfAbsent(name, json);
        if (before != null && !before.value().equals(json.value())) {
            throw json.malformed("the buffer type '" + name + "' has other rules than at " + before.path());
        }
        return types.computeIfAbsent(name, _ -> make(name, json));
    }

    private static MeasuringBufferType make(String name, JsonCursor json) {
        try {
            MeasuringBufferType type = MeasuringBufferType.of(
                            name, json.get("alignment").asLong())
                    .withSizeMultiple(json.get("size_multiple").asLong())
                    .withHost(json.get("host").asBoolean());
            JsonCursor limit = json.get("max_size");
            return limit.isNull() ? type : type.withMaxBufferSize(limit.asLong());
        } catch (AllocationException e) {
            throw json.malformed(e);
        }
    }
}
