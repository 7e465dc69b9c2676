package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Which operands a result may overwrite, given the kernels that will run the plan. Planners keep to these rules.
 *
 * <pre>
 *   none()  within  ggml()  within  kernels()
 * </pre>
 *
 * Rules depend on ops and operand slots only. Planners also check that the operand is at its last use and has the
 * offset and layout of the result.
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

    /** No result overwrites an operand. */
    public static InPlaceRules none() {
        return NONE;
    }

    /** ggml's rule: any operand of the ops that {@linkplain Op#canWorkInPlace() can work in place}. */
    public static InPlaceRules ggml() {
        return GGML;
    }

    /** What all kernels must support: the operands that ops {@linkplain Op#mayOverwrite may overwrite}. */
    public static InPlaceRules kernels() {
        return KERNELS;
    }

    /** The same without some ops, for backends whose kernels cannot compute them in place. */
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
     * Whether ops and layouts allow a node to take the place of a tensor: it reads the tensor once, directly or through
     * a view at offset 0, in a slot that may be overwritten, and in the layout of the result.
     */
    public boolean allow(Graph graph, int node, int owner) {
        int found = Graph.NO_ID;
        for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && graph.root(source) == owner) {
                if (found != Graph.NO_ID) {
                    return false;
                }
                found = slot;
            }
        }
        if (found == Graph.NO_ID) {
            return false;
        }
        Tensor operand = graph.tensor(graph.sourceAt(found));
        return !graph.isInPlaceForbidden(node)
                && allow(graph.op(node), found - graph.firstSlot(node))
                && operand.viewOffset() == 0
                && operand.layout().equals(graph.tensor(node).layout());
    }

    @Override
    public String toString() {
        return excluded.isEmpty() ? name : name + " without " + excluded;
    }
}
