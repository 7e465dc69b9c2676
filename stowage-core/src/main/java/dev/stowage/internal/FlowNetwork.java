package dev.stowage.internal;

import java.util.Arrays;

/** A flow network from a source to a sink, with its minimum cut by Dinic's algorithm. */
public final class FlowNetwork {

    public static final int SOURCE = 0;
    public static final int SINK = 1;
    public static final long UNLIMITED = Long.MAX_VALUE / 8;

    private static final int NONE = -1;

    private int vertices = 2;
    private final IntList from = new IntList(1024);
    private final IntList to = new IntList(1024);
    private long[] capacity = new long[1024];

    private int[] edges = {};
    private int[] start = {};
    private int[] level = {};

    public int addVertex() {
        return vertices++;
    }

    /** A directed edge, with its residual edge. */
    public void addEdge(int one, int other, long most) {
        if (most > 0) {
            addArc(one, other, Math.min(most, UNLIMITED));
            addArc(other, one, 0);
        }
    }

    private void addArc(int one, int other, long most) {
        int edge = from.size();
        if (edge == capacity.length) {
            capacity = Arrays.copyOf(capacity, 2 * edge);
        }
        capacity[edge] = most;
        from.add(one);
        to.add(other);
    }

    /** By vertex, whether it is on the source side of a minimum cut. */
    public boolean[] cut() {
        sortEdges();
        level = new int[vertices];
        while (rank()) {
            fill();
        }
        boolean[] reached = new boolean[vertices];
        for (int vertex = 0; vertex < vertices; vertex++) {
            reached[vertex] = level[vertex] != NONE;
        }
        return reached;
    }

    private void sortEdges() {
        start = new int[vertices + 1];
        for (int edge = 0; edge < from.size(); edge++) {
            start[from.get(edge) + 1]++;
        }
        for (int vertex = 0; vertex < vertices; vertex++) {
            start[vertex + 1] += start[vertex];
        }
        int[] at = Arrays.copyOf(start, vertices);
        edges = new int[from.size()];
        for (int edge = 0; edge < edges.length; edge++) {
            edges[at[from.get(edge)]++] = edge;
        }
    }

    /** Builds the level graph; returns whether the sink can be reached. */
    private boolean rank() {
        Arrays.fill(level, NONE);
        int[] queue = new int[vertices];
        int end = 1;
        level[SOURCE] = 0;
        for (int begin = 0; begin < end; begin++) {
            int vertex = queue[begin];
            for (int at = start[vertex]; at < start[vertex + 1]; at++) {
                int next = to.get(edges[at]);
                if (capacity[edges[at]] > 0 && level[next] == NONE) {
                    level[next] = level[vertex] + 1;
                    queue[end++] = next;
                }
            }
        }
        return level[SINK] != NONE;
    }

    /** Finds a blocking flow, backtracking only to the first saturated edge. */
    private void fill() {
        int[] current = Arrays.copyOf(start, vertices);
        int[] path = new int[vertices];
        int length = 0;
        int vertex = SOURCE;
        while (true) {
            if (vertex == SINK) {
                length = push(path, length);
                vertex = from.get(path[length]);
            }
            while (current[vertex] < start[vertex + 1] && !leadsOn(vertex, edges[current[vertex]])) {
                current[vertex]++;
            }
            if (current[vertex] < start[vertex + 1]) {
                path[length++] = edges[current[vertex]];
                vertex = to.get(edges[current[vertex]]);
            } else if (length == 0) {
                return;
            } else {
                vertex = from.get(path[--length]);
                current[vertex]++;
            }
        }
    }

    private boolean leadsOn(int vertex, int edge) {
        return capacity[edge] > 0 && level[to.get(edge)] == level[vertex] + 1;
    }

    /** Augments a path; returns how many edges precede the first saturated one. */
    private int push(int[] path, int length) {
        long most = UNLIMITED;
        for (int step = 0; step < length; step++) {
            most = Math.min(most, capacity[path[step]]);
        }
        int before = 0;
        for (int step = length - 1; step >= 0; step--) {
            capacity[path[step]] -= most;
            capacity[path[step] ^ 1] += most;
            before = capacity[path[step]] == 0 ? step : before;
        }
        return before;
    }
}
