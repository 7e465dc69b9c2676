package dev.stowage.graph.wiring;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts slices out of a graph. The mapping from ids of the graph to ids of a slice is allocated once and cleaned after
 * each slice, so that the cost of a slice depends on its own size and not on that of the graph.
 */
public final class GraphSlicer {

    private final Graph graph;
    private final GraphArrays arrays;
    private final int[] sources;
    private final int[] local;
    /** For every tensor the last node that reads or views it. */
    private final int[] lastReader;

    private final IntList leaves = new IntList(16);
    private final IntList externals = new IntList(16);

    private GraphSlicer(Graph graph, GraphArrays arrays, int[] sources) {
        this.graph = graph;
        this.arrays = arrays;
        this.sources = sources;
        this.local = new int[graph.size()];
        Arrays.fill(local, Graph.NO_ID);
        this.lastReader = lastReaders(graph, arrays, sources);
    }

    /**
     * The nodes from {@code from} up to but not including {@code to}, with the leaves they read, as a graph of its own.
     *
     * @throws InvalidGraphException if these are not nodes of the graph
     */
    public static Graph slice(Graph graph, int from, int to) {
        requireSlice(graph, from, to);
        return plain(graph).slice(from, to).graph();
    }

    /**
     * Several slices at once, cheaper than one by one: slice {@code i} has the nodes from {@code starts[i]} up to but
     * not including {@code ends[i]}, and comes with the ids its tensors have in the graph.
     *
     * @throws InvalidGraphException if one is not a slice of the graph
     */
    public static List<GraphPart> slices(Graph graph, int[] starts, int[] ends) {
        return plain(graph).slices(starts, ends);
    }

    /**
     * As {@link #slices(Graph, int[], int[])}, with nodes that read {@code instead[id]} wherever in the graph they read
     * {@code id}.
     *
     * @throws InvalidGraphException if there is not a replacement for every tensor
     */
    public static List<GraphPart> slices(Graph graph, int[] starts, int[] ends, int[] instead) {
        if (instead.length != graph.size()) {
            throw new InvalidGraphException(
                    "the graph has " + graph.size() + " tensors, but there are " + instead.length + " replacements");
        }
        return substituting(graph, instead).slices(starts, ends);
    }

    private List<GraphPart> slices(int[] starts, int[] ends) {
        if (starts.length != ends.length) {
            throw new InvalidGraphException(
                    "there are " + starts.length + " starts of slices, but " + ends.length + " ends");
        }
        GraphPart[] slices = new GraphPart[starts.length];
        for (int i = 0; i < slices.length; i++) {
            requireSlice(graph, starts[i], ends[i]);
            slices[i] = slice(starts[i], ends[i]);
        }
        return List.of(slices);
    }

    private static void requireSlice(Graph graph, int from, int to) {
        if (from < 0 || to > graph.nodeCount() || from > to) {
            throw new InvalidGraphException(
                    "nodes " + from + " to " + to + " are not a slice of a graph with " + graph.nodeCount() + " nodes");
        }
    }

    private static GraphSlicer plain(Graph graph) {
        GraphArrays arrays = GraphArrays.of(graph);
        return new GraphSlicer(graph, arrays, arrays.sources());
    }

