package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Tensor;
import java.util.Optional;

/** The part of {@link PlanSimulator} that needs no run: whether each tensor could be put where the plan says. */
final class PlaceInspection {

    private final MemoryPlan plan;
    private final PlanRequest request;
    private final Graph graph;
    private final InPlaceRules rules;

    PlaceInspection(MemoryPlan plan, InPlaceRules rules) {
        this.plan = plan;
        this.request = plan.request();
        this.graph = plan.graph();
        this.rules = rules;
    }

    Optional<String> firstFault() {
        for (int id = 0; id < graph.size(); id++) {
            String fault = fault(id);
            if (!fault.isEmpty()) {
                return Optional.of("tensor " + id + " " + fault);
            }
        }
        return firstLargeChunk();
    }

    private String fault(int id) {
        boolean isOwner = graph.viewSource(id) == Graph.NO_ID && !request.isFixed(id);
        int buffer = plan.buffer(id);
        if (buffer == MemoryPlan.NOT_PLANNED) {
            return isOwner && (graph.isNode(id) || graph.isLeaf(id)) ? "has no place" : "";
        }
        if (!isOwner || buffer < 0 || buffer >= request.bufferCount()) {
            return "has a place that cannot be";
        }
        BufferType type = request.bufferType(buffer);
        int memory = firstLike(type);
        long offset = plan.offset(id);
        long size = plan.size(id);
        if (size < type.allocationSize(graph.tensor(id))) {
            return "is cut off";
        }
        if (offset < 0 || Math.floorMod(offset, type.alignment()) != 0) {
            return "is misaligned";
        }
        int chunk = plan.chunk(id);
        if (chunk < 0 || chunk >= plan.chunkCount(memory) || plan.chunkSize(memory, chunk) - offset < size) {
            return "is outside of its memory";
        }
        boolean takesPlace = takesPlace(id);
        if (plan.inPlaceOf(id) != Graph.NO_ID && !takesPlace) {
            return "does not or must not take the place of " + plan.inPlaceOf(id);
        }
        return takesPlace || isAsAsked(id, type) ? "" : "is in another kind of memory";
    }

    private int firstLike(BufferType type) {
        int first = 0;
        while (!request.bufferType(first).equals(type)) {
            first++;
        }
        return first;
    }

    private boolean isAsAsked(int id, BufferType type) {
        return graph.isExternal(id) || request.bufferType(request.buffer(id)).equals(type);
    }

    private boolean takesPlace(int id) {
        boolean takesPlace = false;
        for (int slot = 0; slot < graph.endSlot(id) - graph.firstSlot(id); slot++) {
            takesPlace |= isInPlace(plan, rules, id, slot);
        }
        return takesPlace;
    }

    /** Whether a node is said, and allowed by all but the order of things, to be computed over the operand in that slot. */
    static boolean isInPlace(MemoryPlan plan, InPlaceRules rules, int node, int slot) {
        Graph graph = plan.graph();
        int source = graph.sourceAt(graph.firstSlot(node) + slot);
        if (source == Graph.NO_ID || !graph.isNode(node) || graph.isInPlaceForbidden(node)) {
            return false;
        }
        int owner = graph.viewSource(source) == Graph.NO_ID ? source : graph.viewSource(source);
        Tensor operand = graph.tensor(source);
        return owner != node
                && plan.inPlaceOf(node) == owner
                && isSamePlace(plan, node, owner)
                && rules.allow(graph.op(node), slot)
                && operand.viewOffset() == 0
                && operand.layout().equals(graph.tensor(node).layout());
    }

    private static boolean isSamePlace(MemoryPlan plan, int a, int b) {
        int buffers = plan.request().bufferCount();
        return plan.buffer(a) >= 0
                && plan.buffer(a) < buffers
                && plan.buffer(b) >= 0
                && plan.buffer(b) < buffers
                && plan.request()
                        .bufferType(plan.buffer(a))
                        .equals(plan.request().bufferType(plan.buffer(b)))
                && plan.chunk(a) == plan.chunk(b)
                && plan.offset(a) == plan.offset(b);
    }

    /** A chunk that its memory could not allocate, although no tensor in it is by itself too large. */
    private Optional<String> firstLargeChunk() {
        for (int buffer = 0; buffer < request.bufferCount(); buffer++) {
            BufferType type = request.bufferType(buffer);
            for (int chunk = 0; chunk < plan.chunkCount(buffer) && firstLike(type) == buffer; chunk++) {
                long size = plan.chunkSize(buffer, chunk);
                if (size > type.maxBufferSize() && !holdsOneOf(type, chunk, size)) {
                    return Optional.of("chunk " + chunk + " of buffer " + buffer + " is too large");
                }
            }
        }
        return Optional.empty();
    }

    private boolean holdsOneOf(BufferType type, int chunk, long size) {
        for (int id = 0; id < graph.size(); id++) {
            if (plan.isPlanned(id)
                    && request.bufferType(plan.buffer(id)).equals(type)
                    && plan.chunk(id) == chunk
                    && Math.ceilDiv(plan.size(id), type.alignment()) >= Math.ceilDiv(size, type.alignment())) {
                return true;
            }
        }
        return false;
    }
}
