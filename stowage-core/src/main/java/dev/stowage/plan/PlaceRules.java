package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.plan.PlanViolation.Kind;
import java.util.List;

/**
 * Checks each place of a plan by itself: every tensor that needs a place has one and no other has, in the right buffer,
 * large enough, aligned, and within a chunk of legal size.
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
                    report(Kind.MISSING, id, "has no place in the plan");
                }
            } else if (!request.isPlannable(id)) {
                report(Kind.UNWANTED, id, "has a place in the plan, but needs none");
            } else if (plan.buffer(id) < 0 || plan.buffer(id) >= plan.bufferCount()) {
                report(Kind.WRONG_BUFFER, id, "is placed in buffer " + plan.buffer(id) + ", which is not in the plan");
            } else {
                checkBytes(id, request.bufferType(plan.buffer(id)));
                checkChunk(id, request.firstWithSameType(plan.buffer(id)));
                checkClaim(id);
                checkMemory(id);
            }
        }
    }

    /** External tensors that are only viewed need no place; everything a node computes or reads does. */
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
            report(Kind.TOO_SMALL, id, "was given " + plan.size(id) + " bytes and needs " + needed);
        }
        if (plan.offset(id) % type.alignment() != 0) {
            String place = "is placed at offset " + plan.offset(id);
            report(Kind.MISALIGNED, id, place + ", which is not a multiple of " + type.alignment());
        }
    }

    private void checkChunk(int id, int memory) {
        int chunk = plan.chunk(id);
        if (chunk < 0 || chunk >= plan.chunkCount(memory)) {
            report(Kind.OUT_OF_CHUNK, id, "is placed in chunk " + chunk + " of " + plan.chunkCount(memory));
        } else if (plan.offset(id) < 0 || plan.offset(id) > plan.chunkSize(memory, chunk) - plan.size(id)) {
            report(
                    Kind.OUT_OF_CHUNK,
                    id,
                    "takes " + plan.size(id) + " bytes at offset " + plan.offset(id) + " of a chunk of "
                            + plan.chunkSize(memory, chunk) + " bytes");
        }
    }

    private void checkClaim(int id) {
        int operand = plan.inPlaceOf(id);
        if (operand != Graph.NO_ID && !claims.isGood(id, operand)) {
            report(
                    Kind.IN_PLACE,
                    id,
                    "is said to take the place of " + PlanViolation.name(graph, operand)
                            + ", but is not placed there or must not overwrite it");
        }
    }

    /** In the buffer type of the request, or in that of the operand it overwrites. */
    private void checkMemory(int id) {
        int buffer = plan.buffer(id);
        if (!graph.isExternal(id)
                && request.firstWithSameType(request.buffer(id)) != request.firstWithSameType(buffer)
                && !claims.isGood(id, plan.inPlaceOf(id))) {
            report(Kind.WRONG_BUFFER, id, "is placed in buffer " + buffer + ", which is not the memory asked for");
        }
    }

    /** No chunk exceeds the maximum buffer size of its type, unless a single tensor does. */
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
                found.add(new PlanViolation(Kind.CHUNK_TOO_LARGE, Graph.NO_ID, message));
            }
        }
    }

    /** The bytes of the largest tensor in each chunk of a buffer, rounded up to the alignment. */
    private long[] largestTensors(int buffer) {
        long[] largest = new long[plan.chunkCount(buffer)];

        for (int id = 0; id < graph.size(); id++) {
            if (plan.isPlanned(id) && request.firstWithSameType(plan.buffer(id)) == buffer) {
                long padded = request.padded(buffer, plan.size(id));
                largest[plan.chunk(id)] = Math.max(largest[plan.chunk(id)], padded);
            }
        }
        return largest;
    }

    private void report(Kind kind, int id, String what) {
        found.add(PlanViolation.of(kind, graph, id, what));
    }
}