    private static int[] lastReaders(Graph graph, GraphArrays arrays, int[] sources) {
        int[] last = new int[graph.size()];
        for (int node = 0; node < graph.nodeCount(); node++) {
            for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                // Both the replacement and the original count as read: the replacement is a copy of the original.
                if (sources[slot] != Graph.NO_ID) {
                    last[sources[slot]] = node;
                    last[arrays.sources()[slot]] = node;
                }
            }
            if (arrays.viewSources()[node] != Graph.NO_ID) {
                last[arrays.viewSources()[node]] = node;
            }
        }
        return last;
    }

    /** Slices in which nodes read {@code instead[id]} wherever the graph has them read {@code id}. */
    private static GraphSlicer substituting(Graph graph, int[] instead) {
        GraphArrays arrays = GraphArrays.of(graph);
        int[] sources = arrays.sources().clone();
        for (int slot = 0; slot < sources.length; slot++) {
            sources[slot] = sources[slot] == Graph.NO_ID ? Graph.NO_ID : instead[sources[slot]];
        }
        return new GraphSlicer(graph, arrays, sources);
    }

    /** The nodes from {@code from} to before {@code to}, with the leaves they read; other operands become externals. */
    private GraphPart slice(int from, int to) {
        int nodeCount = to - from;
        collect(from, to);
        int[] order = numbered(from, nodeCount);
        int listed = nodeCount + leaves.size();
        int[] sourceStart = new int[listed + 1];
        for (int id = 0; id < listed; id++) {
            sourceStart[id + 1] = sourceStart[id] + graph.endSlot(order[id]) - graph.firstSlot(order[id]);
        }
        int[] wired = new int[sourceStart[listed]];
        int next = 0;
        for (int id = 0; id < listed; id++) {
            for (int slot = graph.firstSlot(order[id]); slot < graph.endSlot(order[id]); slot++) {
                int source = sources[slot];
                wired[next++] = source == Graph.NO_ID ? Graph.NO_ID : local[source];
            }
        }
        Graph slice = filled(order, nodeCount, to, sourceStart, wired);
        forget(order);
        return new GraphPart(slice, order);
    }

    private Graph filled(int[] order, int nodeCount, int to, int[] sourceStart, int[] wired) {
        Tensor[] tensors = new Tensor[order.length];
        int[] viewSources = new int[order.length];
        byte[] marks = new byte[order.length];
        for (int id = 0; id < order.length; id++) {
            int origin = order[id];
            int viewSource = arrays.viewSources()[origin];
            tensors[id] = arrays.tensors()[origin];
            viewSources[id] = viewSource == Graph.NO_ID ? Graph.NO_ID : local[viewSource];
            marks[id] = (byte)
                    (arrays.marks()[origin] | (id < nodeCount && lastReader[origin] >= to ? GraphMarks.READ_LATER : 0));
        }
        return new GraphArrays(tensors, nodeCount, leaves.size(), sourceStart, wired, viewSources, marks, graph, order)
                .toGraph();
    }

    /** Collects the operands and view sources outside the slice: leaves first, then all others. */
    private void collect(int from, int to) {
        for (int node = from; node < to; node++) {
            local[node] = node - from;
        }
        for (int node = from; node < to; node++) {
            meetSources(node, true);
        }
        for (int node = from; node < to; node++) {
            meetSources(node, false);
            collectViewSource(node);
        }
        for (int i = 0; i < leaves.size(); i++) {
            meetSources(leaves.get(i), false);
            collectViewSource(leaves.get(i));
        }
        for (int i = 0; i < externals.size(); i++) {
            collectViewSource(externals.get(i));
        }
    }

    private void meetSources(int id, boolean leavesOnly) {
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = sources[slot];
            if (source != Graph.NO_ID && local[source] == Graph.NO_ID && (!leavesOnly || graph.isLeaf(source))) {
                local[source] = 0;
                (leavesOnly ? leaves : externals).add(source);
            }
        }
    }

    private void collectViewSource(int id) {
        int viewSource = arrays.viewSources()[id];
        if (viewSource != Graph.NO_ID && local[viewSource] == Graph.NO_ID) {
            local[viewSource] = 0;
            externals.add(viewSource);
        }
    }

    private int[] numbered(int from, int nodeCount) {
        int[] order = new int[nodeCount + leaves.size() + externals.size()];
        for (int id = 0; id < order.length; id++) {
            int afterNodes = id - nodeCount;
            order[id] = afterNodes < 0
                    ? from + id
                    : afterNodes < leaves.size() ? leaves.get(afterNodes) : externals.get(afterNodes - leaves.size());
            local[order[id]] = id;
        }
        return order;
    }

    private void forget(int[] order) {
        for (int origin : order) {
            local[origin] = Graph.NO_ID;
        }
        leaves.clear();
        externals.clear();
    }
}
