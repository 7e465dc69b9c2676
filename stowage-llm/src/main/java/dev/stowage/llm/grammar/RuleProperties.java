package dev.stowage.llm.grammar;

import dev.stowage.llm.grammar.RuleStates.Edge;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** What is to be known of all rules together: which states can reach an end, which rules may be empty, which begin with which. */
final class RuleProperties {

    private final List<List<Edge>> edges;
    private final BitSet ending;
    private final List<Integer> begins;
    private final BitSet canEnd = new BitSet();
    private final BitSet nullable = new BitSet();

    /** By rule the rules that it may begin with. */
    private final List<BitSet> leading = new ArrayList<>();

    private final int[] order;
    private Optional<Integer> leftRecursion = Optional.empty();

    RuleProperties(List<List<Edge>> edges, BitSet ending, List<Integer> begins) {
        this.edges = edges;
        this.ending = ending;
        this.begins = begins;
        this.order = new int[begins.size()];
        findEnds();
        findLeading();
        sort();
    }

    /** Whether some text leads from that state to the end of its rule. */
    boolean canEnd(int state) {
        return canEnd.get(state);
    }

    boolean isNullable(int rule) {
        return nullable.get(rule);
    }

    /** A rule that may begin with itself, if there is one. */
    Optional<Integer> leftRecursion() {
        return leftRecursion;
    }

    /** By rule a number that is larger than those of the rules that may begin with it. */
    int[] order() {
        return order;
    }

    /** An edge seen from its target. */
    private record Backwards(int source, int rule) {}

    private void findEnds() {
        List<List<Backwards>> into = lists(edges.size());
        for (int state = 0; state < edges.size(); state++) {
            for (Edge edge : edges.get(state)) {
                into.get(edge.target()).add(new Backwards(state, edge.rule()));
            }
        }
        int[] ruleOf = new int[edges.size()];
        for (int rule = 0; rule < begins.size(); rule++) {
            ruleOf[begins.get(rule)] = rule + 1;
        }
        List<List<Integer>> waiting = lists(begins.size());
        Deque<Integer> work = new ArrayDeque<>();
        ending.stream().forEach(work::add);
        while (!work.isEmpty()) {
            int state = work.remove();
            if (canEnd.get(state)) {
                continue;
            }
            canEnd.set(state);
            if (ruleOf[state] > 0) {
                work.addAll(waiting.get(ruleOf[state] - 1));
            }
            for (Backwards edge : into.get(state)) {
                if (edge.rule() < 0 || canEnd.get(begins.get(edge.rule()))) {
                    work.add(edge.source());
                } else {
                    waiting.get(edge.rule()).add(edge.source());
                }
            }
        }
    }

    private static <T> List<List<T>> lists(int count) {
        List<List<T>> lists = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lists.add(new ArrayList<>());
        }
        return lists;
    }

    /** A state that is reached at the beginning of a rule, before anything has been read. */
    private record Lead(int rule, int state) {}

    private void findLeading() {
        List<List<Lead>> waiting = lists(begins.size());
        Deque<Lead> work = new ArrayDeque<>();
        BitSet seen = new BitSet();
        for (int rule = 0; rule < begins.size(); rule++) {
            leading.add(new BitSet());
            work.add(new Lead(rule, begins.get(rule)));
        }
        while (!work.isEmpty()) {
            Lead lead = work.remove();
            if (seen.get(lead.state()) || !canEnd.get(lead.state())) {
                continue;
            }
            seen.set(lead.state());
            if (ending.get(lead.state()) && !nullable.get(lead.rule())) {
                nullable.set(lead.rule());
                work.addAll(waiting.get(lead.rule()));
            }
            for (Edge edge : edges.get(lead.state())) {
                if (edge.rule() >= 0 && canEnd.get(edge.target()) && canEnd.get(begins.get(edge.rule()))) {
                    leading.get(lead.rule()).set(edge.rule());
                    Lead next = new Lead(lead.rule(), edge.target());
                    if (nullable.get(edge.rule())) {
                        work.add(next);
                    } else {
                        waiting.get(edge.rule()).add(next);
                    }
                }
            }
        }
    }

    /** Numbers the rules depth first, without recursion: a chain of rules may be long. */
    private void sort() {
        int next = begins.size();
        BitSet open = new BitSet();
        BitSet done = new BitSet();
        Deque<int[]> path = new ArrayDeque<>();
        for (int root = 0; root < begins.size(); root++) {
            if (!done.get(root)) {
                open.set(root);
                path.push(new int[] {root, 0});
            }
            while (!path.isEmpty()) {
                int[] top = path.element();
                int rule = leading.get(top[0]).nextSetBit(top[1]);
                if (rule < 0) {
                    path.pop();
                    open.clear(top[0]);
                    done.set(top[0]);
                    order[top[0]] = --next;
                    continue;
                }
                top[1] = rule + 1;
                if (open.get(rule)) {
                    leftRecursion = Optional.of(rule);
                } else if (!done.get(rule)) {
                    open.set(rule);
                    path.push(new int[] {rule, 0});
                }
            }
        }
    }
}
