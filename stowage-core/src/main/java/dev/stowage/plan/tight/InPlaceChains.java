package dev.stowage.plan.tight;

import dev.stowage.graph.Graph;
import dev.stowage.plan.InPlaceRules;
import dev.stowage.plan.Liveness;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import java.util.Arrays;

/**
 * The tensors of a request grouped into chains: a tensor, the result that overwrites it, the result that overwrites
 * that, and so on. All tensors of a chain have the same padded size, so a chain is one rectangle to pack.
 *
 * <pre>
 *   time    0   1   2   3   4   5   6
 *   x       |=======|
 *   silu(x)         |=======|               one chain: from x's first node to the last result's last reader
 *   ... * y                 |===========|
 * </pre>
 *
 * Each in-place result lowers the live bytes at its node and raises them nowhere, so using all of them gives the lowest
 * bound.
 */
public final class InPlaceChains {

    private final PlanRequest request;
    private final Graph graph;
    private final Liveness liveness;
    private final int[] buffers;
    private final long[] sizes;
    private final int[] over;
    private final int[] heads;
    private final int[] ends;

    private InPlaceChains(PlanRequest request, Liveness liveness) {
        this.request = request;
        this.graph = request.graph();
        this.liveness = liveness;
        int size = graph.size();
        this.buffers = new int[size];
        this.sizes = new long[size];
        this.over = new int[size];
        this.heads = new int[size];
        this.ends = new int[size];
        Arrays.fill(buffers, MemoryPlan.NOT_PLANNED);
        Arrays.fill(over, Graph.NO_ID);
        findTensors();
    }

    /**
     * The chains of a request.
     *
     * @param inPlace which operands may be overwritten
     * @param choice which of several operands is overwritten
     */
    public static InPlaceChains of(PlanRequest request, Liveness liveness, InPlaceRules inPlace, InPlaceChoice choice) {
        InPlaceChains chains = new InPlaceChains(request, liveness);
        chains.link(inPlace, choice);
        return chains;
    }

    private void findTensors() {
        for (int id = 0; id < graph.nodeCount() + graph.leafCount(); id++) {
            if (request.isPlannable(id)) {
                add(id, request.buffer(id));
            }
        }
        for (int node = 0; node < graph.nodeCount(); node++) {
            for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                int source = graph.sourceAt(slot);
                // An external tensor that is only viewed needs no place; one that is read is placed with its first
                // reader.
                if (source != Graph.NO_ID
                        && graph.isExternal(source)
                        && buffers[source] == MemoryPlan.NOT_PLANNED
                        && request.isPlannable(source)) {
                    add(source, request.buffer(node));
                }
            }
        }
    }

    private void add(int id, int buffer) {
        buffers[id] = buffer;
        sizes[id] = request.bufferType(buffer).allocationSize(graph.tensor(id));
        heads[id] = id;
        ends[id] = liveness.keptTo(id);
    }

    private void link(InPlaceRules inPlace, InPlaceChoice choice) {
        for (int node = 0; node < graph.nodeCount(); node++) {
            if (isPlanned(node) && sizes[node] > 0 && liveness.from(node) == node) {
                int operand = operandToOverwrite(node, inPlace, choice);
                if (operand != Graph.NO_ID) {
                    over[node] = operand;
                    heads[node] = heads[operand];
                    ends[heads[node]] = liveness.keptTo(node);
                }
            }
        }
    }

    private int operandToOverwrite(int node, InPlaceRules inPlace, InPlaceChoice choice) {
        int best = Graph.NO_ID;
        for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
            int source = graph.sourceAt(slot);
            int owner = source == Graph.NO_ID ? Graph.NO_ID : graph.root(source);
            if (owner != Graph.NO_ID
                    && owner != node
                    && isPlanned(owner)
                    && liveness.keptTo(owner) == node
                    && isAsLarge(owner, node)
                    && inPlace.allow(graph, node, owner)
                    && (best == Graph.NO_ID || choice.prefers(from(heads[owner]), from(heads[best])))) {
                best = owner;
            }
        }
        return best;
    }

    /** Whether two tensors have the same memory and padded size. */
    public boolean isAsLarge(int a, int b) {
        return memory(a) == memory(b) && padded(a) == padded(b);
    }

    /** Whether a tensor needs a place in the plan. */
    public boolean isPlanned(int id) {
        return buffers[id] != MemoryPlan.NOT_PLANNED;
    }

    /** The buffer of a tensor, or {@link MemoryPlan#NOT_PLANNED}. */
    int buffer(int id) {
        return buffers[id];
    }

    /** The memory of a tensor: the first buffer of the same type. */
    public int memory(int id) {
        return request.firstWithSameType(buffers[id]);
    }

    /** The bytes of a tensor. */
    long size(int id) {
        return sizes[id];
    }

    /** The bytes of a tensor rounded up to the alignment, equal for a whole chain. */
    public long padded(int id) {
        return request.padded(buffers[id], sizes[id]);
    }

    /** The tensor that a result overwrites, or {@link Graph#NO_ID}. */
    int over(int id) {
        return over[id];
    }

    /** The first tensor of a chain, which identifies it. */
    public int head(int id) {
        return heads[id];
    }

    public int from(int head) {
        return liveness.from(head);
    }

    public int to(int head) {
        return ends[head];
    }
}
