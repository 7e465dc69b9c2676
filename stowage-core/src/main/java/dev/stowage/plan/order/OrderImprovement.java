package dev.stowage.plan.order;

import dev.stowage.internal.IntList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Local search on an order. At the peak it tries, for the largest tensors that are live but not used there, to compute
 * them later or to read them earlier, and keeps what lowers the cost, until nothing does.
 *
 * <pre>
 *   a  b  c  P  d  e        a is live at the peak P, and only e reads it
 *   b  c  P  a  d  e        so a, and what only a needs, can run after P
 * </pre>
 */
final class OrderImprovement {

    /** How many tensors are tried per peak. */
    private static final int TRIED_PER_PEAK = 16;

    private final NodeDependencies dependencies;
    private final OrderCost cost;
    private final int[] positions;
    private long attemptsLeft;
    private int[] order;
    private long best;
    private int peak;

    private OrderImprovement(NodeDependencies dependencies, OrderCost cost, int[] order, long attempts) {
        this.dependencies = dependencies;
        this.cost = cost;
        this.positions = new int[order.length];
        this.attemptsLeft = attempts;
        keep(order, cost.of(order));
    }

    /** The best order found from {@code order} within the attempts. */
    static int[] of(NodeDependencies dependencies, OrderCost cost, int[] order, long attempts) {
        OrderImprovement improvement = new OrderImprovement(dependencies, cost, order, attempts);
        boolean improved = true;
        while (improved) {
            improved = improvement.peak >= 0 && improvement.improve();
        }
        return improvement.order;
    }

    private void keep(int[] newOrder, long newCost) {
        order = newOrder;
        best = newCost;
        peak = cost.peakAt();
        for (int position = 0; position < order.length; position++) {
            positions[order[position]] = position;
        }
    }

    private boolean improve() {
        for (int owner : waitingAtPeak()) {
            if (computeLater(owner) || readEarlier(owner)) {
                return true;
            }
        }
        return false;
    }

    /** The tensors live at the peak and not used there, largest first. */
    private int[] waitingAtPeak() {
        int[] firsts = new int[cost.tensors()];
        int[] lasts = new int[cost.tensors()];
        Arrays.fill(firsts, order.length);
        Arrays.fill(lasts, -1);
        for (int position = 0; position < order.length; position++) {
            IntList touched = cost.touched(order[position]);
            for (int i = 0; i < touched.size(); i++) {
                int owner = touched.get(i);
                firsts[owner] = Math.min(firsts[owner], position);
                lasts[owner] = position;
            }
        }
        IntList here = cost.touched(order[peak]);
        for (int i = 0; i < here.size(); i++) {
            lasts[here.get(i)] = -1;
        }
        return IntStream.range(0, firsts.length)
                .filter(owner -> firsts[owner] < peak && lasts[owner] > peak)
                .boxed()
                .sorted(Comparator.comparingLong((Integer owner) -> -cost.bytes(owner)))
                .limit(TRIED_PER_PEAK)
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Tries to move the node that computes a tensor after the peak, alone and with what only it needs. */
    private boolean computeLater(int owner) {
        if (owner >= order.length) {
            return false;
        }
        boolean[] moved = new boolean[order.length];
        moved[owner] = true;
        for (int position = positions[owner] + 1; position <= peak; position++) {
            moved[order[position]] = dependencies.before(order[position]).anyMatch(node -> moved[node]);
        }
        if (moved[order[peak]]) {
            return false;
        }
        if (accept(delayed(moved))) {
            return true;
        }
        for (int position = peak - 1; position >= 0; position--) {
            IntList after = dependencies.after(order[position]);
            moved[order[position]] |= after.anyMatch(node -> moved[node])
                    && !after.anyMatch(node -> !moved[node] && positions[node] <= peak);
        }
        return accept(delayed(moved));
    }

    /** Tries to move all readers of a tensor, and what they need, before the peak. */
    private boolean readEarlier(int owner) {
        boolean[] moved = new boolean[order.length];
        for (int position = order.length - 1; position >= peak; position--) {
            int node = order[position];
            moved[node] = cost.touched(node).contains(owner)
                    || dependencies.after(node).anyMatch(later -> moved[later]);
        }
        return !moved[order[peak]] && accept(advanced(moved));
    }

    /** The moved nodes right after the peak, everything else as it was. */
    private int[] delayed(boolean[] moved) {
        return partition(position -> position <= peak && !moved[order[position]]);
    }

    /** The moved nodes right before the peak, everything else as it was. */
    private int[] advanced(boolean[] moved) {
        return partition(position -> position < peak || moved[order[position]]);
    }

    /** The nodes at positions that match first, the others after them. */
    private int[] partition(IntPredicate isFirst) {
        IntStream first = IntStream.range(0, order.length).filter(isFirst);
        IntStream rest = IntStream.range(0, order.length).filter(isFirst.negate());
        return IntStream.concat(first, rest).map(position -> order[position]).toArray();
    }

    private boolean accept(int[] candidate) {
        if (attemptsLeft-- <= 0) {
            return false;
        }
        long candidateCost = cost.of(candidate);
        if (candidateCost < best) {
            keep(candidate, candidateCost);
            return true;
        }
        return false;
    }
}
