package dev.stowage.llm.grammar;

import dev.stowage.error.MalformedDataException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Runs an automaton: what states a text leads to. States and stacks are made once for the same contents, so that
 * a text that goes on like another finds everything computed. Not thread-safe.
 */
final class Machine {

    /** The most ways to read one text. */
    static final int MOST_WAYS = 5_000;

    private static final int STATE_BYTES = 100;
    private static final int REFERENCE_BYTES = 4;
    private static final int WAY_BYTES = 32;

    private final Automaton automaton;
    private final Map<ParseState, ParseState> states = new HashMap<>();
    private final Map<StackKey, StackNode> nodes = new HashMap<>();
    private long nextNode = 1;
    private long rememberedWays;
    private WorkLimit limit = WorkLimit.none();

    Machine(Automaton automaton) {
        this.automaton = automaton;
    }

    Automaton automaton() {
        return automaton;
    }

    /** Before the first byte of a text. */
    ParseState start() {
        return state(new Configuration[] {new Configuration(automaton.begin()[0], StackNode.BOTTOM)}, false);
    }

    /** About how many bytes it remembers. */
    long rememberedBytes() {
        return states.size() * (STATE_BYTES + (long) REFERENCE_BYTES * automaton.classes())
                + WAY_BYTES * rememberedWays;
    }

    /** Forgets all states; those that somebody still has stay valid. */
    void forget() {
        states.clear();
        nodes.clear();
        rememberedWays = 0;
    }

    /** What is computed from now on counts for that text. */
    void workFor(WorkLimit text) {
        limit = text;
    }

    /** The state after one more byte of a class. */
    ParseState next(ParseState from, int byteClass) {
        ParseState known = from.next(byteClass);
        if (known != null) {
            return known;
        }
        int member = automaton.member()[byteClass];
        Kernel kernel = new Kernel();
        for (Configuration each : reading(from)) {
            int end = automaton.firstEdge()[each.state() + 1];
            for (int edge = automaton.firstEdge()[each.state()]; edge < end; edge++) {
                if (automaton.low()[edge] <= member && member <= automaton.high()[edge]) {
                    kernel.add(automaton.target()[edge], each.below());
                }
            }
        }
        ParseState after = kernel.finish();
        from.setNext(byteClass, after, automaton.classes());
        return after;
    }

    /** Whether the text may end in that state. */
    boolean mayEnd(ParseState state) {
        reading(state);
        return state.mayEnd();
    }

    /** Whether nothing can follow in that state. */
    boolean mustEnd(ParseState state) {
        return reading(state).length == 0;
    }

    /** The configurations of a state that read a byte. */
    private Configuration[] reading(ParseState state) {
        Configuration[] known = state.reading();
        if (known != null) {
            return known;
        }
        Closure closure = new Closure(state);
        Configuration[] found = closure.run();
        rememberedWays += found.length;
        state.close(found, closure.mayEnd);
        return found;
    }

    /** The state with these ways to have read a text. */
    ParseState state(Configuration[] kernel, boolean ended) {
        ParseState made = new ParseState(kernel, ended);
        ParseState known = states.putIfAbsent(made, made);
        if (known != null) {
            return known;
        }
        rememberedWays += kernel.length;
        return made;
    }

    private StackNode node(Configuration[] returns, boolean reachesEnd) {
        if (returns.length == 0) {
            return StackNode.BOTTOM;
        }
        return nodes.computeIfAbsent(new StackKey(returns, reachesEnd), key -> {
            rememberedWays += returns.length;
            return new StackNode(nextNode++, key.returns(), key.reachesEnd());
        });
    }

    @SuppressWarnings("ArrayRecordComponent") // compared by what is in it
    private record StackKey(Configuration[] returns, boolean reachesEnd) {

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof StackKey key && reachesEnd == key.reachesEnd && Arrays.equals(returns, key.returns);
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(returns) + Boolean.hashCode(reachesEnd);
        }
    }

    private void count(int ways) {
        limit.ways(1);
        if (ways > MOST_WAYS) {
            throw new MalformedDataException("there are more than " + MOST_WAYS
                    + " ways to read the text so far by this grammar: make it less ambiguous");
        }
    }

    /** The configurations after a byte, without those whose rule is over: what is below takes their place. */
    private final class Kernel {

        private final Set<Configuration> all = new TreeSet<>();
        private final Deque<Configuration> open = new ArrayDeque<>();
        private final Set<StackNode> popped = new HashSet<>();
        private boolean ended;

        void add(int state, StackNode below) {
            open.add(new Configuration(state, below));
            while (!open.isEmpty()) {
                Configuration next = open.remove();
                count(all.size());
                if (!automaton.isOver(next.state())) {
                    all.add(next);
                } else if (popped.add(next.below())) {
                    ended |= next.below().reachesEnd();
                    open.addAll(Arrays.asList(next.below().returns()));
                }
            }
        }

        ParseState finish() {
            return state(all.toArray(Configuration[]::new), ended);
        }
    }

    /** Where a rule that begins here returns to. */
    private static final class Returns {
        private final Set<Configuration> states = new TreeSet<>();
        private boolean reachesEnd;
    }

    /** Everything that begins or ends at one place of a text. */
    private final class Closure {

        private final Set<Configuration> seen = new HashSet<>();
        private final Set<Configuration> reading = new TreeSet<>();
        private final Deque<Configuration> open = new ArrayDeque<>();

        /** The rules that begin here by their order: one comes after all that may begin with it. */
        private final TreeMap<Integer, Integer> rules = new TreeMap<>();

        private final Map<Integer, Returns> returns = new HashMap<>();
        private boolean mayEnd;

        Closure(ParseState state) {
            open.addAll(Arrays.asList(state.kernel()));
            mayEnd = state.hasEnded();
        }

        Configuration[] run() {
            expand();
            while (!rules.isEmpty()) {
                int rule = rules.pollFirstEntry().getValue();
                Returns from = Objects.requireNonNull(returns.get(rule));
                StackNode node = node(from.states.toArray(Configuration[]::new), from.reachesEnd);
                open.add(new Configuration(automaton.begin()[rule], node));
                expand();
            }
            return reading.toArray(Configuration[]::new);
        }

        private void expand() {
            while (!open.isEmpty()) {
                Configuration next = open.remove();
                count(seen.size());
                if (!seen.add(next)) {
                    continue;
                }
                int state = next.state();
                if (automaton.ending()[state]) {
                    mayEnd |= next.below().reachesEnd();
                    open.addAll(Arrays.asList(next.below().returns()));
                }
                if (automaton.firstEdge()[state] < automaton.firstEdge()[state + 1]) {
                    reading.add(next);
                }
                for (int call = automaton.firstCall()[state]; call < automaton.firstCall()[state + 1]; call++) {
                    call(automaton.called()[call], automaton.after()[call], next.below());
                }
            }
        }

        private void call(int rule, int after, StackNode below) {
            Returns into = returns.computeIfAbsent(rule, _ -> new Returns());
            rules.put(automaton.order()[rule], rule);
            if (automaton.isOver(after)) {
                // Nothing is left of the calling rule: without this, recursion at the end of a rule would grow the
                // stack.
                limit.ways(below.returns().length);
                into.reachesEnd |= below.reachesEnd();
                into.states.addAll(Arrays.asList(below.returns()));
            } else {
                into.states.add(new Configuration(after, below));
            }
            if (automaton.nullable()[rule]) {
                open.add(new Configuration(after, below));
            }
        }
    }
}
