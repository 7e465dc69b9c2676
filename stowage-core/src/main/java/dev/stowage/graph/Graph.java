package dev.stowage.graph;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.wiring.GraphArrays;
import dev.stowage.graph.wiring.GraphAssembly;
import dev.stowage.graph.wiring.GraphMarks;
import dev.stowage.graph.wiring.GraphSlicer;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tensors in execution order; ggml's {@code ggml_cgraph}. A graph is immutable: it records sources, marks and names of
 * its tensors when it is built, so that later changes of a tensor do not affect it.
 *
 * <p>Every tensor in a graph has a dense <em>id</em>, so that passes over the graph work on arrays:
 *
 * <pre>
 *   0 ............ nodeCount-1   nodes, in execution order
 *   nodeCount .... +leafCount-1  leaves, in the order they were visited
 *   ............... size()-1     externals: tensors that are read or viewed but not listed, as in a
 *                                {@linkplain #slice slice}
 * </pre>
 */
public final class Graph {

    /**
     * Stands for "no tensor" where an id is expected: an empty source slot, the view source of a tensor that is not a
     * view.
     */
    public static final int NO_ID = -1;

    static {
        GraphArrays.grant(new GraphArrays.Access() {
            @Override
            public GraphArrays arraysOf(Graph graph) {
                return graph.arrays();
            }

            @Override
            public Graph graphOver(GraphArrays arrays) {
                return new Graph(arrays);
            }
        });
    }

    private static final String[] NO_NAMES = {};
    private static final int[] NO_IDS = {};

    /** The arrays are shared with graphs made from this one, and never written once filled. */
    private final Tensor[] tensors;

    private final int nodeCount;
    private final int leafCount;
    private final int[] sourceStart;
    private final int[] sources;
    private final int[] viewSources;
    private final byte[] marks;
    /** The names when the graph was built; empty for a graph made from another, which looks them up there. */
    private final String[] names;

    /** The graph this one was made from, and by id the id there; larger ids are of tensors that were added. */
    private final @Nullable Graph origin;

    private final int[] originIds;

    /** Created lazily for graphs assembled from arrays, most of which are only run. */
    private volatile @Nullable TensorTable ids;

    /** Names are looked up in the graph it was made from when they are asked for: most graphs are only run. */
    private Graph(GraphArrays arrays) {
        this.tensors = arrays.tensors();
        this.nodeCount = arrays.nodeCount();
        this.leafCount = arrays.leafCount();
        this.sourceStart = arrays.sourceStart();
        this.sources = arrays.sources();
        this.viewSources = arrays.viewSources();
        this.marks = arrays.marks();
        this.names = NO_NAMES;
        this.origin = arrays.origin();
        this.originIds = arrays.originIds();
    }

    private GraphArrays arrays() {
        return new GraphArrays(
                tensors, nodeCount, leafCount, sourceStart, sources, viewSources, marks, origin, originIds);
    }

    private Graph(List<Tensor> nodes, List<Tensor> leaves) {
        this.nodeCount = nodes.size();
        this.leafCount = leaves.size();
        TensorTable table = new TensorTable(nodeCount + leafCount);
        List<Tensor> all = new ArrayList<>(nodeCount + leafCount);
        number(table, all, nodes);
        number(table, all, leaves);
        this.sourceStart = new int[nodeCount + leafCount + 1];
        this.sources = wire(table, all);
        this.ids = table;
        this.tensors = all.toArray(Tensor[]::new);
        this.viewSources = new int[tensors.length];
        this.marks = new byte[tensors.length];
        this.names = new String[tensors.length];
        this.origin = null;
        this.originIds = NO_IDS;
        for (int id = 0; id < tensors.length; id++) {
            Tensor tensor = tensors[id];
            viewSources[id] = tensor.isView() ? table.get(tensor.viewSource()) : NO_ID;
            marks[id] = GraphMarks.of(tensor);
            names[id] = tensor.name();
        }
    }

    private static void number(TensorTable ids, List<Tensor> all, List<Tensor> listed) {
        for (Tensor tensor : listed) {
            if (ids.put(tensor, all.size()) != TensorTable.ABSENT) {
                throw new InvalidGraphException(tensor.describe() + " is listed twice");
            }
            all.add(tensor);
        }
    }

    /**
     * Maps sources to ids, adding externals as they are found, and checks that nothing is read before it is computed.
     */
    private int[] wire(TensorTable ids, List<Tensor> all) {
        int listed = all.size();
        int slots = 0;
        for (int id = 0; id < listed; id++) {
            slots = Math.addExact(slots, all.get(id).sourceCount());
        }
        int[] wired = new int[slots];
        int next = 0;
        for (int id = 0; id < listed; id++) {
            Tensor tensor = all.get(id);
            for (int slot = 0; slot < tensor.sourceCount(); slot++) {
                int source = tensor.hasSource(slot) ? idOrExternal(ids, all, tensor.source(slot)) : NO_ID;
                if (isAfter(source, id)) {
                    throw new InvalidGraphException(tensor.describe() + " would run before its source "
                            + tensor.source(slot).describe() + ": list a node after the nodes it reads");
                }
                wired[next++] = source;
            }
            sourceStart[id + 1] = next;
        }
        for (int id = 0; id < all.size(); id++) {
            Tensor tensor = all.get(id);
            if (tensor.isView() && isAfter(idOrExternal(ids, all, tensor.viewSource()), id)) {
                throw new InvalidGraphException(tensor.describe() + " is a view of "
                        + tensor.viewSource().describe()
                        + " and would run before it: list a node after the nodes it views");
            }
        }
        return wired;
    }

    private boolean isAfter(int node, int other) {
        return node > other && node < nodeCount;
    }

    private static int idOrExternal(TensorTable ids, List<Tensor> all, Tensor tensor) {
        int id = ids.get(tensor);
        if (id == TensorTable.ABSENT) {
            id = all.size();
            ids.put(tensor, id);
            all.add(tensor);
        }
        return id;
    }

    /** The graph that computes these tensors, in ggml's build order: the roots one after the other, sources first. */
    public static Graph of(Tensor... roots) {
        return of(Arrays.asList(roots));
    }

    /** The graph that computes these tensors, in ggml's build order: the roots one after the other, sources first. */
    public static Graph of(List<Tensor> roots) {
        DepthFirstOrder order = new DepthFirstOrder(roots);
        return new Graph(order.nodes(), order.leaves());
    }

    /**
     * A graph of exactly these nodes, run in this order, and these leaves.
     *
     * @throws InvalidGraphException if a tensor is listed twice or a node comes before a node it reads
     */
    public static Graph listed(List<Tensor> nodes, List<Tensor> leaves) {
        return new Graph(List.copyOf(nodes), List.copyOf(leaves));
    }

    /** How many tensors are computed. */
    public int nodeCount() {
        return nodeCount;
    }

    /** How many inputs and weights there are. */
    public int leafCount() {
        return leafCount;
    }

    /** How many ids there are: nodes, leaves and externals. */
    public int size() {
        return tensors.length;
    }

    /** The tensor with that id. */
    public Tensor tensor(int id) {
        return tensors[checkIndex(id, tensors.length, "tensor")];
    }

    /** The node that runs as number {@code index}; its id is the same number. */
    public Tensor node(int index) {
        return tensors[checkIndex(index, nodeCount, "node")];
    }

    /** The leaf with that number; its id is {@code nodeCount() + index}. */
    public Tensor leaf(int index) {
        return tensors[nodeCount + checkIndex(index, leafCount, "leaf")];
    }

    private static int checkIndex(int index, int count, String what) {
        if (index < 0 || index >= count) {
            throw new InvalidGraphException("there is no " + what + " " + index + ": the graph has " + count);
        }
        return index;
    }

    /** The nodes in execution order. */
    public List<Tensor> nodes() {
        return List.of(Arrays.copyOf(tensors, nodeCount));
    }

    /** The leaves in the order they were visited. */
    public List<Tensor> leaves() {
        return List.of(Arrays.copyOfRange(tensors, nodeCount, nodeCount + leafCount));
    }

    /** The tensors marked as outputs, by id. */
    public List<Tensor> outputs() {
        List<Tensor> outputs = new ArrayList<>();
        for (int id = 0; id < tensors.length; id++) {
            if (isOutput(id)) {
                outputs.add(tensors[id]);
            }
        }
        return List.copyOf(outputs);
    }

    /** Whether that tensor is a node, a leaf or an external of this graph. */
    public boolean contains(Tensor tensor) {
        return ids().get(tensor) != TensorTable.ABSENT;
    }

    /**
     * The id of a tensor of this graph.
     *
     * @throws InvalidGraphException if it is not in the graph
     */
    public int idOf(Tensor tensor) {
        int id = ids().get(tensor);
        if (id == TensorTable.ABSENT) {
            throw new InvalidGraphException(tensor.describe() + " is not in this graph");
        }
        return id;
    }

    private TensorTable ids() {
        TensorTable table = ids;
        if (table == null) {
            table = new TensorTable(tensors.length);
            for (int id = 0; id < tensors.length; id++) {
                table.put(tensors[id], id);
            }
            ids = table;
        }
        return table;
    }

    /** The first tensor of that name, nodes before leaves. */
    public Optional<Tensor> find(String name) {
        for (int id = 0; id < tensors.length; id++) {
            if (label(id).equals(name)) {
                return Optional.of(tensors[id]);
            }
        }
        return Optional.empty();
    }

    public boolean isNode(int id) {
        return id >= 0 && id < nodeCount;
    }

    public boolean isLeaf(int id) {
        return id >= nodeCount && id < nodeCount + leafCount;
    }

    /** Whether that tensor is neither a node nor a leaf, only read or viewed by one. */
    public boolean isExternal(int id) {
        return id >= nodeCount + leafCount;
    }

    public boolean isInput(int id) {
        return (marks[id] & GraphMarks.INPUT) != 0;
    }

    public boolean isOutput(int id) {
        return (marks[id] & GraphMarks.OUTPUT) != 0;
    }

    public boolean isWeight(int id) {
        return (marks[id] & GraphMarks.WEIGHT) != 0;
    }

    /**
     * Whether this is a slice and later nodes of the graph it was cut from read or view the tensor, so that it must be
     * kept after the slice has run although it is not marked as an output.
     */
    public boolean isReadLater(int id) {
        return (marks[id] & GraphMarks.READ_LATER) != 0;
    }

    /** Whether a view is a leaf or an external, so that no node of this graph computes it. */
    public boolean hasViewsAsLeaves() {
        for (int id = nodeCount; id < tensors.length; id++) {
            if (viewSources[id] != NO_ID) {
                return true;
            }
        }
        for (int source : sources) {
            // A view without an op may be listed as a node too, to keep its source; read, it is like a leaf.
            if (source != NO_ID && viewSources[source] != NO_ID && !isComputed(source)) {
                return true;
            }
        }
        return false;
    }

    /** Whether an op computes that tensor. A node without an op only keeps its sources alive. */
    public boolean isComputed(int id) {
        return (marks[id] & GraphMarks.COMPUTED) != 0;
    }

    /**
     * Whether the op of that tensor {@linkplain Op#canWorkInPlace() can work in place} and the graph does not forbid
     * it.
     */
    public boolean canWorkInPlace(int id) {
        return (marks[id] & (GraphMarks.IN_PLACE_OP | GraphMarks.IN_PLACE_FORBIDDEN)) == GraphMarks.IN_PLACE_OP;
    }

    /** Whether that tensor must not share memory with an operand, even if its op can work in place. */
    public boolean isInPlaceForbidden(int id) {
        return (marks[id] & GraphMarks.IN_PLACE_FORBIDDEN) != 0;
    }

    /** Whether the op of that tensor {@linkplain Op#isViewOp() only gives bytes another form}. */
    public boolean isViewOp(int id) {
        return (marks[id] & GraphMarks.VIEW_OP) != 0;
    }

    public Op op(int id) {
        return tensors[id].op();
    }

    /** The id of the tensor whose bytes that one shares, or {@link #NO_ID}. */
    public int viewSource(int id) {
        return viewSources[id];
    }

    /** The id of the tensor whose bytes that one shares, or its own if it is not a view. */
    public int root(int id) {
        return viewSources[id] == NO_ID ? id : viewSources[id];
    }

    /** Where the source slots of a node or leaf begin; they are read with {@link #sourceAt}. Externals have none. */
    public int firstSlot(int id) {
        return id >= sourceStart.length ? sources.length : sourceStart[id];
    }

    /** Where the source slots of a node or leaf end: one past its last. */
    public int endSlot(int id) {
        return id >= sourceStart.length - 1 ? sources.length : sourceStart[id + 1];
    }

    /** The id of the source in that slot, or {@link #NO_ID} for an empty one. */
    public int sourceAt(int slot) {
        return sources[slot];
    }

    /** The tensor's name; unnamed nodes and leaves are called after their number, as ggml does. */
    public String label(int id) {
        String name = name(id);
        if (!name.isEmpty()) {
            return name;
        }
        return isNode(id)
                ? "node_" + id
                : isLeaf(id) ? "leaf_" + (id - nodeCount) : "external_" + (id - nodeCount - leafCount);
    }

    private String name(int id) {
        if (names.length > 0) {
            return names[id];
        }
        return origin != null && originIds[id] < origin.size() ? origin.name(originIds[id]) : tensors[id].name();
    }

    /**
     * The nodes from {@code from} up to but not including {@code to}, with the leaves they read, as a graph of its
     * own. Results of earlier nodes become externals.
     */
    public Graph slice(int from, int to) {
        return GraphSlicer.slice(this, from, to);
    }

    /**
     * The same graph run in another order: {@code order[i]} is the present number of the node to run as number i.
     *
     * @throws InvalidGraphException if the order leaves out or repeats a node, or runs one before a node it reads
     */
    public Graph inOrder(int... order) {
        if (order.length != nodeCount) {
            throw new InvalidGraphException(
                    "an order of " + order.length + " nodes does not fit a graph with " + nodeCount);
        }
        GraphAssembly assembly = GraphAssembly.over(this);
        for (int index : order) {
            assembly.addNode(checkIndex(index, nodeCount, "node"));
        }
        for (int id = nodeCount; id < nodeCount + leafCount; id++) {
            assembly.addLeaf(id);
        }
        return assembly.build();
    }

    /**
     * Whether another graph has the same wiring: as many nodes and leaves, each reading and viewing tensors of the same
     * ids, with the same marks. Types and shapes may differ, and ops too, except that none computes in place what the
     * other does not.
     */
    public boolean isWiredLike(Graph other) {
        return this == other
                || (nodeCount == other.nodeCount
                        && leafCount == other.leafCount
                        && Arrays.equals(sources, other.sources)
                        && Arrays.equals(sourceStart, other.sourceStart)
                        && Arrays.equals(viewSources, other.viewSources)
                        && isMarkedLike(other));
    }

    /**
     * Compares marks, except whether nodes after a slice read a tensor, which is not a property of the slice itself.
     */
    private boolean isMarkedLike(Graph other) {
        for (int id = 0; id < marks.length; id++) {
            if (((marks[id] ^ other.marks[id]) & ~GraphMarks.READ_LATER & 0xFF) != 0) {
                return false;
            }
        }
        return true;
    }

    /** One line per node and leaf, human-readable. */
    public String dump() {
        return GraphText.dump(this);
    }

    /** The graph in Graphviz's language. */
    public String toDot() {
        return GraphText.dot(this);
    }

    @Override
    public String toString() {
        return "Graph[" + nodeCount + " nodes, " + leafCount + " leaves]";
    }
}
