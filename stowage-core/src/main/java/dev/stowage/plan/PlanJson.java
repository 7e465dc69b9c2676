package dev.stowage.plan;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.internal.json.JsonWriter;
import dev.stowage.memory.BufferType;
import java.util.Optional;

/**
 * Plans as JSON. A saved plan identifies its graph by a fingerprint; it is read back only for the same graph and buffer
 * types, and is validated.
 */
final class PlanJson {

    private static final String FORMAT = "stowage-plan";
    private static final int VERSION = 1;

    private PlanJson() {}

    static String write(MemoryPlan plan) {
        StringBuilder text = new StringBuilder();
        JsonWriter json = JsonWriter.indented(text);
        json.beginObject();
        json.name("format").value(FORMAT).name("version").value(VERSION);
        json.name("planner").value(plan.planner());
        json.name("graph").beginObject();
        json.name("nodes").value(plan.graph().nodeCount());
        json.name("leaves").value(plan.graph().leafCount());
        json.name("fingerprint").value(GraphFingerprint.of(plan.request()));
        json.endObject();
        json.name("size").value(plan.size());
        json.name("lower_bound").value(plan.analysis().lowerBound());
        json.name("sum_of_sizes").value(plan.analysis().sumOfSizes());
        buffers(json, plan);
        tensors(json, plan);
        json.endObject().finish();
        return text.append('\n').toString();
    }

    private static void buffers(JsonWriter json, MemoryPlan plan) {
        json.name("buffers").beginArray();
        for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
            json.beginObject();
            json.name("type").value(plan.request().bufferType(buffer).name());
            json.name("alignment").value(plan.request().bufferType(buffer).alignment());
            json.name("chunks").beginArray();
            for (int chunk = 0; chunk < plan.chunkCount(buffer); chunk++) {
                json.value(plan.chunkSize(buffer, chunk));
            }
            json.endArray().endObject();
        }
        json.endArray();
    }

    private static void tensors(JsonWriter json, MemoryPlan plan) {
        Liveness liveness = plan.analysis().liveness();
        json.name("tensors").beginArray();
        for (int id = 0; id < plan.graph().size(); id++) {
            if (!plan.isPlanned(id)) {
                continue;
            }
            json.beginObject();
            json.name("id").value(id).name("name").value(plan.graph().label(id));
            json.name("op").value(plan.graph().op(id).name());
            json.name("from").value(liveness.from(id)).name("to").value(liveness.to(id));
            json.name("buffer").value(plan.buffer(id)).name("chunk").value(plan.chunk(id));
            json.name("offset").value(plan.offset(id)).name("size").value(plan.size(id));
            if (plan.inPlaceOf(id) != Graph.NO_ID) {
                json.name("in_place_of").value(plan.inPlaceOf(id));
            }
            json.endObject();
        }
        json.endArray();
    }

    static MemoryPlan read(String text, PlanRequest request) {
        JsonCursor json = JsonReader.parse(text).cursor();
        json.requireFormat(FORMAT, VERSION, "a saved plan");
        requireSameGraph(json.get("graph"), request);
        JsonCursor buffers = json.get("buffers");
        if (buffers.elements().size() != request.bufferCount()) {
            throw new InvalidPlanException("the saved plan has "
                    + buffers.elements().size() + " buffers, but there are " + request.bufferCount() + " buffer types");
        }
        long[][] chunkSizes = new long[request.bufferCount()][];
        for (int buffer = 0; buffer < chunkSizes.length; buffer++) {
            requireSameType(buffers.at(buffer), request.bufferType(buffer));
            chunkSizes[buffer] = buffers.at(buffer).get("chunks").elements().stream()
                    .mapToLong(chunk -> chunk.asLong(0, Long.MAX_VALUE))
                    .toArray();
        }
        return PlanValidator.requireValid(tensors(json, request, chunkSizes));
    }

    private static void requireSameGraph(JsonCursor json, PlanRequest request) {
        String expected = GraphFingerprint.of(request);
        String found = json.get("fingerprint").asString();
        if (!found.equals(expected)) {
            throw new InvalidPlanException("the saved plan is for another graph, with "
                    + json.get("nodes").asLong()
                    + " nodes, " + json.get("leaves").asLong() + " leaves and fingerprint " + found + "; this one has "
                    + request.graph().nodeCount() + ", " + request.graph().leafCount() + " and " + expected);
        }
    }

    private static void requireSameType(JsonCursor json, BufferType type) {
        String name = json.get("type").asString();
        long alignment = json.get("alignment").asLong();
        if (!name.equals(type.name()) || alignment != type.alignment()) {
            throw new InvalidPlanException("the saved plan is for memory '" + name + "' aligned to " + alignment
                    + ", not for '" + type.name() + "' aligned to " + type.alignment());
        }
    }

    private static MemoryPlan tensors(JsonCursor json, PlanRequest request, long[][] chunkSizes) {
        int size = request.graph().size();
        MemoryPlanBuilder plan = MemoryPlan.builder(json.get("planner").asString(), request);
        for (JsonCursor tensor : json.get("tensors").elements()) {
            int id = tensor.get("id").asInt(0, size - 1);
            if (plan.isPlaced(id)) {
                throw tensor.malformed("tensor " + id + " has a place already");
            }
            Optional<JsonCursor> operand = tensor.find("in_place_of");
            plan.restore(
                    id,
                    tensor.get("buffer").asInt(0, chunkSizes.length - 1),
                    tensor.get("chunk").asInt(0, Integer.MAX_VALUE),
                    tensor.get("offset").asLong(0, Long.MAX_VALUE),
                    tensor.get("size").asLong(0, Long.MAX_VALUE),
                    operand.isPresent() ? operand.get().asInt(0, size - 1) : Graph.NO_ID);
        }
        return plan.build(chunkSizes);
    }
}
