package dev.stowage.plan.order;

import dev.stowage.graph.Graph;
import dev.stowage.internal.ByteSums;
import dev.stowage.internal.IntList;
import dev.stowage.plan.InPlaceRules;
import dev.stowage.plan.Liveness;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.tight.InPlaceChains;
import dev.stowage.plan.tight.InPlaceChoice;
import java.util.Arrays;

/**
 * The cost of an order of nodes: the sum over all memories of the most bytes live at once, with results in place
 * wherever the rules allow. This is the lower bound of a plan for that order, found in one pass without building a
 * graph.
 *
 * <p>A node <em>touches</em> the planned tensors that it reads or writes, directly or through views.
 */
final class OrderCost {

    private final Graph graph;
    private final Liveness liveness;
    private final InPlaceChains tensors;
    private final IntList[] touched;
    private final IntList[] overwritable;
    private final int[] uses;
    private final int[] usesLeft;
    private final long[] live;
    private final long[] peaks;
    private int peakAt;

    OrderCost(PlanRequest request, InPlaceRules inPlace) {
        this.graph = request.graph();
        this.liveness = Liveness.of(graph);
        this.tensors = InPlaceChains.of(request, liveness, InPlaceRules.none(), InPlaceChoice.FIRST);
        this.touched = IntList.empty(graph.nodeCount());
        this.overwritable = IntList.empty(graph.nodeCount());
        this.uses = new int[graph.size()];
        this.usesLeft = new int[graph.size()];
        this.live = new long[request.bufferCount()];
        this.peaks = new long[request.bufferCount()];
        for (int node = 0; node < graph.nodeCount(); node++) {
            touch(node, node);
            for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                if (graph.sourceAt(slot) != Graph.NO_ID) {
                    touch(node, graph.sourceAt(slot));
                }
            }
            findOverwritable(node, inPlace);
        }
    }

    private void touch(int node, int id) {
        int owner = graph.root(id);
        if (tensors.isPlanned(owner) && !touched[node].contains(owner)) {
            touched[node].add(owner);
            uses[owner]++;
        }
    }

    /** Finds the tensors that the result of a node may overwrite at their last use. */
    private void findOverwritable(int node, InPlaceRules inPlace) {
        for (int i = 0; i < touched[node].size() && begins(node); i++) {
            int owner = touched[node].get(i);
            if (owner != node
                    && !isKept(owner)
                    && tensors.isAsLarge(owner, node)
                    && inPlace.allow(graph, node, owner)) {
                overwritable[node].add(owner);
            }
        }
    }

    /** How many tensors there are, planned or not. */
    int tensors() {
        return uses.length;
    }

    /** The planned tensors that a node touches, each once. */
    IntList touched(int node) {
        return touched[node];
    }

    /** Whether a node is allocated when it runs; views and inputs are not. */
    boolean begins(int node) {
        return tensors.isPlanned(node) && liveness.from(node) == node;
    }

    private boolean isThereFromTheStart(int id) {
        return tensors.isPlanned(id) && liveness.from(id) == Liveness.BEFORE;
    }

    private boolean isKept(int owner) {
        return liveness.keptTo(owner) == graph.nodeCount();
    }

    /** The bytes that a planned tensor takes. */
    long bytes(int owner) {
        return tensors.padded(owner);
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
        System.arraycopy(uses, 0, usesLeft, 0, uses.length);
        for (int id = 0; id < usesLeft.length; id++) {
            if (isThereFromTheStart(id)) {
                live[tensors.memory(id)] += bytes(id);
            }
        }
        System.arraycopy(live, 0, peaks, 0, live.length);
        for (int id = 0; id < usesLeft.length; id++) {
            if (isThereFromTheStart(id) && usesLeft[id] == 0 && !isKept(id)) {
                live[tensors.memory(id)] -= bytes(id);
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
        for (int i = 0; i < touched[node].size(); i++) {
            int owner = touched[node].get(i);
            if (--usesLeft[owner] == 0 && !isKept(owner) && owner != overwritten) {
                live[tensors.memory(owner)] -= bytes(owner);
            }
        }
    }

    /** The tensor that a node overwrites if it runs now, or {@link Graph#NO_ID}. */
    private int overwritten(int node) {
        IntList candidates = overwritable[node];
        for (int i = 0; i < candidates.size(); i++) {
            if (usesLeft[candidates.get(i)] == 1) {
                return candidates.get(i);
            }
        }
        return Graph.NO_ID;
    }

    /** The bytes a node allocates if it runs next. */
    long taken(int node) {
        return begins(node) && overwritten(node) == Graph.NO_ID ? bytes(node) : 0;
    }

    /** The bytes a node frees if it runs next. */
    long freed(int node) {
        int overwritten = overwritten(node);
        long bytes = 0;
        for (int i = 0; i < touched[node].size(); i++) {
            int owner = touched[node].get(i);
            bytes += usesLeft[owner] == 1 && !isKept(owner) && owner != overwritten ? bytes(owner) : 0;
        }
        return bytes;
    }
}
