package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.internal.ByteSums;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The quality of a plan, derived from live ranges: the lower bound, what is live at the peak and why, and the saving
 * over a separate place for every tensor. Sizes are rounded to the alignment. Immutable.
 *
 * <p>A tensor that a result overwrites counts up to the node before, the result from its own node on.
 */
public final class PlanAnalysis {

    private final MemoryPlan plan;
    private final Graph graph;
    private final Liveness liveness;
    private final int[] lastCounted;
    private final long[] lowerBounds;
    private final int[] peakTimes;
    private final long sumOfSizes;

    PlanAnalysis(MemoryPlan plan) {
        this.plan = plan;
        this.graph = plan.graph();
        this.liveness = Liveness.of(graph);
        this.lastCounted = lastCounted();
        this.lowerBounds = new long[plan.bufferCount()];
        this.peakTimes = new int[plan.bufferCount()];
        long sum = 0;
        for (int id = 0; id < graph.size(); id++) {
            sum = plan.isPlanned(id) ? ByteSums.sum(sum, bytes(id)) : sum;
        }
        this.sumOfSizes = sum;
        Arrays.fill(peakTimes, Liveness.BEFORE);
        for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
            findPeak(buffer);
        }
    }

    private int[] lastCounted() {
        int[] last = new int[graph.size()];
        for (int id = 0; id < last.length; id++) {
            last[id] = liveness.to(id);
        }
        for (int id = 0; id < last.length; id++) {
            if (plan.inPlaceOf(id) != Graph.NO_ID) {
                last[plan.inPlaceOf(id)] = liveness.from(id) - 1;
            }
        }
        return last;
    }

    private void findPeak(int buffer) {
        // Slot 0 is the time before the first node, slot i + 1 is node i.
        long[] change = new long[graph.nodeCount() + 2];
        for (int id = 0; id < graph.size(); id++) {
            if (isIn(id, buffer)) {
                change[liveness.from(id) + 1] += bytes(id);
                change[Math.min(lastCounted[id] + 2, graph.nodeCount() + 1)] -= bytes(id);
            }
        }
        long live = 0;
        for (int slot = 0; slot <= graph.nodeCount(); slot++) {
            live += change[slot];
            if (live > lowerBounds[buffer]) {
                lowerBounds[buffer] = live;
                peakTimes[buffer] = slot - 1;
            }
        }
    }

    private boolean isIn(int id, int buffer) {
        return plan.isPlanned(id) && plan.request().firstWithSameType(plan.buffer(id)) == buffer;
    }

    private long bytes(int id) {
        return plan.request().padded(plan.buffer(id), plan.size(id));
    }

    public Liveness liveness() {
        return liveness;
    }

    /** The last node at which a tensor's bytes count: its last reader, or the node before it is overwritten. */
    public int lastCounted(int id) {
        return lastCounted[id];
    }

    /** The most bytes live at any node in a buffer: no plan with the same in-place results needs less. */
    public long lowerBound(int buffer) {
        return lowerBounds[buffer];
    }

    public long lowerBound() {
        return ByteSums.sum(lowerBounds);
    }

    /** Size over lower bound; 1 is optimal, and the value for an empty plan. */
    public double ratio() {
        long bound = lowerBound();
        return bound == 0 ? 1 : (double) plan.size() / bound;
    }

    /** The bytes needed without sharing any place. */
    public long sumOfSizes() {
        return sumOfSizes;
    }

    /** The node at the peak of a buffer, {@link Liveness#BEFORE} if that is before the first. */
    public int peakNode(int buffer) {
        return peakTimes[buffer];
    }

    /** The live tensors at the peak of a buffer, largest first. */
    public List<LiveTensor> liveAtPeak(int buffer) {
        int time = peakTimes[buffer];
        List<LiveTensor> live = new ArrayList<>();
        for (int id = 0; id < graph.size(); id++) {
            if (isIn(id, buffer) && liveness.from(id) <= time && time <= lastCounted[id]) {
                live.add(new LiveTensor(
                        id, graph.label(id), bytes(id), liveness.from(id), liveness.to(id), reason(id, time)));
            }
        }
        live.sort(LiveTensor.LARGEST_FIRST);
        return List.copyOf(live);
    }

    private String reason(int id, int time) {
        if (liveness.to(id) == graph.nodeCount()) {
            return "output, kept to the end";
        }
        if (liveness.to(id) == liveness.from(id)) {
            return graph.isNode(id) ? "computed here, read by nothing" : "leaf that nothing reads";
        }
        String origin = !graph.isNode(id) || graph.isInput(id) ? "there from the start, " : "";
        if (liveness.from(id) == time && graph.isNode(id)) {
            origin = plan.inPlaceOf(id) == Graph.NO_ID
                    ? "computed here, "
                    : "computed here in the place of '" + graph.label(plan.inPlaceOf(id)) + "', ";
        }
        int via = liveness.lastReachedThrough(id);
        int reader = liveness.to(id);
        String through = via == id || via == reader ? "" : " through its view '" + graph.label(via) + "'";
        return origin + "needed until node " + reader + " '" + graph.label(reader) + "' (" + graph.op(reader) + ")"
                + through;
    }
}
