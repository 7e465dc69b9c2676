package dev.stowage.plan.order;

import dev.stowage.internal.IntList;
import java.util.NavigableSet;
import java.util.TreeSet;

/** A greedy order: of the nodes that can run, the one that leaves the least live; the earlier of equals. */
final class GreedyNodeOrder {

    /** How many ready nodes are compared; wide graphs have thousands. */
    private static final int WINDOW = 64;

    /** How ready nodes are ranked. */
    enum Preference {
        /** The least live bytes after it. */
        LEAST_AFTER,
        /** The least live bytes while it runs, unless it frees as much as it takes. */
        LEAST_DURING
    }

    private final NodeDependencies dependencies;
    private final OrderCost cost;
    private final Preference preference;
    private final NavigableSet<Integer> ready = new TreeSet<>();

    private GreedyNodeOrder(NodeDependencies dependencies, OrderCost cost, Preference preference) {
        this.dependencies = dependencies;
        this.cost = cost;
        this.preference = preference;
    }

    static int[] of(NodeDependencies dependencies, OrderCost cost, Preference preference) {
        return new GreedyNodeOrder(dependencies, cost, preference).order();
    }

    private int[] order() {
        int[] order = new int[dependencies.nodes()];
        int[] waitingFor = new int[order.length];
        for (int node = 0; node < order.length; node++) {
            waitingFor[node] = dependencies.before(node).size();
            if (waitingFor[node] == 0) {
                ready.add(node);
            }
        }
        cost.begin();
        for (int position = 0; position < order.length; position++) {
            int node = best();
            ready.remove(node);
            order[position] = node;
            cost.next(node);
            IntList after = dependencies.after(node);
            for (int i = 0; i < after.size(); i++) {
                if (--waitingFor[after.get(i)] == 0) {
                    ready.add(after.get(i));
                }
            }
        }
        return order;
    }

    private int best() {
        int best = ready.first();
        long bestRank = Long.MAX_VALUE;
        int seen = 0;
        for (int node : ready) {
            long taken = cost.taken(node);
            long more = taken - cost.freed(node);
            long rank = preference == Preference.LEAST_AFTER || more <= 0 ? more : taken;
            if (rank < bestRank) {
                best = node;
                bestRank = rank;
            }
            if (++seen == WINDOW) {
                break;
            }
        }
        return best;
    }
}
