package dev.stowage.plan.tight;

import dev.stowage.graph.Graph;
import dev.stowage.plan.InPlaceRules;
import dev.stowage.plan.Liveness;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.Planner;
import dev.stowage.plan.TightOptions;
import java.util.List;

/**
 * Plans for little memory: computes in place wherever kernels allow it, also through views, then packs the rest as
 * rectangles in time and memory, one memory at a time. Falls back to ggml's plan, so it never needs more, except for
 * outputs that are views of a tensor ggml would free, whose bytes are kept here.
 *
 * <ol>
 *   <li>{@link Liveness}: the live range of each tensor
 *   <li>{@link InPlaceChains}: which tensors share a place
 *   <li>{@link PackedChains}: the place of each chain
 * </ol>
 */
public final class TightPlanner implements Planner {

    public static final String NAME = "tight";

    /** Larger graphs take seconds to pack, and are packed once. */
    private static final int MOST_TO_RETRY = 10_000;

    public static final TightPlanner STANDARD = new TightPlanner(TightOptions.standard());

    private final TightOptions options;

    public TightPlanner(TightOptions options) {
        this.options = options;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public InPlaceRules inPlace() {
        return options.inPlace();
    }

    @Override
    public MemoryPlan plan(PlanRequest request) {
        MemoryPlan compatible = Planner.ggml().plan(request);
        Liveness liveness = Liveness.of(request.graph());
        PackedChains best = packed(request, liveness, InPlaceChoice.OLDEST);
        for (InPlaceChoice choice : List.of(InPlaceChoice.YOUNGEST, InPlaceChoice.FIRST)) {
            // However a result chooses among operands, the lower bound is the same.
            if (best.size() > best.lowerBound() && request.graph().nodeCount() <= MOST_TO_RETRY) {
                PackedChains other = packed(request, liveness, choice);
                best = other.size() < best.size() ? other : best;
            }
        }
        return compatible.size() < best.size() && isAsGood(compatible, liveness)
                ? compatible.withPlanner(NAME)
                : best.plan(NAME);
    }

    private PackedChains packed(PlanRequest request, Liveness liveness, InPlaceChoice choice) {
        InPlaceChains chains = InPlaceChains.of(request, liveness, options.inPlace(), choice);
        return new PackedChains(request, chains, options.steps());
    }

    /**
     * Whether ggml's plan can be used: it keeps to the in-place rules, overwrites no output view, and places no
     * external tensor only at its first read.
     */
    private boolean isAsGood(MemoryPlan compatible, Liveness liveness) {
        Graph graph = compatible.graph();
        for (int id = 0; id < graph.size(); id++) {
            int operand = compatible.inPlaceOf(id);
            boolean allowed = operand == Graph.NO_ID || options.inPlace().allow(graph, id, operand);
            boolean comesLate = graph.isExternal(id) && compatible.isPlanned(id);
            if (!allowed || comesLate || liveness.keptTo(id) != liveness.to(id)) {
                return false;
            }
        }
        return true;
    }
}
