package dev.stowage.testkit.golden;

import dev.stowage.device.DeviceType;
import dev.stowage.graph.Graph;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonValue.JsonString;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Op;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One run of ggml's scheduler: a graph, the devices it was spread over, what the caller had assigned, and what ggml did
 * with it.
 */
public final class SchedCase {

    /**
     * A device of a case.
     *
     * @param bufferType the memory its results are stored in
     * @param supportedOps the ops it computes; empty for all of them
     * @param offloadedOps the ops it wants although their weights are on the host
     * @param readable the names of the kinds of memory it reads
     * @param copiesAsync whether it takes on copies with other devices that do too
     * @param hasEvents whether it makes events
     */
    public record GoldenDevice(
            String name,
            DeviceType type,
            MeasuringBufferType bufferType,
            Optional<Set<Op>> supportedOps,
            Set<Op> offloadedOps,
            Set<String> readable,
            boolean copiesAsync,
            boolean hasEvents) {}

    private final String name;
    private final GoldenGraph tensors;
    private final List<GoldenDevice> devices;
    private final boolean isPipelined;
    private final boolean offloadsOps;
    private final Map<Integer, Integer> assignments;
    private final SchedExpectation expected;

    private SchedCase(JsonCursor document) {
        BufferTypeReader types = new BufferTypeReader();
        this.name = document.get("case").asString();
        this.tensors = GoldenGraph.read(document);
        this.devices = document.get("devices").elements().stream()
                .map(json -> device(json, types))
                .toList();
        this.isPipelined = document.get("parallel").asBoolean();
        this.offloadsOps = document.get("op_offload").asBoolean();
        this.assignments = new LinkedHashMap<>();
        JsonCursor assigned = document.get("user_assignments");
        for (String id : assigned.names()) {
            assignments.put(
                    tensors.fileId(assigned.get(id), id), assigned.get(id).asInt(0, devices.size() - 1));
        }
        this.expected = SchedExpectation.read(document.get("expect"), tensors, devices.size());
        for (int id : tensors.fileIds()) {
            tensors.bufferType(id).ifPresent(type -> requireKnown(document, type));
        }
    }

    static SchedCase read(JsonCursor document) {
        return new SchedCase(document);
    }

    private void requireKnown(JsonCursor document, String bufferType) {
        if (devices.stream().noneMatch(device -> device.bufferType().name().equals(bufferType))) {
            throw document.get("devices").malformed("no device has the buffer type '" + bufferType + "'");
        }
    }

    private static GoldenDevice device(JsonCursor json, BufferTypeReader types) {
        JsonCursor ops = json.get("supports_ops");
        return new GoldenDevice(
                json.get("name").asString(),
                type(json.get("type")),
                types.read(json.get("buffer_type")),
                isAll(ops) ? Optional.empty() : Optional.of(ops(ops)),
                ops(json.get("offload_ops")),
                json.get("supports_buffer_types").elements().stream()
                        .map(JsonCursor::asString)
                        .collect(Collectors.toUnmodifiableSet()),
                json.get("async_copy").asBoolean(),
                json.get("events").asBoolean());
    }

    private static boolean isAll(JsonCursor ops) {
        return ops.value() instanceof JsonString && ops.asString().equals("all");
    }

    private static Set<Op> ops(JsonCursor list) {
        Set<Op> ops = EnumSet.noneOf(Op.class);
        for (JsonCursor name : list.elements()) {
            ops.add(Arrays.stream(Op.values())
                    .filter(op -> op.name().equals(name.asString()))
                    .findFirst()
                    .orElseThrow(() -> name.malformed("there is no op '" + name.asString() + "'")));
        }
        return ops;
    }

    private static DeviceType type(JsonCursor json) {
        return switch (json.asString()) {
            case "cpu" -> DeviceType.CPU;
            case "gpu" -> DeviceType.GPU;
            case "accel" -> DeviceType.ACCELERATOR;
            default -> throw json.malformed("there is no type of device '" + json.asString() + "'");
        };
    }

    public String name() {
        return name;
    }

    public Graph graph() {
        return tensors.graph();
    }

    /** The graph with the ids its tensors have in the file. */
    public GoldenGraph tensors() {
        return tensors;
    }

    /** The devices, highest priority first. */
    public List<GoldenDevice> devices() {
        return devices;
    }

    /** Whether several runs could be in flight. */
    public boolean isPipelined() {
        return isPipelined;
    }

    public boolean offloadsOps() {
        return offloadsOps;
    }

    /** The device that the caller had chosen for a tensor, by its id in the file. */
    public Map<Integer, Integer> assignments() {
        return Map.copyOf(assignments);
    }

    /** What ggml did. */
    public SchedExpectation expected() {
        return expected;
    }

    @Override
    public String toString() {
        return name;
    }
}
