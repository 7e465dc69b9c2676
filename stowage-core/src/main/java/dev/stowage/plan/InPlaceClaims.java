package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;

/**
 * Checks results that a plan computes in the place of a tensor: the result is placed there, no later node needs the
 * tensor, and the kernel that reads it supports overwriting it.
 */
final class InPlaceClaims {

    private final MemoryPlan plan;
    private final Graph graph;
    private final Liveness liveness;
    private final InPlaceRules rules;

    InPlaceClaims(MemoryPlan plan, Liveness liveness, InPlaceRules rules) {
        this.plan = plan;
        this.graph = plan.graph();
        this.liveness = liveness;
        this.rules = rules;
    }

    /** Whether a tensor may be, and is, computed in the place of {@code owner}. */
    boolean isGood(int id, int owner) {
        return graph.isNode(id)
                && id != owner
                && hasPlace(owner)
                && !graph.isInPlaceForbidden(id)
                && liveness.from(id) == id
                && liveness.to(owner) == id
                && areTogether(id, owner)
                && readsOnceWhereItWrites(id, owner);
    }

    /** Whether the id is valid and its tensor is placed in a buffer of the plan. */
    private boolean hasPlace(int id) {
        return id >= 0 && id < graph.size() && plan.buffer(id) >= 0 && plan.buffer(id) < plan.bufferCount();
    }

    private boolean areTogether(int a, int b) {
        PlanRequest request = plan.request();
        return request.firstWithSameType(plan.buffer(a)) == request.firstWithSameType(plan.buffer(b))
                && plan.chunk(a) == plan.chunk(b)
                && plan.offset(a) == plan.offset(b);
    }

    /**
     * Whether a node reads a tensor through one operand, which it may overwrite and which has the layout of the result.
     */
    private boolean readsOnceWhereItWrites(int node, int owner) {
        int reads = 0;
        boolean allowed = true;
        for (int slot = 0; slot < graph.endSlot(node) - graph.firstSlot(node); slot++) {
            int source = graph.sourceAt(graph.firstSlot(node) + slot);
            if (source != Graph.NO_ID && graph.root(source) == owner) {
                reads++;
                Tensor operand = graph.tensor(source);
                allowed &= rules.allow(graph.op(node), slot)
                        && operand.viewOffset() == 0
                        && operand.layout().equals(graph.tensor(node).layout());
            }
        }
        return reads == 1 && allowed;
    }
}
