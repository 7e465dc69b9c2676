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
 * Plans for little memory. Knowing the whole graph, it first lowers what must be live at once, by computing in place
 * wherever kernels allow it, views included; then it packs what is left as rectangles in time and memory, each kind of
 * memory by itself. It takes ggml's plan where nothing better is found, so it never needs more; only an output that is
 * a view of a tensor ggml would let go of can cost more, because here its bytes are kept.
 *
 * <ol>
 *   <li>{@link Liveness}: when is each tensor needed
 *   <li>{@link InPlaceChains}: which tensors share a place
 *   <li>{@link PackedChains}: where does each chain lie
 * </ol>
 */
public final class TightPlanner implements Planner {

    public static final String NAME = "tight";

    /** Packing takes seconds from some size on, and is done only once then. */
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
        for (InPlaceChoice takeover : List.of(InPlaceChoice.YOUNGEST, InPlaceChoice.FIRST)) {
            // However a result chooses among operands, the lower bound is the same.
            if (best.size() > best.lowerBound() && request.graph().nodeCount() <= MOST_TO_RETRY) {
                PackedChains other = packed(request, liveness, takeover);
                best = other.size() < best.size() ? other : best;
            }
        }
        return compatible.size() < best.size() && isAsGood(compatible, liveness)
                ? compatible.withPlanner(NAME)
                : best.plan(NAME);
    }

    private PackedChains packed(PlanRequest request, Liveness liveness, InPlaceChoice takeover) {
        InPlaceChains chains = InPlaceChains.of(request, liveness, options.inPlace(), takeover);
        return PackedChains.of(request, chains, options.steps());
    }

    /**
     * Whether ggml's plan is good enough to be taken: it computes nothing in place that must not be, overwrites no output
     * that is a view, and gives nothing a place only when it is read that has its bytes from the start.
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
