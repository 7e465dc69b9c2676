package dev.stowage.llm.grammar;

import dev.stowage.error.MalformedDataException;
import dev.stowage.llm.grammar.RuleStates.Edge;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Compiles rules to an automaton: every rule is made deterministic where that is cheap, and states that cannot reach an end are
 * left out, so that whatever text has been accepted so far can be completed.
 */
final class AutomatonBuilder implements RuleStates.Rules {

    /** The most states and edges of a grammar. */
    static final int LARGEST = 1 << 19;

    /** Rules of that weight at most are put where they are used, if they use no other. */
    private static final int INLINED_WEIGHT = 80;

    private static final int BYTES = 256;

    private final RuleSet rules;
    private final String what;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> names = new ArrayList<>();
    private final List<Expression> bodies = new ArrayList<>();
    private final Map<String, Optional<Expression>> inlined = new HashMap<>();

    /** The edges of all states, and by rule the number of its first state. */
    private final List<List<Edge>> edges = new ArrayList<>();

    private final BitSet ending = new BitSet();
    private final List<Integer> begins = new ArrayList<>();
    private int counted;
    private String place = "";

    private AutomatonBuilder(RuleSet rules, String what) {
        this.rules = rules;
        this.what = what;
    }

    /**
     * @param what what the rules are, for messages
     * @throws MalformedDataException if a rule is not defined, begins with itself, or has no finite text, or if there would be
     *     too many states
     */
    static Automaton build(RuleSet rules, String what) {
        AutomatonBuilder builder = new AutomatonBuilder(rules, what);
        builder.compileAll();
        return builder.finish();
    }

    private void compileAll() {
        number(RuleSet.ROOT);
        for (int rule = 0; rule < bodies.size(); rule++) {
            place = names.get(rule);
            Determiniser.Result states = Determiniser.of(new RuleStates(this, bodies.get(rule)), this::count);
            int offset = edges.size();
            begins.add(offset);
            for (List<Edge> each : states.edges()) {
                edges.add(each.stream()
                        .map(edge -> new Edge(edge.low(), edge.high(), edge.rule(), offset + edge.target()))
                        .toList());
            }
            states.last().stream().forEach(state -> ending.set(offset + state));
        }
    }

    @Override
    public int number(String name) {
        Integer known = numbers.get(name);
        if (known != null) {
            return known;
        }
        RuleSet.Rule rule = rules.find(name);
        if (rule == null) {
            throw new MalformedDataException(what + " has no rule '" + name + "', which " + place + " refers to");
        }
        numbers.put(name, names.size());
        names.add(rule.place());
        bodies.add(rule.body());
        return names.size() - 1;
    }

    @Override
    public int anonymous(Expression body) {
        names.add(place);
        bodies.add(body);
        return names.size() - 1;
    }

    @Override
    public Optional<Expression> inlined(String name) {
        return inlined.computeIfAbsent(name, _ -> {
            RuleSet.Rule rule = rules.find(name);
            if (rule == null || !rule.body().isLeaf() || rule.body().weight(BYTES) > INLINED_WEIGHT) {
                return Optional.empty();
            }
            return Optional.of(rule.body());
        });
    }

    @Override
    public void count() {
        if (++counted > LARGEST) {
            throw new MalformedDataException(place + ": " + what + " is too large: compiled, it has more than "
                    + LARGEST + " states and edges; use smaller counts of repetitions");
        }
    }

    private Automaton finish() {
        RuleProperties properties = new RuleProperties(edges, ending, begins);
        if (!properties.canEnd(begins.getFirst())) {
            throw new MalformedDataException(names.getFirst() + ": " + what
                    + " has no finite text: whatever begins can never end; give a rule that refers to itself an alternative"
                    + " that does not");
        }
        properties.leftRecursion().ifPresent(rule -> {
            throw new MalformedDataException(
                    names.get(rule) + ": the rule begins with itself (left recursion), possibly"
                            + " through other rules; write the repetition with * or +, or with the rule at the end");
        });
        return flatten(properties);
    }

    private Automaton flatten(RuleProperties properties) {
        int states = edges.size();
        int[] firstEdge = new int[states + 1];
        int[] firstCall = new int[states + 1];
        List<Edge> reading = new ArrayList<>();
        List<Edge> calls = new ArrayList<>();
        for (int state = 0; state < states; state++) {
            for (Edge edge : edges.get(state)) {
                boolean useful = properties.canEnd(edge.target())
                        && (edge.rule() < 0 || properties.canEnd(begins.get(edge.rule())));
                if (useful) {
                    (edge.rule() < 0 ? reading : calls).add(edge);
                }
            }
            firstEdge[state + 1] = reading.size();
            firstCall[state + 1] = calls.size();
        }
        boolean[] ends = new boolean[states];
        ending.stream().forEach(state -> ends[state] = true);
        boolean[] nullable = new boolean[begins.size()];
        for (int rule = 0; rule < nullable.length; rule++) {
            nullable[rule] = properties.isNullable(rule);
        }
        int[] member = new int[BYTES];
        byte[] classOf = new byte[BYTES];
        int classes = classify(reading, classOf, member);
        return new Automaton(
                firstEdge,
                reading.stream().mapToInt(Edge::low).toArray(),
                reading.stream().mapToInt(Edge::high).toArray(),
                reading.stream().mapToInt(Edge::target).toArray(),
                firstCall,
                calls.stream().mapToInt(Edge::rule).toArray(),
                calls.stream().mapToInt(Edge::target).toArray(),
                ends,
                begins.stream().mapToInt(Integer::intValue).toArray(),
                nullable,
                properties.order(),
                classOf,
                Arrays.copyOf(member, classes));
    }

    private static int classify(List<Edge> reading, byte[] classOf, int[] member) {
        BitSet borders = new BitSet();
        for (Edge edge : reading) {
            borders.set(edge.low());
            borders.set(edge.high() + 1);
        }
        int classes = 0;
        for (int b = 0; b < BYTES; b++) {
            if (b == 0 || borders.get(b)) {
                member[classes++] = b;
            }
            classOf[b] = (byte) (classes - 1);
        }
        return classes;
    }
}
