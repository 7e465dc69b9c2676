package dev.stowage.graph;

import dev.stowage.internal.IntList;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;

/**
 * Cuts slices out of a graph. The mapping from ids of the graph to ids of a slice is allocated once and cleaned after
 * each slice, so that the cost of a slice depends on its own size and not on that of the graph.
 */
final class GraphSlicer {

    private final Graph graph;
    private final int[] sources;
    private final int[] local;
    /** For every tensor the last node that reads or views it. */
    private final int[] lastReader;

    private final IntList leaves = new IntList(16);
    private final IntList externals = new IntList(16);

    GraphSlicer(Graph graph) {
        this(graph, graph.sources);
    }

    private GraphSlicer(Graph graph, int[] sources) {
        this.graph = graph;
        this.sources = sources;
        this.local = new int[graph.size()];
        Arrays.fill(local, Graph.NO_ID);
        this.lastReader = lastReaders(graph, sources);
    }

    private static int[] lastReaders(Graph graph, int[] sources) {
        int[] last = new int[graph.size()];
        for (int node = 0; node < graph.nodeCount(); node++) {
            for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                // Both the replacement and the original count as read: the replacement is a copy of the original.
                if (sources[slot] != Graph.NO_ID) {
                    last[sources[slot]] = node;
                    last[graph.sources[slot]] = node;
                }
            }
            if (graph.viewSources[node] != Graph.NO_ID) {
                last[graph.viewSources[node]] = node;
            }
        }
        return last;
    }

    /** Slices in which nodes read {@code instead[id]} wherever the graph has them read {@code id}. */
    static GraphSlicer substituting(Graph graph, int[] instead) {
        int[] sources = graph.sources.clone();
        for (int slot = 0; slot < sources.length; slot++) {
            sources[slot] = sources[slot] == Graph.NO_ID ? Graph.NO_ID : instead[sources[slot]];
        }
        return new GraphSlicer(graph, sources);
    }

    /** The nodes from {@code from} to before {@code to}, with the leaves they read; other operands become externals. */
    GraphPart slice(int from, int to) {
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
            int viewSource = graph.viewSources[origin];
            tensors[id] = graph.tensors[origin];
            viewSources[id] = viewSource == Graph.NO_ID ? Graph.NO_ID : local[viewSource];
            marks[id] =
                    (byte) (graph.marks[origin] | (id < nodeCount && lastReader[origin] >= to ? Graph.READ_LATER : 0));
        }
        return new Graph(tensors, nodeCount, leaves.size(), sourceStart, wired, viewSources, marks, graph, order);
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
        int viewSource = graph.viewSources[id];
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
