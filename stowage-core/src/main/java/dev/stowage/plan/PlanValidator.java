package dev.stowage.plan;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/**
 * Checks a plan against the graph, sharing nothing with any planner: it derives from the graph when each tensor is
 * needed and replays the plan in time, holding the taken ranges of every chunk. Two tensors that are needed at the
 * same time may share a byte only when one is a view of the other, or when one is computed in place of the other by an
 * op whose kernels get that right.
 */
public final class PlanValidator {

    private final MemoryPlan plan;
    private final PlanRequest request;
    private final Graph graph;
    private final Liveness liveness;
    private final InPlaceRules inPlace;
    private final List<PlanViolation> violations = new ArrayList<>();

    private PlanValidator(MemoryPlan plan, InPlaceRules inPlace) {
        this.plan = plan;
        this.inPlace = inPlace;
        this.request = plan.request();
        this.graph = plan.graph();
        this.liveness = Liveness.of(graph);
    }

    /** Everything that is wrong with a plan; empty for a good one. */
    public static List<PlanViolation> check(MemoryPlan plan) {
        return check(plan, InPlaceRules.kernels());
    }

    /** Everything that is wrong with a plan for kernels that can do no more in place than these rules say. */
    public static List<PlanViolation> check(MemoryPlan plan, InPlaceRules inPlace) {
        PlanValidator validator = new PlanValidator(plan, inPlace);
        validator.checkPlaces();
        if (validator.violations.isEmpty()) {
            validator.checkChunkLimits();
            validator.replay(validator.liveness::to, PlanViolation.Kind.OVERLAP);
        }
        return List.copyOf(validator.violations);
    }

    /**
     * What may surprise the caller of a plan that is otherwise good: outputs that are views of a tensor which is not an
     * output, and whose bytes are used again before the run ends. ggml plans so; marking the view's source as an output
     * keeps the bytes.
     */
    public static List<PlanViolation> hazards(MemoryPlan plan) {
        PlanValidator validator = new PlanValidator(plan, InPlaceRules.kernels());
        validator.replay(validator.liveness::keptTo, PlanViolation.Kind.OUTPUT_OVERWRITTEN);
        return List.copyOf(validator.violations);
    }

    /**
     * Returns the plan if nothing is wrong with it.
     *
     * @throws InvalidPlanException if something is; the message lists the first few things
     */
    public static MemoryPlan requireValid(MemoryPlan plan) {
        List<PlanViolation> found = check(plan);
        if (!found.isEmpty()) {
            StringBuilder message =
                    new StringBuilder("the plan breaks the rules of plans " + found.size() + " times: ");
            for (PlanViolation violation : found.subList(0, Math.min(5, found.size()))) {
                message.append(System.lineSeparator()).append("  ").append(violation.message());
            }
            throw new InvalidPlanException(message.toString());
        }
        return plan;
    }

    private void checkPlaces() {
        for (int id = 0; id < graph.size(); id++) {
            boolean needsPlace = !request.isFixed(id) && graph.viewSource(id) == Graph.NO_ID;
            if (plan.isPlanned(id)) {
                if (needsPlace) {
                    checkPlace(id);
                } else {
                    report(PlanViolation.Kind.UNWANTED, id, "has a place in the plan, but needs none");
                }
            } else if (needsPlace && isReached(id)) {
                report(PlanViolation.Kind.MISSING, id, "has no place in the plan");
            }
        }
    }

    /** Outsiders that are only viewed get memory elsewhere; everything a node computes or reads needs it here. */
    private boolean isReached(int id) {
        boolean reached = !graph.isOutsider(id);
        for (int slot = graph.firstSlot(0); !reached && slot < graph.endSlot(graph.nodeCount() - 1); slot++) {
            reached = graph.sourceAt(slot) == id;
        }
        return reached;
    }

