package dev.stowage.testkit.golden;

import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonString;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What ggml's scheduler did.
 *
 * @param nodeDevices the device of each node
 * @param leafDevices the device of each leaf
 * @param splits how many splits there were
 * @param copies how many runs could be in flight
 * @param bufferSizes the bytes of each device's compute buffer, 0 where an earlier device has the same memory
 * @param trace every call made to a device in one run, in order, as text: {@code copy_async(17,GPU0#t17#0)}, with tensors
 *     of the graph by their ids in the file
 */
public record SchedExpectation(
        List<Integer> nodeDevices,
        List<Integer> leafDevices,
        int splits,
        int copies,
        List<Long> bufferSizes,
        List<String> trace) {

    public SchedExpectation {
        nodeDevices = List.copyOf(nodeDevices);
        leafDevices = List.copyOf(leafDevices);
        bufferSizes = List.copyOf(bufferSizes);
        trace = List.copyOf(trace);
    }

    static SchedExpectation read(JsonCursor json, GoldenGraph tensors, int devices) {
        return new SchedExpectation(
                devices(json.get("node_backends"), tensors.graph().nodeCount(), devices),
                devices(json.get("leaf_backends"), tensors.graph().leafCount(), devices),
                json.get("n_splits").asInt(),
                json.get("n_copies").asInt(),
                Arrays.stream(counted(json.get("buffer_sizes"), devices).asLongs())
                        .boxed()
                        .toList(),
                json.get("trace").elements().stream()
                        .map(SchedExpectation::call)
                        .toList());
    }

    private static List<Integer> devices(JsonCursor list, int count, int devices) {
        return counted(list, count).elements().stream()
                .map(device -> device.asInt(0, devices - 1))
                .toList();
    }

    private static JsonCursor counted(JsonCursor list, int count) {
        if (list.elements().size() != count) {
            throw list.malformed(
                    "expected " + count + " numbers, found " + list.elements().size());
        }
        return list;
    }

    private static String call(JsonCursor call) {
        List<JsonCursor> parts = call.elements();
        if (parts.isEmpty()) {
            throw call.malformed("a call needs a name");
        }
        return parts.getFirst().asString()
                + parts.stream().skip(1).map(SchedExpectation::argument).collect(Collectors.joining(",", "(", ")"));
    }

    private static String argument(JsonCursor argument) {
        return switch (argument.value()) {
            case JsonString _ -> argument.asString();
            case JsonArray _ ->
                argument.elements().stream()
                        .map(id -> String.valueOf(id.asInt()))
                        .collect(Collectors.joining(",", "[", "]"));
            default -> String.valueOf(argument.asInt());
        };
    }
}
