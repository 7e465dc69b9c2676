package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import java.util.List;

/**
 * The rules that every place of a plan keeps by itself, whenever other tensors are needed: what needs a place has one
 * and nothing else has, of the right kind of memory, large enough, aligned, within a chunk that the memory can have.
 */
final class PlaceRules {

    private final MemoryPlan plan;
    private final PlanRequest request;
    private final Graph graph;
    private final InPlaceClaims claims;
    private final List<PlanViolation> found;

    PlaceRules(MemoryPlan plan, InPlaceClaims claims, List<PlanViolation> found) {
        this.plan = plan;
        this.request = plan.request();
        this.graph = plan.graph();
        this.claims = claims;
        this.found = found;
    }

    void check() {
        for (int id = 0; id < graph.size(); id++) {
            if (!plan.isPlanned(id)) {
                if (request.isPlannable(id) && isReached(id)) {
                    report(PlanViolation.Kind.MISSING, id, "has no place in the plan");
                }
            } else if (!request.isPlannable(id)) {
                report(PlanViolation.Kind.UNWANTED, id, "has a place in the plan, but needs none");
            } else if (plan.buffer(id) < 0 || plan.buffer(id) >= plan.bufferCount()) {
                report(
                        PlanViolation.Kind.WRONG_BUFFER,
                        id,
                        "is placed in buffer " + plan.buffer(id) + ", which the plan does not have");
            } else {
                checkBytes(id, request.bufferType(plan.buffer(id)));
                checkChunk(id, request.firstWithSameType(plan.buffer(id)));
                checkClaim(id);
                checkMemory(id);
            }
        }
    }

    /** Outsiders that are only viewed get memory elsewhere; everything a node computes or reads needs it here. */
    private boolean isReached(int id) {
        boolean reached = !graph.isExternal(id);
        for (int slot = graph.firstSlot(0); !reached && slot < graph.endSlot(graph.nodeCount() - 1); slot++) {
            reached = graph.sourceAt(slot) == id;
        }
        return reached;
    }

    private void checkBytes(int id, BufferType type) {
        long needed = type.allocationSize(graph.tensor(id));
        if (plan.size(id) < needed) {
            report(PlanViolation.Kind.TOO_SMALL, id, "was given " + plan.size(id) + " bytes and needs " + needed);
        }
        if (plan.offset(id) % type.alignment() != 0) {
            report(
                    PlanViolation.Kind.MISALIGNED,
                    id,
                    "is placed at offset " + plan.offset(id) + ", which is not a multiple of " + type.alignment());
        }
    }

    private void checkChunk(int id, int memory) {
        int chunk = plan.chunk(id);
        if (chunk < 0 || chunk >= plan.chunkCount(memory)) {
            report(
                    PlanViolation.Kind.OUT_OF_CHUNK,
                    id,
                    "is placed in chunk " + chunk + " of " + plan.chunkCount(memory));
        } else if (plan.offset(id) < 0 || plan.offset(id) > plan.chunkSize(memory, chunk) - plan.size(id)) {
            report(
                    PlanViolation.Kind.OUT_OF_CHUNK,
                    id,
                    "takes " + plan.size(id) + " bytes at offset " + plan.offset(id) + " of a chunk of "
                            + plan.chunkSize(memory, chunk) + " bytes");
        }
    }

    private void checkClaim(int id) {
        int operand = plan.inPlaceOf(id);
        if (operand != Graph.NO_ID && !claims.isGood(id, operand)) {
            report(
                    PlanViolation.Kind.IN_PLACE,
                    id,
                    "is said to take the place of " + PlanViolation.name(graph, operand)
                            + ", but is not placed there or must not overwrite it");
        }
    }

    /** In the kind of memory the request names, or in that of an operand whose place it took. */
    private void checkMemory(int id) {
        int buffer = plan.buffer(id);
        if (!graph.isExternal(id)
                && request.firstWithSameType(asked(id)) != request.firstWithSameType(buffer)
                && !claims.isGood(id, plan.inPlaceOf(id))) {
            report(
                    PlanViolation.Kind.WRONG_BUFFER,
                    id,
                    "is placed in buffer " + buffer + ", which is not the kind of memory that was asked for");
        }
    }

    private int asked(int id) {
        return graph.isNode(id) ? request.nodeBuffer(id) : request.leafBuffer(id - graph.nodeCount());
    }

    /** No chunk is larger than the largest buffer of its type, unless a single tensor needs that much. */
    void checkChunkLimits() {
        for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
            if (request.firstWithSameType(buffer) == buffer) {
                checkChunkLimits(buffer, largestTensors(buffer));
            }
        }
    }

    private void checkChunkLimits(int buffer, long[] largestTensors) {
        for (int chunk = 0; chunk < largestTensors.length; chunk++) {
            long limit = Math.max(request.bufferType(buffer).maxBufferSize(), largestTensors[chunk]);
            if (plan.chunkSize(buffer, chunk) > limit) {
                String message = "chunk " + chunk + " of buffer " + buffer + " has " + plan.chunkSize(buffer, chunk)
                        + " bytes, more than the largest buffer of " + limit;
                found.add(new PlanViolation(PlanViolation.Kind.CHUNK_TOO_LARGE, Graph.NO_ID, message));
            }
        }
    }

    /** The bytes of the largest tensor in each chunk of a buffer, rounded up to the alignment. */
    private long[] largestTensors(int buffer) {
        long[] largest = new long[plan.chunkCount(buffer)];
        long alignment = request.bufferType(buffer).alignment();
        for (int id = 0; id < graph.size(); id++) {
            if (plan.isPlanned(id) && request.firstWithSameType(plan.buffer(id)) == buffer) {
                long padded = (plan.size(id) + alignment - 1) & -alignment;
                largest[plan.chunk(id)] = Math.max(largest[plan.chunk(id)], padded);
            }
        }
        return largest;
    }

    private void report(PlanViolation.Kind kind, int id, String what) {
        found.add(PlanViolation.of(kind, graph, id, what));
    }
}
