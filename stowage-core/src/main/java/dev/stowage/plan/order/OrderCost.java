package dev.stowage.plan.order;

import dev.stowage.graph.Graph;
import dev.stowage.internal.ByteSums;
import dev.stowage.internal.IntList;
import dev.stowage.plan.InPlaceRules;
import dev.stowage.plan.Liveness;
import dev.stowage.plan.PlanRequest;
import java.util.Arrays;

/**
 * The cost of an order of nodes: the sum over all memories of the most bytes live at once, with results in place
 * wherever the rules allow. This is the lower bound of a plan for that order, found in one pass without building a
 * graph.
 */
final class OrderCost {

    private final TensorUses tensors;
    private final int[] usesLeft;
    private final long[] live;
    private final long[] peaks;
    private int peakAt;

    OrderCost(PlanRequest request, InPlaceRules inPlace) {
        this.tensors = new TensorUses(request, inPlace);
        this.usesLeft = new int[tensors.tensors()];
        this.live = new long[request.bufferCount()];
        this.peaks = new long[request.bufferCount()];
    }

    TensorUses tensors() {
        return tensors;
    }

    /** The cost of an order. */
    long of(int[] order) {
        begin();
        long highest = ByteSums.sum(live);
        peakAt = Liveness.BEFORE;
        for (int position = 0; position < order.length; position++) {
            take(order[position]);
            if (ByteSums.sum(live) > highest) {
                highest = ByteSums.sum(live);
                peakAt = position;
            }
            release(order[position]);
        }
        return ByteSums.sum(peaks);
    }

    /** The position of the peak over all memories in the order last evaluated. */
    int peakAt() {
        return peakAt;
    }

    /** Starts a run: leaves and inputs are live. */
    void begin() {
        Arrays.fill(live, 0);
        for (int id = 0; id < usesLeft.length; id++) {
            usesLeft[id] = tensors.uses(id);
            if (tensors.isThereFromTheStart(id)) {
                live[tensors.memory(id)] += tensors.bytes(id);
            }
        }
        System.arraycopy(live, 0, peaks, 0, live.length);
        for (int id = 0; id < usesLeft.length; id++) {
            if (tensors.isThereFromTheStart(id) && usesLeft[id] == 0 && !tensors.isKept(id)) {
                live[tensors.memory(id)] -= tensors.bytes(id);
            }
        }
    }

    /** Runs the next node. */
    void next(int node) {
        take(node);
        release(node);
    }

    private void take(int node) {
        long bytes = taken(node);
        if (bytes > 0) {
            int memory = tensors.memory(node);
            live[memory] += bytes;
            peaks[memory] = Math.max(peaks[memory], live[memory]);
        }
    }

    private void release(int node) {
        int overwritten = overwritten(node);
        for (int i = 0; i < tensors.touched(node).size(); i++) {
            int owner = tensors.touched(node).get(i);
            if (--usesLeft[owner] == 0 && !tensors.isKept(owner) && owner != overwritten) {
                live[tensors.memory(owner)] -= tensors.bytes(owner);
            }
        }
    }

    /** The tensor that a node overwrites if it runs now, or {@link Graph#NO_ID}. */
    private int overwritten(int node) {
        IntList candidates = tensors.overwritable(node);
        for (int i = 0; i < candidates.size(); i++) {
            if (usesLeft[candidates.get(i)] == 1) {
                return candidates.get(i);
            }
        }
        return Graph.NO_ID;
    }

    /** The bytes a node allocates if it runs next. */
    long taken(int node) {
        return tensors.begins(node) && overwritten(node) == Graph.NO_ID ? tensors.bytes(node) : 0;
    }

    /** The bytes a node frees if it runs next. */
    long freed(int node) {
        int overwritten = overwritten(node);
        long bytes = 0;
        for (int i = 0; i < tensors.touched(node).size(); i++) {
            int owner = tensors.touched(node).get(i);
            bytes += usesLeft[owner] == 1 && !tensors.isKept(owner) && owner != overwritten ? tensors.bytes(owner) : 0;
        }
        return bytes;
    }
}
