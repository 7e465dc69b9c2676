package dev.stowage.plan;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The input of a planner: a graph, the buffer types, the buffer of each node and leaf, and the fixed tensors.
 * Immutable.
 *
 * <p>A tensor is <em>fixed</em>, and not planned, if it is a weight or has memory of its own.
 */
public final class PlanRequest {

    private final Graph graph;
    private final BufferType[] types;
    private final int[] firstWithType;
    private final int[] nodeBuffers;
    private final int[] leafBuffers;
    private final boolean[] fixed;

    private PlanRequest(Graph graph, List<BufferType> types, int[] nodeBuffers, int[] leafBuffers, boolean[] fixed) {
        this.graph = graph;
        this.types = types.toArray(BufferType[]::new);
        this.firstWithType = new int[this.types.length];
        for (int i = 0; i < this.types.length; i++) {
            firstWithType[i] = types.indexOf(types.get(i));
        }
        this.nodeBuffers = checked(nodeBuffers, graph.nodeCount(), "node");
        this.leafBuffers = checked(leafBuffers, graph.leafCount(), "leaf");
        this.fixed = fixed;
        fetchSizes(graph);
    }

    /** Has types with bulk calls fetch the sizes of the tensors that are planned there in a graph like this one's. */
    void fetchSizes(Graph identical) {
        for (int buffer = 0; buffer < types.length; buffer++) {
            if (firstWithType[buffer] == buffer && types[buffer].hasBulkCalls()) {
                int here = buffer;
                types[buffer].fetchAllocationSizes(IntStream.range(0, graph.nodeCount() + graph.leafCount())
                        .filter(id -> isPlannable(id) && firstWithType[bufferOf(id)] == here)
                        .mapToObj(identical::tensor)
                        .toList());
            }
        }
    }

    private int bufferOf(int id) {
        return id < nodeBuffers.length ? nodeBuffers[id] : leafBuffers[id - nodeBuffers.length];
    }

    /** A view is fixed where its source is. */
    private static boolean[] fixed(Graph graph) {
        boolean[] fixed = new boolean[graph.size()];
        for (int id = 0; id < fixed.length; id++) {
            fixed[id] = graph.viewSource(id) == Graph.NO_ID ? isFixedNow(graph, id) : graph.isWeight(id);
        }
        for (int id = 0; id < fixed.length; id++) {
            fixed[id] |= graph.viewSource(id) != Graph.NO_ID && fixed[graph.viewSource(id)];
        }
        return fixed;
    }

    /** Everything in one buffer type. */
    public static PlanRequest of(Graph graph, BufferType type) {
        return of(graph, List.of(type), new int[graph.nodeCount()], new int[graph.leafCount()]);
    }

    /**
     * Several buffer types: node {@code i} goes to {@code types.get(nodeBuffers[i])}, leaf {@code i} to {@code
     * types.get(leafBuffers[i])}. A type listed twice is the same memory.
     *
     * @throws InvalidPlanException if there is no type, or an index array has the wrong length or an index out of range
     */
    public static PlanRequest of(Graph graph, List<BufferType> types, int[] nodeBuffers, int[] leafBuffers) {
        return of(graph, types, nodeBuffers.clone(), leafBuffers.clone(), fixed(graph));
    }

    /**
     * As {@link #of(Graph, List, int[], int[])}, for a caller who knows by id which tensors are fixed. The arrays must
     * not be changed any more.
     */
    public static PlanRequest of(
            Graph graph, List<BufferType> types, int[] nodeBuffers, int[] leafBuffers, boolean[] fixed) {
        if (types.isEmpty()) {
            throw new InvalidPlanException("a plan needs at least one buffer type");
        }
        return new PlanRequest(graph, types, nodeBuffers, leafBuffers, fixed);
    }

    /** The same request for the graph {@linkplain Graph#inOrder in another order}. */
    public PlanRequest inOrder(int[] order) {
        int[] buffers = new int[order.length];
        for (int i = 0; i < order.length; i++) {
            buffers[i] = nodeBuffers[order[i]];
        }
        Graph reordered = graph.inOrder(order);
        return new PlanRequest(reordered, List.of(types), buffers, leafBuffers, fixed(reordered));
    }

    private PlanRequest(PlanRequest request, Graph identical) {
        this.graph = identical;
        this.types = request.types;
        this.firstWithType = request.firstWithType;
        this.nodeBuffers = request.nodeBuffers;
        this.leafBuffers = request.leafBuffers;
        this.fixed = request.fixed;
    }

    /**
     * The same request for a structurally identical graph with the same fixed tensors.
     *
     * @throws InvalidPlanException if the wiring differs
     */
    public PlanRequest forGraph(Graph identical) {
        if (!graph.isWiredLike(identical)) {
            throw new InvalidPlanException("the graph is wired otherwise than the one of this request");
        }
        return new PlanRequest(this, identical);
    }

    private int[] checked(int[] buffers, int count, String what) {
        if (buffers.length != count) {
            throw new InvalidPlanException(
                    "the graph has " + count + " " + what + "s, but a buffer is given for " + buffers.length);
        }
        for (int i = 0; i < count; i++) {
            if (buffers[i] < 0 || buffers[i] >= types.length) {
                throw new InvalidPlanException(what + " " + i + " is to be stored in buffer " + buffers[i]
                        + ", but there are " + types.length + " buffer types, counted from 0");
            }
        }
        return buffers;
    }

    /** Whether a tensor of a graph would be fixed in a request made now. */
    static boolean isFixedNow(Graph graph, int id) {
        return graph.isWeight(id) || graph.tensor(id).isPlaced();
    }

    public Graph graph() {
        return graph;
    }

    /** How many buffers there are; a type listed twice counts twice. */
    public int bufferCount() {
        return types.length;
    }

    public BufferType bufferType(int buffer) {
        return types[buffer];
    }

    /** The first buffer of the same type, which is the same memory. */
    public int firstWithSameType(int buffer) {
        return firstWithType[buffer];
    }

    /** The buffer node {@code index} is to be stored in. */
    public int nodeBuffer(int index) {
        return nodeBuffers[index];
    }

    /** The buffer leaf {@code index} is to be stored in. */
    public int leafBuffer(int index) {
        return leafBuffers[index];
    }

    /** Whether another request has the same buffer types, and every node and leaf in the same memory. */
    boolean asksForSameMemory(PlanRequest other) {
        return this == other
                || (Arrays.equals(types, other.types)
                        && sameMemory(nodeBuffers, other.nodeBuffers)
                        && sameMemory(leafBuffers, other.leafBuffers));
    }

    private boolean sameMemory(int[] own, int[] others) {
        if (own.length != others.length) {
            return false;
        }
        for (int i = 0; i < own.length; i++) {
            if (firstWithType[own[i]] != firstWithType[others[i]]) {
                return false;
            }
        }
        return true;
    }

    /** A size rounded up to the alignment of a buffer. */
    public long padded(int buffer, long size) {
        long alignment = types[buffer].alignment();
        return (size + alignment - 1) & -alignment;
    }

    /** Whether a tensor has memory of its own. */
    public boolean isFixed(int id) {
        return fixed[id];
    }

    /** Whether a tensor may need a place in the plan: it is neither a view nor fixed. */
    public boolean isPlannable(int id) {
        return !fixed[id] && graph.viewSource(id) == Graph.NO_ID;
    }
}
