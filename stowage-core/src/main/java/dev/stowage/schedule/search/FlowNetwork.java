package dev.stowage.schedule.search;

import dev.stowage.internal.IntList;
import java.util.Arrays;

/**
 * A network of pipes from a source to a sink. Its smallest cut is the cheapest way to part the points in two, and is found
 * by pushing as much through as goes, along shortest ways first (Dinic).
 */
final class FlowNetwork {

    static final int SOURCE = 0;
    static final int SINK = 1;
    static final long UNLIMITED = Long.MAX_VALUE / 8;

    private static final int NONE = -1;

    private int points = 2;
    private final IntList from = new IntList(1024);
    private final IntList to = new IntList(1024);
    private long[] capacity = new long[1024];

    private int[] edges = {};
    private int[] start = {};
    private int[] level = {};

    int addPoint() {
        return points++;
    }

    /** A pipe from one point to another, one way; its twin the other way takes back what was pushed. */
    void connect(int one, int other, long most) {
        if (most > 0) {
            addEdge(one, other, Math.min(most, UNLIMITED));
            addEdge(other, one, 0);
        }
    }

    private void addEdge(int one, int other, long most) {
        int edge = from.size();
        if (edge == capacity.length) {
            capacity = Arrays.copyOf(capacity, 2 * edge);
        }
        capacity[edge] = most;
        from.add(one);
        to.add(other);
    }

    /** By point, whether it is on the source's side of a smallest cut. */
    boolean[] cut() {
        sortEdges();
        level = new int[points];
        while (rank()) {
            fill();
        }
        boolean[] reached = new boolean[points];
        for (int point = 0; point < points; point++) {
            reached[point] = level[point] != NONE;
        }
        return reached;
    }

    private void sortEdges() {
        start = new int[points + 1];
        for (int edge = 0; edge < from.size(); edge++) {
            start[from.get(edge) + 1]++;
        }
        for (int point = 0; point < points; point++) {
            start[point + 1] += start[point];
        }
        int[] at = Arrays.copyOf(start, points);
        edges = new int[from.size()];
        for (int edge = 0; edge < edges.length; edge++) {
            edges[at[from.get(edge)]++] = edge;
        }
    }

    /** Numbers the points by how far they are from the source; whether the sink can be reached. */
    private boolean rank() {
        Arrays.fill(level, NONE);
        int[] queue = new int[points];
        int end = 1;
        level[SOURCE] = 0;
        for (int begin = 0; begin < end; begin++) {
            int point = queue[begin];
            for (int at = start[point]; at < start[point + 1]; at++) {
                int next = to.get(edges[at]);
                if (capacity[edges[at]] > 0 && level[next] == NONE) {
                    level[next] = level[point] + 1;
                    queue[end++] = next;
                }
            }
        }
        return level[SINK] != NONE;
    }

    /** Pushes until every shortest way is full, going back only as far as the pipe that filled up. */
    private void fill() {
        int[] current = Arrays.copyOf(start, points);
        int[] way = new int[points];
        int length = 0;
        int point = SOURCE;
        while (true) {
            if (point == SINK) {
                length = push(way, length);
                point = from.get(way[length]);
            }
            while (current[point] < start[point + 1] && !leadsOn(point, edges[current[point]])) {
                current[point]++;
            }
            if (current[point] < start[point + 1]) {
                way[length++] = edges[current[point]];
                point = to.get(edges[current[point]]);
            } else if (length == 0) {
                return;
            } else {
                point = from.get(way[--length]);
                current[point]++;
            }
        }
    }

    private boolean leadsOn(int point, int edge) {
        return capacity[edge] > 0 && level[to.get(edge)] == level[point] + 1;
    }

    /** Pushes as much along a way as goes; how many of its pipes come before the first that filled up. */
    private int push(int[] way, int length) {
        long most = UNLIMITED;
        for (int step = 0; step < length; step++) {
            most = Math.min(most, capacity[way[step]]);
        }
        int before = 0;
        for (int step = length - 1; step >= 0; step--) {
            capacity[way[step]] -= most;
            capacity[way[step] ^ 1] += most;
            before = capacity[way[step]] == 0 ? step : before;
        }
        return before;
    }
}