    private void checkPlace(int id) {
        int buffer = plan.buffer(id);
        if (buffer < 0 || buffer >= plan.bufferCount()) {
            report(PlanViolation.Kind.WRONG_BUFFER, id, "lies in buffer " + buffer + ", which the plan does not have");
            return;
        }
        long size = plan.size(id);
        long offset = plan.offset(id);
        long needed = request.bufferType(buffer).allocationSize(graph.tensor(id));
        if (size < needed) {
            report(PlanViolation.Kind.TOO_SMALL, id, "was given " + size + " bytes and needs " + needed);
        }
        if (offset % request.bufferType(buffer).alignment() != 0) {
            report(
                    PlanViolation.Kind.MISALIGNED,
                    id,
                    "lies at offset " + offset + ", which is no multiple of "
                            + request.bufferType(buffer).alignment());
        }
        int chunk = plan.chunk(id);
        int memory = request.firstWithSameType(buffer);
        if (chunk < 0 || chunk >= plan.chunkCount(memory)) {
            report(PlanViolation.Kind.OUT_OF_CHUNK, id, "lies in chunk " + chunk + " of " + plan.chunkCount(memory));
        } else if (offset < 0 || offset > plan.chunkSize(memory, chunk) - size) {
            report(
                    PlanViolation.Kind.OUT_OF_CHUNK,
                    id,
                    "takes " + size + " bytes at offset " + offset + " of a chunk of " + plan.chunkSize(memory, chunk)
                            + " bytes");
        }
        int operand = plan.inPlaceOf(id);
        if (operand != Graph.NO_ID && (!plan.isPlanned(operand) || !mayOverwrite(id, operand))) {
            report(
                    PlanViolation.Kind.IN_PLACE,
                    id,
                    "is said to take the place of " + name(operand)
                            + ", but does not lie there or must not overwrite it");
        }
        if (!liesAsAsked(id, buffer)) {
            report(
                    PlanViolation.Kind.WRONG_BUFFER,
                    id,
                    "lies in buffer " + buffer + ", which is not the kind of memory it was to lie in");
        }
    }

    /** In the kind of memory the request names, or in that of an operand whose place it took. */
    private boolean liesAsAsked(int id, int buffer) {
        if (graph.isOutsider(id)) {
            return true;
        }
        int asked = graph.isNode(id) ? request.nodeBuffer(id) : request.leafBuffer(id - graph.nodeCount());
        if (request.firstWithSameType(asked) == request.firstWithSameType(buffer)) {
            return true;
        }
        int operand = plan.inPlaceOf(id);
        return operand != Graph.NO_ID && plan.isPlanned(operand) && mayOverwrite(id, operand);
    }

    private void checkChunkLimits() {
        long[][] largest = new long[plan.bufferCount()][];
        for (int buffer = 0; buffer < largest.length; buffer++) {
            largest[buffer] = new long[plan.chunkCount(buffer)];
        }
        for (int id = 0; id < graph.size(); id++) {
            if (plan.isPlanned(id)) {
                int buffer = request.firstWithSameType(plan.buffer(id));
                long alignment = request.bufferType(buffer).alignment();
                long padded = (plan.size(id) + alignment - 1) & -alignment;
                largest[buffer][plan.chunk(id)] = Math.max(largest[buffer][plan.chunk(id)], padded);
            }
        }
        for (int buffer = 0; buffer < largest.length; buffer++) {
            for (int chunk = 0;
                    chunk < largest[buffer].length && request.firstWithSameType(buffer) == buffer;
                    chunk++) {
                long limit = Math.max(request.bufferType(buffer).maxBufferSize(), largest[buffer][chunk]);
                if (plan.chunkSize(buffer, chunk) > limit) {
                    violations.add(new PlanViolation(
                            PlanViolation.Kind.CHUNK_TOO_LARGE,
                            Graph.NO_ID,
                            "chunk " + chunk + " of buffer " + buffer + " has " + plan.chunkSize(buffer, chunk)
                                    + " bytes, more than the largest buffer of " + limit));
                }
            }
        }
    }

