package dev.stowage.plan.order;

import dev.stowage.internal.IntList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Makes an order better step by step. It looks at the node where the most is live, and at the largest tensors that are
 * live there and not needed there: it tries to compute them later, or to run what reads them earlier. What costs less is
 * kept, until nothing does.
 *
 * <pre>
 *   a  b  c  P  d  e        a is live at the peak P, and only e reads it
 *   b  c  P  a  d  e        so a, and what only a needs, can run after P
 * </pre>
 */
final class OrderImprovement {

    /** How many of the tensors at a peak are tried. */
    private static final int TRIED_PER_PEAK = 16;

    private final NodeDependencies dependencies;
    private final OrderCost cost;
    private final TensorUses tensors;
    private final int[] positions;
    private long attemptsLeft;
    private int[] order;
    private long best;
    private int peak;

    private OrderImprovement(NodeDependencies dependencies, OrderCost cost, int[] order, long attempts) {
        this.dependencies = dependencies;
        this.cost = cost;
        this.tensors = cost.tensors();
        this.positions = new int[order.length];
        this.attemptsLeft = attempts;
        keep(order, cost.of(order));
    }

    /** The best order found from that one on with so many attempts. */
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

    /** What is live at the peak and not needed there, largest first. */
    private int[] waitingAtPeak() {
        int[] firsts = new int[tensors.tensors()];
        int[] lasts = new int[tensors.tensors()];
        Arrays.fill(firsts, order.length);
        Arrays.fill(lasts, -1);
        for (int position = 0; position < order.length; position++) {
            IntList touched = tensors.touched(order[position]);
            for (int i = 0; i < touched.size(); i++) {
                int owner = touched.get(i);
                firsts[owner] = Math.min(firsts[owner], position);
                lasts[owner] = position;
            }
        }
        IntList here = tensors.touched(order[peak]);
        for (int i = 0; i < here.size(); i++) {
            lasts[here.get(i)] = -1;
        }
        return IntStream.range(0, firsts.length)
                .filter(owner -> firsts[owner] < peak && lasts[owner] > peak)
                .boxed()
                .sorted(Comparator.comparingLong((Integer owner) -> -tensors.bytes(owner)))
                .limit(TRIED_PER_PEAK)
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Tries to run the node that computes a tensor after the peak, alone and with what only it needs. */
    private boolean computeLater(int owner) {
        if (owner >= order.length) {
            return false;
        }
        boolean[] moved = new boolean[order.length];
        moved[owner] = true;
        for (int position = positions[owner] + 1; position <= peak; position++) {
            moved[order[position]] = anyOf(dependencies.before(order[position]), moved);
        }
        if (moved[order[peak]]) {
            return false;
        }
        if (accept(delayed(moved))) {
            return true;
        }
        for (int position = peak - 1; position >= 0; position--) {
            IntList after = dependencies.after(order[position]);
            moved[order[position]] |= anyOf(after, moved) && allMovedOrBehindPeak(after, moved);
        }
        return accept(delayed(moved));
    }

    /** Tries to run all that reads a tensor before the peak, and with it what it needs in between. */
    private boolean readEarlier(int owner) {
        boolean[] moved = new boolean[order.length];
        for (int position = order.length - 1; position >= peak; position--) {
            int node = order[position];
            moved[node] = tensors.touched(node).contains(owner) || anyOf(dependencies.after(node), moved);
        }
        return !moved[order[peak]] && accept(advanced(moved));
    }

    private boolean allMovedOrBehindPeak(IntList nodes, boolean[] moved) {
        for (int i = 0; i < nodes.size(); i++) {
            if (!moved[nodes.get(i)] && positions[nodes.get(i)] <= peak) {
                return false;
            }
        }
        return true;
    }

    private static boolean anyOf(IntList nodes, boolean[] moved) {
        for (int i = 0; i < nodes.size(); i++) {
            if (moved[nodes.get(i)]) {
                return true;
            }
        }
        return false;
    }

    /** Those that are moved right behind the peak, everything else as it was. */
    private int[] delayed(boolean[] moved) {
        int[] result = new int[order.length];
        int count = 0;
        for (int position = 0; position <= peak; position++) {
            if (!moved[order[position]]) {
                result[count++] = order[position];
            }
        }
        for (int position = 0; position < order.length; position++) {
            if (moved[order[position]] || position > peak) {
                result[count++] = order[position];
            }
        }
        return result;
    }

    /** Those that are moved right before the peak, everything else as it was. */
    private int[] advanced(boolean[] moved) {
        int[] result = new int[order.length];
        int count = 0;
        for (int position = 0; position < order.length; position++) {
            if (moved[order[position]] || position < peak) {
                result[count++] = order[position];
            }
        }
        for (int position = peak; position < order.length; position++) {
            if (!moved[order[position]]) {
                result[count++] = order[position];
            }
        }
        return result;
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
