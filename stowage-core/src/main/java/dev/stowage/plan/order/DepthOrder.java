package dev.stowage.plan.order;

import dev.stowage.internal.IntList;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.stream.IntStream;

/**
 * An order found from the ends of a graph backwards: what a node needs is computed right before it, the most demanding
 * branch first, while little else is live. On a tree this is the best there is (Sethi and Ullman's numbering); on other
 * graphs it is a good start.
 */
final class DepthOrder {

    private final NodeDependencies dependencies;
    private final TensorUses tensors;
    private final long[] demand;
    private final long[] left;

    private DepthOrder(NodeDependencies dependencies, TensorUses tensors) {
        this.dependencies = dependencies;
        this.tensors = tensors;
        this.demand = new long[dependencies.nodes()];
        this.left = new long[dependencies.nodes()];
    }

    static int[] of(NodeDependencies dependencies, TensorUses tensors) {
        DepthOrder depth = new DepthOrder(dependencies, tensors);
        for (int node = 0; node < dependencies.nodes(); node++) {
            depth.estimate(node);
        }
        return depth.order();
    }

    /** What must be live at once to compute a node, and what is left after it, as if nobody else needed its sources. */
    private void estimate(int node) {
        long held = 0;
        long most = 0;
        for (Iterator<Integer> branches = branches(node); branches.hasNext(); ) {
            int branch = branches.next();
            most = Math.max(most, held + demand[branch]);
            held += left[branch];
        }
        left[node] = tensors.begins(node) ? tensors.bytes(node) : 0;
        demand[node] = Math.max(most, held + left[node]);
    }

    /** What must run before a node, what needs the most besides its result first. */
    private Iterator<Integer> branches(int node) {
        IntList before = dependencies.before(node);
        return IntStream.range(0, before.size())
                .mapToObj(before::get)
                .sorted(Comparator.comparingLong(branch -> left[branch] - demand[branch]))
                .iterator();
    }

    /** A node, and those of its branches that have not been run yet. */
    private record Pending(int node, Iterator<Integer> branches) {}

    /** Keeps its own stack, so that a long chain is as good as a short one. */
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
