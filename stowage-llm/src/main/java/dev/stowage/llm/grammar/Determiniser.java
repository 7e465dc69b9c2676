package dev.stowage.llm.grammar;

import dev.stowage.llm.grammar.RuleStates.Edge;
import java.nio.IntBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * Makes a rule deterministic, with rules it refers to as if they were bytes. Where that takes too many states, it only
 * leaves out the empty edges: then several states are active at a time.
 */
final class Determiniser {

    private static final int BYTES = 256;

    /** How many members all sets of states together may have, by state of the rule. */
    private static final int MEMBERS_PER_STATE = 64;

    /** States without empty edges. The first is where the rule begins; {@code last} are those where it may end. */
    record Result(List<List<Edge>> edges, BitSet last) {}

    private final RuleStates rule;
    private final Map<IntBuffer, Integer> numbers = new HashMap<>();
    private final Deque<int[]> open = new ArrayDeque<>();
    private final List<List<Edge>> edges = new ArrayList<>();
    private final BitSet last = new BitSet();
    private final Runnable counter;
    private long members;

    /** By state the number of the closure that reached it last. */
    private final int[] reached;

    private int closures;
    private final Deque<Integer> work = new ArrayDeque<>();

    private Determiniser(RuleStates rule, Runnable counter) {
        this.rule = rule;
        this.counter = counter;
        this.reached = new int[rule.size()];
    }

    /**
     * @param counter is called for every edge, to fail where there are too many
     */
    static Result of(RuleStates rule, Runnable counter) {
        Determiniser whole = new Determiniser(rule, counter);
        if (whole.run()) {
            return new Result(whole.edges, whole.last);
        }
        Determiniser partly = new Determiniser(rule, counter);
        partly.leaveOutEmpty();
        return new Result(partly.edges, partly.last);
    }

    private boolean run() {
        long limit = 4096 + (long) MEMBERS_PER_STATE * rule.size();
        number(closure(List.of(0)));
        while (!open.isEmpty()) {
            if (members > limit) {
                return false;
            }
            int[] set = open.remove();
            if (Arrays.binarySearch(set, rule.last()) >= 0) {
                last.set(edges.size());
            }
            edges.add(deterministic(set));
        }
        return true;
    }

    private int number(int[] set) {
        IntBuffer key = IntBuffer.wrap(set);
        Integer known = numbers.get(key);
        if (known != null) {
            return known;
        }
        members += set.length;
        numbers.put(key, numbers.size());
        open.add(set);
        return numbers.size() - 1;
    }

    /** The states that are reached without reading anything, sorted; without those that have empty edges alone. */
    private int[] closure(List<Integer> from) {
        closures++;
        List<Integer> kept = new ArrayList<>();
        from.forEach(work::push);
        while (!work.isEmpty()) {
            int state = work.pop();
            if (reached[state] == closures) {
                continue;
            }
            reached[state] = closures;
            boolean reads = state == rule.last();
            for (Edge edge : rule.edges(state)) {
                if (edge.isEmpty()) {
                    work.push(edge.target());
                } else {
                    reads = true;
                }
            }
            if (reads) {
                kept.add(state);
            }
        }
        return kept.stream().mapToInt(Integer::intValue).sorted().toArray();
    }

    private List<Edge> deterministic(int[] set) {
        List<Edge> reading = new ArrayList<>();
        SequencedMap<Integer, List<Integer>> calls = new TreeMap<>();
        boolean[] borders = new boolean[BYTES + 1];
        for (int state : set) {
            for (Edge edge : rule.edges(state)) {
                if (edge.low() >= 0) {
                    reading.add(edge);
                    borders[edge.low()] = true;
                    borders[edge.high() + 1] = true;
                } else if (edge.rule() >= 0) {
                    calls.computeIfAbsent(edge.rule(), _ -> new ArrayList<>()).add(edge.target());
                }
            }
        }
        List<Edge> result = new ArrayList<>();
        for (int low = 0; low < BYTES && !reading.isEmpty(); ) {
            int end = low + 1;
            while (end < BYTES && !borders[end]) {
                end++;
            }
            addBytes(low, end - 1, reading, result);
            low = end;
        }
        calls.forEach((called, targets) -> {
            counter.run();
            result.add(new Edge(-1, -1, called, number(closure(targets))));
        });
        return result;
    }

    private void addBytes(int low, int high, List<Edge> reading, List<Edge> result) {
        List<Integer> targets = new ArrayList<>();
        for (Edge edge : reading) {
            if (edge.low() <= low && high <= edge.high()) {
                targets.add(edge.target());
            }
        }
        if (targets.isEmpty()) {
            return;
        }
        int target = number(closure(targets));
        Edge before = result.isEmpty() ? null : result.getLast();
        if (before != null && before.target() == target && before.high() + 1 == low) {
            result.set(result.size() - 1, new Edge(before.low(), high, -1, target));
        } else {
            counter.run();
            result.add(new Edge(low, high, -1, target));
        }
    }

    private void leaveOutEmpty() {
        int[] kept = new int[rule.size()];
        Arrays.fill(kept, -1);
        Deque<Integer> queue = new ArrayDeque<>();
        keep(0, kept, queue);
        while (!queue.isEmpty()) {
            int[] closure = closure(List.of(queue.remove()));
            if (Arrays.binarySearch(closure, rule.last()) >= 0) {
                last.set(edges.size());
            }
            List<Edge> outgoing = new ArrayList<>();
            for (int state : closure) {
                for (Edge edge : rule.edges(state)) {
                    if (!edge.isEmpty()) {
                        counter.run();
                        outgoing.add(new Edge(edge.low(), edge.high(), edge.rule(), keep(edge.target(), kept, queue)));
                    }
                }
            }
            edges.add(outgoing);
        }
    }

    private int keep(int state, int[] kept, Deque<Integer> queue) {
        if (kept[state] < 0) {
            kept[state] = (int) members++;
            queue.add(state);
        }
        return kept[state];
    }
}
