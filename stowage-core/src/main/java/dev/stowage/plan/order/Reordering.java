package dev.stowage.plan.order;

import dev.stowage.graph.Graph;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.Planner;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A graph in an order that needs less memory. Data dependencies, views and writes to shared bytes are kept, so results
 * do not change. Without a better order the graph stays as it was.
 *
 * {@snippet :
 * Reordering better = Reordering.of(PlanRequest.of(graph, type), Planner.tight());
 * long saved = better.saved();
 * allocator.bind(better.graph());
 * }
 */
public final class Reordering {

    /** The search budget: attempts times nodes. */
    private static final long EFFORT = 2_000_000;

    private final int[] order;
    private final MemoryPlan before;
    private final MemoryPlan after;

    private Reordering(int[] order, MemoryPlan before, MemoryPlan after) {
        this.order = order;
        this.before = before;
        this.after = after;
    }

    /** Searches an order in which the planner needs less memory. */
    public static Reordering of(PlanRequest request, Planner planner) {
        MemoryPlan before = planner.plan(request);
        int nodes = request.graph().nodeCount();
        int[] now = IntStream.range(0, nodes).toArray();
        NodeDependencies dependencies = new NodeDependencies(request);
        if (!dependencies.isOrderMeant()) {
            OrderCost cost = new OrderCost(request, planner.inPlace());
            int[] found = best(dependencies, cost, now);
            if (cost.of(found) < cost.of(now)) {
                MemoryPlan after = planner.plan(request.inOrder(found));
                if (after.size() < before.size()) {
                    return new Reordering(found, before, after);
                }
            }
        }
        return new Reordering(now, before, before);
    }

    private static int[] best(NodeDependencies dependencies, OrderCost cost, int[] now) {
        List<int[]> starts = List.of(
                now,
                GreedyNodeOrder.of(dependencies, cost, GreedyNodeOrder.Preference.LEAST_AFTER),
                GreedyNodeOrder.of(dependencies, cost, GreedyNodeOrder.Preference.LEAST_DURING),
                DepthOrder.of(dependencies, cost));
        int[] best = now;
        for (int[] start : starts) {
            int[] found = OrderImprovement.of(dependencies, cost, start, EFFORT / Math.max(1, now.length));
            best = cost.of(found) < cost.of(best) ? found : best;
        }
        return best;
    }

    /** The former number of each node, in the new order. */
    public int[] order() {
        return order.clone();
    }

    public Graph graph() {
        return after.graph();
    }

    public MemoryPlan plan() {
        return after;
    }

    public long sizeBefore() {
        return before.size();
    }

    /** The bytes saved; 0 if no better order was found. */
    public long saved() {
        return before.size() - after.size();
    }

    /** How many nodes have a new position. */
    public int movedNodes() {
        return (int) IntStream.range(0, order.length)
                .filter(position -> order[position] != position)
                .count();
    }

    @Override
    public String toString() {
        return "Reordering[" + movedNodes() + " of " + order.length + " nodes, saves " + saved() + " of " + sizeBefore()
                + " bytes]";
    }
}
