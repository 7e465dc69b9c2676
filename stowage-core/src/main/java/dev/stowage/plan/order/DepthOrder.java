package dev.stowage.plan.order;

import dev.stowage.internal.IntList;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.stream.IntStream;

/**
 * A depth-first order from the ends of a graph: the operands of a node are computed right before it, the branch with
 * the largest peak first. Optimal on trees (Sethi and Ullman); a good start on other graphs.
 */
final class DepthOrder {

    private final NodeDependencies dependencies;
    private final OrderCost cost;
    private final long[] demand;
    private final long[] left;

    private DepthOrder(NodeDependencies dependencies, OrderCost cost) {
        this.dependencies = dependencies;
        this.cost = cost;
        this.demand = new long[dependencies.nodes()];
        this.left = new long[dependencies.nodes()];
    }

    static int[] of(NodeDependencies dependencies, OrderCost cost) {
        DepthOrder depth = new DepthOrder(dependencies, cost);
        for (int node = 0; node < dependencies.nodes(); node++) {
            depth.estimate(node);
        }
        return depth.order();
    }

    /** The peak of computing a node, and the bytes left after it, as if no other node needed its sources. */
    private void estimate(int node) {
        long held = 0;
        long most = 0;
        for (Iterator<Integer> branches = branches(node); branches.hasNext(); ) {
            int branch = branches.next();
            most = Math.max(most, held + demand[branch]);
            held += left[branch];
        }
        left[node] = cost.begins(node) ? cost.bytes(node) : 0;
        demand[node] = Math.max(most, held + left[node]);
    }

    /** The nodes required before a node, the largest peak beyond its result first. */
    private Iterator<Integer> branches(int node) {
        IntList before = dependencies.before(node);
        return IntStream.range(0, before.size())
                .mapToObj(before::get)
                .sorted(Comparator.comparingLong(branch -> left[branch] - demand[branch]))
                .iterator();
    }

    /** A node and its branches that have not run yet. */
    private record Pending(int node, Iterator<Integer> branches) {}

    /** Uses an explicit stack, so that long chains do not overflow. */
    private int[] order() {
        int[] order = new int[dependencies.nodes()];
        boolean[] entered = new boolean[order.length];
        int count = 0;
        Deque<Pending> path = new ArrayDeque<>();
        for (int end = 0; end < order.length; end++) {
            if (dependencies.after(end).size() > 0) {
                continue;
            }
            path.push(new Pending(end, branches(end)));
            while (!path.isEmpty()) {
                Pending top = path.element();
                if (!top.branches().hasNext()) {
                    order[count++] = path.pop().node();
                    continue;
                }
                int branch = top.branches().next();
                if (!entered[branch]) {
                    entered[branch] = true;
                    path.push(new Pending(branch, branches(branch)));
                }
            }
        }
        return order;
    }
}
