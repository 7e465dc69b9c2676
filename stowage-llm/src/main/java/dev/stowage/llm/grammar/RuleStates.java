package dev.stowage.llm.grammar;

import dev.stowage.error.MalformedDataException;
import dev.stowage.llm.grammar.Utf8Ranges.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * One rule as a nondeterministic automaton: edges for a range of bytes, for another rule, and for nothing. The first state
 * is where it begins.
 */
final class RuleStates {

    /** Repetitions of more than that, of more than one character, have their body as a rule of its own: a state for each count. */
    private static final int LARGE_COUNT = 32;

    /**
     * An edge to a state.
     *
     * @param low the first byte, or -1 for none
     * @param high the last byte
     * @param rule the number of a rule, or -1 for none
     */
    record Edge(int low, int high, int rule, int target) {

        boolean isEmpty() {
            return low < 0 && rule < 0;
        }
    }

    /** Says which rules there are, and counts the states of all of them. */
    interface Rules {

        /** The number of a rule. */
        int number(String name);

        /** The number of a new rule with that body. */
        int anonymous(Expression body);

        /** The body of a rule if it is so small that it is to be put where it is used. */
        Optional<Expression> inlined(String name);

        /** Notes that there is one more state or edge. */
        void count();
    }

    private final Rules rules;
    private final List<List<Edge>> edges = new ArrayList<>();
    private final int last;

    RuleStates(Rules rules, Expression body) {
        this.rules = rules;
        this.last = add(body, state());
    }

    int size() {
        return edges.size();
    }

    List<Edge> edges(int state) {
        return edges.get(state);
    }

    /** The state where it may end. */
    int last() {
        return last;
    }

    private int state() {
        rules.count();
        edges.add(new ArrayList<>(2));
        return edges.size() - 1;
    }

    private void edge(int from, Edge edge) {
        rules.count();
        edges.get(from).add(edge);
    }

    private void empty(int from, int to) {
        edge(from, new Edge(-1, -1, -1, to));
    }

    /** Adds an expression after a state; returns the state after it. */
    private int add(Expression expression, int from) {
        return switch (expression) {
            case Expression.Text(String text) -> addText(text, from);
            case Expression.Chars(CodePoints set) -> addChars(set, from);
            case Expression.Sequence(List<Expression> parts) -> {
                int at = from;
                for (Expression part : parts) {
                    at = add(part, at);
                }
                yield at;
            }
            case Expression.Choice(List<Expression> alternatives) -> {
                int end = state();
                for (Expression each : alternatives) {
                    int begin = state();
                    empty(from, begin);
                    empty(add(each, begin), end);
                }
                yield end;
            }
            case Expression.Repeat repeat -> addRepeat(repeat, from);
            case Expression.Call(String name) -> {
                Optional<Expression> body = rules.inlined(name);
                yield body.isPresent() ? add(body.get(), from) : addCall(rules.number(name), from);
            }
        };
    }

    private int addText(String text, int from) {
        int at = from;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            int next = state();
            int value = Byte.toUnsignedInt(b);
            edge(at, new Edge(value, value, -1, next));
            at = next;
        }
        return at;
    }

    private int addChars(CodePoints set, int from) {
        int end = state();
        Map<List<Bytes>, Integer> tails = new HashMap<>();
        tails.put(List.of(), end);
        for (List<Bytes> sequence : Utf8Ranges.of(set)) {
            addSequence(from, sequence, tails);
        }
        return end;
    }

    /** Adds a sequence of bytes; those that end alike share their states. */
    private void addSequence(int from, List<Bytes> sequence, Map<List<Bytes>, Integer> tails) {
        int target = Objects.requireNonNull(tails.get(List.of()));
        for (int start = sequence.size() - 1; start > 0; start--) {
            List<Bytes> tail = sequence.subList(start, sequence.size());
            Integer known = tails.get(tail);
            if (known == null) {
                known = state();
                edge(known, new Edge(tail.getFirst().low(), tail.getFirst().high(), -1, target));
                tails.put(tail, known);
            }
            target = known;
        }
        edge(from, new Edge(sequence.getFirst().low(), sequence.getFirst().high(), -1, target));
    }

    private int addCall(int rule, int from) {
        int end = state();
        edge(from, new Edge(-1, -1, rule, end));
        return end;
    }

    private int addRepeat(Expression.Repeat repeat, int from) {
        int least = repeat.least();
        int most = repeat.most();
        int rule = Math.max(least, most) > LARGE_COUNT ? ruleFor(repeat.body()) : -1;
        int at = from;
        for (int i = 0; i < least; i++) {
            at = addBody(repeat.body(), rule, at);
        }
        if (most == Expression.UNLIMITED) {
            int loop = state();
            empty(at, loop);
            empty(addBody(repeat.body(), rule, loop), loop);
            return loop;
        }
        if (most < least) {
            throw new MalformedDataException("a repetition of at least " + least + " and at most " + most);
        }
        int end = state();
        empty(at, end);
        for (int i = least; i < most; i++) {
            at = addBody(repeat.body(), rule, at);
            empty(at, end);
        }
        return end;
    }

    /** The number of a rule for a body that is repeated often, or -1 if it takes no more states than a call of a rule. */
    private int ruleFor(Expression body) {
        if (body instanceof Expression.Call(String name)) {
            return rules.number(name);
        }
        return body.weight(2) > 1 ? rules.anonymous(body) : -1;
    }

    private int addBody(Expression body, int rule, int from) {
        return rule < 0 ? add(body, from) : addCall(rule, from);
    }
}
