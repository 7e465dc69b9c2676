package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Which results may be computed in the place of an operand: what the kernels that will run a plan are known to get
 * right. A planner that is told to keep to rules gives no result an operand's place against them.
 *
 * <pre>
 *   none()  within  ggml()  within  kernels()
 * </pre>
 *
 * Rules speak of ops and operands alone. Whether anybody still needs the operand is a matter of the graph, and
 * whether it begins and lies like the result is always asked.
 */
public final class InPlaceRules {

    /** The operands that may be overwritten, by op and slot. */
    @FunctionalInterface
    private interface Operands {
        boolean include(Op op, int slot);
    }

    private static final InPlaceRules NONE = new InPlaceRules("none", (_, _) -> false, Set.of());
    private static final InPlaceRules GGML = new InPlaceRules("ggml", (op, _) -> op.canWorkInPlace(), Set.of());
    private static final InPlaceRules KERNELS = new InPlaceRules("kernels", Op::mayOverwrite, Set.of());

    private final String name;
    private final Operands allowed;
    private final Set<Op> excluded;

    private InPlaceRules(String name, Operands allowed, Set<Op> excluded) {
        this.name = name;
        this.allowed = allowed;
        this.excluded = excluded;
    }

    /** Every result in a place of its own. */
    public static InPlaceRules none() {
        return NONE;
    }

    /** What ggml does: any operand of the ops that {@linkplain Op#canWorkInPlace() can work in place}. */
    public static InPlaceRules ggml() {
        return GGML;
    }

    /** All that kernels must be right with: the operands that their ops {@linkplain Op#mayOverwrite may overwrite}. */
    public static InPlaceRules kernels() {
        return KERNELS;
    }

    /** The same without some ops, for a backend whose kernels of these ops need a place for their result. */
    public InPlaceRules without(Op... ops) {
        Set<Op> more = EnumSet.noneOf(Op.class);
        more.addAll(excluded);
        more.addAll(List.of(ops));
        return new InPlaceRules(name, allowed, more);
    }

    /** Whether a result of that op may take the place of the operand in that slot. */
    public boolean allow(Op op, int slot) {
        return allowed.include(op, slot) && !excluded.contains(op);
    }

    /**
     * Whether a node may take the place of a tensor, for all that ops and layouts say: the node reads it once, itself or
     * through a view from its first byte on, in a slot that may be overwritten, and in the layout of the result.
     */
    public boolean allow(Graph graph, int node, int owner) {
        int found = Graph.NO_ID;
        for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
            int source = graph.sourceAt(slot);
            if (source == owner || (source != Graph.NO_ID && graph.viewSource(source) == owner)) {
                if (found != Graph.NO_ID) {
                    return false;
                }
                found = slot;
            }
        }
        return found != Graph.NO_ID
                && !graph.isInPlaceForbidden(node)
                && allow(graph.op(node), found - graph.firstSlot(node))
                && liesLike(graph.tensor(graph.sourceAt(found)), graph.tensor(node));
    }

    private static boolean liesLike(Tensor operand, Tensor result) {
        return operand.viewOffset() == 0 && operand.layout().equals(result.layout());
    }

    @Override
    public String toString() {
        return excluded.isEmpty() ? name : name + " without " + excluded;
    }
}
