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
    /** By id, the buffer of each node and leaf. */
    private final int[] buffers;

    private final boolean[] fixed;

    private PlanRequest(Graph graph, List<BufferType> types, int[] buffers, boolean[] fixed) {
        if (types.isEmpty()) {
            throw new InvalidPlanException("a plan needs at least one buffer type");
        }
        this.graph = graph;
        this.types = types.toArray(BufferType[]::new);
        this.firstWithType = new int[this.types.length];
        for (int i = 0; i < this.types.length; i++) {
            firstWithType[i] = types.indexOf(types.get(i));
        }
        this.buffers = buffers;
        this.fixed = fixed;
        for (int id = 0; id < buffers.length; id++) {
            if (buffers[id] < 0 || buffers[id] >= this.types.length) {
                String what = graph.isNode(id) ? "node " + id : "leaf " + (id - graph.nodeCount());
                throw new InvalidPlanException(what + " is to be stored in buffer " + buffers[id] + ", but there are "
                        + this.types.length + " buffer types, counted from 0");
            }
        }
        fetchSizes(graph);
    }

    /** Has types with bulk calls fetch the sizes of the tensors that are planned there in a graph like this one's. */
    void fetchSizes(Graph identical) {
        for (int buffer = 0; buffer < types.length; buffer++) {
            if (firstWithType[buffer] == buffer && types[buffer].hasBulkCalls()) {
                int here = buffer;
                types[buffer].fetchAllocationSizes(IntStream.range(0, buffers.length)
                        .filter(id -> isPlannable(id) && firstWithType[buffers[id]] == here)
                        .mapToObj(identical::tensor)
                        .toList());
            }
        }
    }

    /** A view is fixed where its source is. */
    private static boolean[] fixed(Graph graph) {
        boolean[] fixed = new boolean[graph.size()];
        for (int id = 0; id < fixed.length; id++) {
            fixed[id] = graph.isWeight(id) || isFixedNow(graph, graph.root(id));
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
        requireCount(nodeBuffers.length, graph.nodeCount(), "node");
        requireCount(leafBuffers.length, graph.leafCount(), "leaf");
        int[] buffers = Arrays.copyOf(nodeBuffers, nodeBuffers.length + leafBuffers.length);
        System.arraycopy(leafBuffers, 0, buffers, nodeBuffers.length, leafBuffers.length);
        return new PlanRequest(graph, types, buffers, fixed(graph));
    }

    private static void requireCount(int given, int count, String what) {
        if (given != count) {
            throw new InvalidPlanException(
                    "the graph has " + count + " " + what + "s, but a buffer is given for " + given);
        }
    }

    /**
     * As {@link #of(Graph, List, int[], int[])}, for a caller who has the buffers of nodes and leaves in one array by
     * id, and knows by id which tensors are fixed. The arrays must not be changed any more.
     */
    public static PlanRequest of(Graph graph, List<BufferType> types, int[] buffers, boolean[] fixed) {
        requireCount(buffers.length, graph.nodeCount() + graph.leafCount(), "listed tensor");
        return new PlanRequest(graph, types, buffers, fixed);
    }

    /** The same request for the graph {@linkplain Graph#inOrder in another order}. */
    public PlanRequest inOrder(int[] order) {
        int[] reordered = buffers.clone();
        for (int i = 0; i < order.length; i++) {
            reordered[i] = buffers[order[i]];
        }
        Graph graphInOrder = graph.inOrder(order);
        return new PlanRequest(graphInOrder, List.of(types), reordered, fixed(graphInOrder));
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

    /** The buffer that a node or leaf is to be stored in. */
    public int buffer(int id) {
        return buffers[id];
    }

    /** Whether another request has the same buffer types, and every node and leaf in the same memory. */
    boolean asksForSameMemory(PlanRequest other) {
        boolean same = buffers.length == other.buffers.length && Arrays.equals(types, other.types);
        for (int id = 0; same && id < buffers.length; id++) {
            same = firstWithType[buffers[id]] == firstWithType[other.buffers[id]];
        }
        return same;
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