    /** Goes through time, first freeing what is no longer needed, then taking what is written. */
    private void replay(IntUnaryOperator lastNeeded, PlanViolation.Kind kind) {
        List<List<NavigableMap<Long, Integer>>> taken = new ArrayList<>();
        for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
            List<NavigableMap<Long, Integer>> chunks = new ArrayList<>();
            for (int chunk = 0; chunk < plan.chunkCount(buffer); chunk++) {
                chunks.add(new TreeMap<>());
            }
            taken.add(chunks);
        }
        int[][] endingAt = endingAt(lastNeeded);
        for (int id = 0; id < graph.size(); id++) {
            if (liveness.from(id) == Liveness.BEFORE) {
                take(id, taken, lastNeeded, kind);
            }
        }
        release(endingAt[0], taken);
        for (int node = 0; node < graph.nodeCount(); node++) {
            if (liveness.from(node) == node) {
                take(node, taken, lastNeeded, kind);
            }
            release(endingAt[node + 1], taken);
        }
    }

    /** The planned tensors by the time they are last needed; those needed after the last node are never released. */
    private int[][] endingAt(IntUnaryOperator lastNeeded) {
        int[] counts = new int[graph.nodeCount() + 2];
        for (int id = 0; id < graph.size(); id++) {
            counts[lastNeeded.applyAsInt(id) + 1]++;
        }
        int[][] ending = new int[counts.length][];
        for (int time = 0; time < counts.length; time++) {
            ending[time] = new int[counts[time]];
        }
        for (int id = 0; id < graph.size(); id++) {
            int time = lastNeeded.applyAsInt(id) + 1;
            ending[time][--counts[time]] = id;
        }
        return ending;
    }

    private NavigableMap<Long, Integer> chunkOf(int id, List<List<NavigableMap<Long, Integer>>> taken) {
        return taken.get(request.firstWithSameType(plan.buffer(id))).get(plan.chunk(id));
    }

    private void release(int[] ids, List<List<NavigableMap<Long, Integer>>> taken) {
        for (int id : ids) {
            if (plan.isPlanned(id)) {
                chunkOf(id, taken).remove(plan.offset(id), id);
            }
        }
    }

    private void take(
            int id,
            List<List<NavigableMap<Long, Integer>>> taken,
            IntUnaryOperator lastNeeded,
            PlanViolation.Kind kind) {
        if (!plan.isPlanned(id) || plan.size(id) == 0) {
            return;
        }
        NavigableMap<Long, Integer> chunk = chunkOf(id, taken);
        long start = plan.offset(id);
        long end = start + plan.size(id);
        Map.Entry<Long, Integer> other = chunk.lowerEntry(end);
        while (other != null && other.getKey() + plan.size(other.getValue()) > start) {
            int victim = other.getValue();
            chunk.remove(other.getKey());
            boolean allowed = plan.inPlaceOf(id) == victim && lastNeeded.applyAsInt(victim) == id;
            boolean relevant =
                    kind == PlanViolation.Kind.OVERLAP || lastNeeded.applyAsInt(victim) > liveness.to(victim);
            if (!allowed && relevant) {
                violations.add(overlap(id, victim, kind));
            }
            other = chunk.lowerEntry(end);
        }
        chunk.put(start, id);
    }

    private PlanViolation overlap(int id, int victim, PlanViolation.Kind kind) {
        String where = "buffer " + plan.buffer(id) + ", chunk " + plan.chunk(id) + ": bytes " + plan.offset(id) + " to "
                + (plan.offset(id) + plan.size(id)) + " and " + plan.offset(victim) + " to "
                + (plan.offset(victim) + plan.size(victim));
        String message = kind == PlanViolation.Kind.OVERLAP
                ? name(id) + " is written where " + name(victim) + " is still needed, in " + where
                : "a view of " + name(victim) + " is an output, but " + name(id) + " is written over its bytes, in "
                        + where + "; mark " + name(victim) + " itself as an output to keep them";
        return new PlanViolation(kind, id, message);
    }

    /** Whether a node may be computed in the place of a tensor: kernels can, and nobody else needs what is there. */
    private boolean mayOverwrite(int node, int owner) {
        return graph.isNode(node)
                && node != owner
                && plan.isPlanned(owner)
                && liveness.from(node) == node
                && liveness.to(owner) == node
                && !graph.isOutput(owner)
                && liesTogether(node, owner)
                && readsOnceWhereItWrites(node, owner);
    }

    /** Whether the one operand through which a node reaches a tensor may be overwritten, and lies just like the result. */
    private boolean readsOnceWhereItWrites(int node, int owner) {
        int reads = 0;
        boolean allowed = true;
        for (int slot = 0; slot < graph.endSlot(node) - graph.firstSlot(node); slot++) {
            int source = graph.sourceAt(graph.firstSlot(node) + slot);
            if (source != owner && (source == Graph.NO_ID || graph.viewSource(source) != owner)) {
                continue;
            }
            reads++;
            Tensor operand = graph.tensor(source);
            allowed &= inPlace.allow(graph.op(node), slot)
                    && operand.viewOffset() == 0
                    && operand.layout().equals(graph.tensor(node).layout());
        }
        return reads == 1 && allowed;
    }

    private boolean liesTogether(int a, int b) {
        return request.firstWithSameType(plan.buffer(a)) == request.firstWithSameType(plan.buffer(b))
                && plan.chunk(a) == plan.chunk(b)
                && plan.offset(a) == plan.offset(b);
    }

    private String name(int id) {
        return (graph.isNode(id) ? "node " + id + " '" : "'") + graph.label(id) + "'";
    }

    private void report(PlanViolation.Kind kind, int id, String what) {
        violations.add(new PlanViolation(kind, id, name(id) + " " + what));
    }
}
