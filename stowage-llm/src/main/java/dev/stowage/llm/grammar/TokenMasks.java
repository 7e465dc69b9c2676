package dev.stowage.llm.grammar;

import dev.stowage.llm.tokenizer.TokenTrie;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a vocabulary that may come next in each state of a grammar. Which tokens stay within the rule that is being
 * read depends on the state in that rule alone, and is computed once for it, for the whole vocabulary; only tokens that go on
 * after the end of the rule are looked at with the stack below. Thread-safe; what it remembers has a limit.
 */
final class TokenMasks {

    /** How many bytes it remembers before it begins anew. */
    private static final long MOST_BYTES = 64L << 20;

    /**
     * Tokens by a state without what is below it.
     *
     * @param tokens those whose bytes can be read
     * @param leaving nodes of the tree after which the rule may be over, where longer tokens go on
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    private record Local(TokenSet tokens, int[] leaving) {}

    private final Machine machine;
    private final TokenTrie trie;
    private final int vocabulary;
    private final int[] endTokens;
    private final Map<ParseState, Local> locals = new HashMap<>();
    private final Map<ParseState, TokenSet> masks = new HashMap<>();
    private final ParseState[] path;
    private long bytes;
    private WorkLimit limit = WorkLimit.none();

    TokenMasks(Automaton automaton, TokenTrie trie) {
        this.machine = new Machine(automaton);
        this.trie = trie;
        this.vocabulary = trie.vocabulary().size();
        this.path = new ParseState[trie.deepest() + 1];
        this.endTokens = IntStream.range(0, vocabulary)
                .filter(token -> trie.vocabulary().isEnd(token))
                .toArray();
    }

    TokenTrie trie() {
        return trie;
    }

    synchronized ParseState start() {
        return machine.start();
    }

    synchronized boolean mustEnd(ParseState state, WorkLimit text) {
        workFor(text);
        return machine.mustEnd(state) && machine.mayEnd(state);
    }

    /** Sets the logits of tokens that may not come next to negative infinity; says whether any is left. */
    boolean mask(ParseState state, float[] logits, WorkLimit text) {
        TokenSet allowed;
        boolean end;
        synchronized (this) {
            workFor(text);
            allowed = allowed(state);
            end = machine.mayEnd(state);
        }
        float[] endLogits = new float[endTokens.length];
        for (int i = 0; i < endTokens.length; i++) {
            endLogits[i] = logits[endTokens[i]];
        }
        allowed.keepOnly(logits);
        for (int i = 0; i < endTokens.length && end; i++) {
            logits[endTokens[i]] = endLogits[i];
        }
        return !allowed.isEmpty() || (end && endTokens.length > 0);
    }

    /** The state after a token, or null if it may not come next. */
    synchronized @Nullable ParseState after(ParseState state, byte[] token, WorkLimit text) {
        workFor(text);
        ParseState at = state;
        for (byte b : token) {
            at = machine.next(at, machine.automaton().classOf(b));
            if (at.isDead()) {
                return null;
            }
        }
        return at;
    }

    private void workFor(WorkLimit text) {
        limit = text;
        machine.workFor(text);
    }

    private TokenSet allowed(ParseState state) {
        TokenSet known = masks.get(state);
        if (known != null) {
            return known;
        }
        if (bytes + machine.rememberedBytes() > MOST_BYTES) {
            locals.clear();
            masks.clear();
            machine.forget();
            bytes = 0;
        }
        BitSet tokens = new BitSet(vocabulary);
        Deque<ParseState> open = new ArrayDeque<>();
        Set<ParseState> seen = new HashSet<>();
        open.add(state);
        while (!open.isEmpty()) {
            ParseState next = open.remove();
            if (seen.add(next)) {
                addAllowed(next, tokens, open);
            }
        }
        TokenSet allowed = new TokenSet(tokens, vocabulary);
        bytes += allowed.bytes();
        masks.put(state, allowed);
        return allowed;
    }

    /** Adds the tokens of a state; states below it from which the same tokens are to be looked at go into {@code open}. */
    private void addAllowed(ParseState state, BitSet tokens, Deque<ParseState> open) {
        Configuration[] kernel = state.kernel();
        Map<StackNode, Configuration[]> byNode = new HashMap<>();
        for (Configuration each : kernel) {
            byNode.merge(each.below(), new Configuration[] {local(each)}, TokenMasks::joined);
        }
        byNode.forEach((below, members) -> {
            ParseState within = machine.state(members, false);
            Local local = local(within);
            local.tokens().addTo(tokens);
            if (below.returns().length == 0) {
                return;
            }
            ParseState after = machine.state(below.returns(), below.reachesEnd());
            if (machine.mayEnd(within)) {
                open.add(after);
            }
            for (int node : local.leaving()) {
                walk(after, node, tokens, null);
            }
        });
    }

    private static Configuration local(Configuration configuration) {
        return new Configuration(configuration.state(), StackNode.BOTTOM);
    }

    private static Configuration[] joined(Configuration[] some, Configuration[] more) {
        Configuration[] joined = Arrays.copyOf(some, some.length + more.length);
        System.arraycopy(more, 0, joined, some.length, more.length);
        return joined;
    }

    private Local local(ParseState within) {
        Local known = locals.get(within);
        if (known != null) {
            return known;
        }
        BitSet tokens = new BitSet(vocabulary);
        BitSet leaving = new BitSet();
        walk(within, 0, tokens, leaving);
        Local local =
                new Local(new TokenSet(tokens, vocabulary), leaving.stream().toArray());
        bytes += local.tokens().bytes() + (long) local.leaving().length * Integer.BYTES;
        locals.put(within, local);
        return local;
    }

    /** Adds the tokens below a node of the tree that a state can read, and the nodes after which the text may end. */
    private void walk(ParseState from, int top, BitSet tokens, @Nullable BitSet ends) {
        Automaton automaton = machine.automaton();
        path[trie.depth(top)] = from;
        int end = trie.end(top);
        for (int node = top + 1; node < end; ) {
            limit.node();
            int depth = trie.depth(node);
            ParseState state = machine.next(path[depth - 1], automaton.classOf(trie.label(node)));
            if (state.isDead()) {
                node = trie.end(node);
                continue;
            }
            path[depth] = state;
            for (int i = 0; i < trie.tokens(node); i++) {
                tokens.set(trie.token(node, i));
            }
            if (ends != null && trie.end(node) > node + 1 && machine.mayEnd(state)) {
                ends.set(node);
            }
            node++;
        }
    }
}
