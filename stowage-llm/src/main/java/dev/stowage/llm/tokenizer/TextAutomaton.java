package dev.stowage.llm.tokenizer;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds all of some words in one pass over a text, in time that does not depend on how many words there are or how they
 * contain each other (Aho and Corasick). Nodes are numbered so that a word's new nodes follow each other, and only a node
 * that branches off has an entry in a map: a node takes 14 bytes, however long words are.
 *
 * <pre>
 *   "she", "ship", "he"        0 ─s─ 1 ─h─ 2 ─e─ 3        4 is a branch of 2, 6 one of 0
 *                                          └─i─ 4 ─p─ 5
 *                              0 ─h─ 6 ─e─ 7              3 falls back to 7, 2 to 6, all others to 0
 * </pre>
 */
final class TextAutomaton {

    private static final int NONE = -1;

    private char[] labels = new char[64];
    private final BitSet branches = new BitSet();
    private final Map<Long, Integer> branchOf = new HashMap<>();
    private int size = 1;

    /** By node the longest other node whose text ends this one's. */
    private final int[] fallback;

    /** By node the word that ends there, or the longest one that ends its text; {@code NONE} for none. */
    private final int[] wordAt;

    private final int[] lengths;

    /** By word the next shorter one that ends it, and a much shorter one to skip to. */
    private final int[] shorter;

    private final int[] skips;
    private final int[] depths;

    /** For these words, which are numbered in their order and are not empty. */
    TextAutomaton(List<String> words) {
        int count = words.size();
        this.lengths = new int[count];
        int[] ends = new int[count];
        for (int word = 0; word < count; word++) {
            lengths[word] = words.get(word).length();
            ends[word] = insert(words.get(word));
        }
        labels = Arrays.copyOf(labels, size);
        this.fallback = new int[size];
        this.wordAt = new int[size];
        Arrays.fill(wordAt, NONE);
        for (int word = 0; word < count; word++) {
            wordAt[ends[word]] = word;
        }
        this.shorter = new int[count];
        this.skips = new int[count];
        this.depths = new int[count];
        link();
    }

    private int insert(String word) {
        int node = 0;
        int at = 0;
        for (int next; at < word.length() && (next = child(node, word.charAt(at))) != NONE; at++) {
            node = next;
        }
        if (at == word.length()) {
            return node;
        }
        labels = labels.length < size + word.length() ? Arrays.copyOf(labels, 2 * (size + word.length())) : labels;
        branches.set(size);
        branchOf.put(key(node, word.charAt(at)), size);
        for (; at < word.length(); at++) {
            labels[size++] = word.charAt(at);
        }
        return size - 1;
    }

    private static long key(int node, char c) {
        return (long) node << Character.SIZE | c;
    }

    private int child(int node, char c) {
        int next = node + 1;
        if (next < size && labels[next] == c && !branches.get(next)) {
            return next;
        }
        return branchOf.getOrDefault(key(node, c), NONE);
    }

    /** Sets fallbacks in the order of the distance from the root, so that those of shorter texts are known. */
    private void link() {
        int[][] branchesOf = branchesByNode();
        int[] queue = new int[size];
        int last = 1;
        for (int first = 0; first < last; first++) {
            int node = queue[first];
            if (node + 1 < size && !branches.get(node + 1)) {
                fall(node, node + 1);
                queue[last++] = node + 1;
            }
            for (int[] branch = branchesOf[0]; branchesOf[1][node] != NONE; ) {
                int next = branchesOf[1][node];
                branchesOf[1][node] = branch[next];
                fall(node, next);
                queue[last++] = next;
            }
        }
    }

    /** Lists of the branches of each node: by branch the next one, and by node the first. */
    private int[][] branchesByNode() {
        int[] next = new int[size];
        int[] first = new int[size];
        Arrays.fill(first, NONE);
        branchOf.forEach((key, branch) -> {
            int node = (int) (key >>> Character.SIZE);
            next[branch] = first[node];
            first[node] = branch;
        });
        return new int[][] {next, first};
    }

    private void fall(int parent, int node) {
        fallback[node] = parent == 0 ? 0 : step(fallback[parent], labels[node]);
        int ofFallback = wordAt[fallback[node]];
        int word = wordAt[node];
        if (word == NONE) {
            wordAt[node] = ofFallback;
            return;
        }
        shorter[word] = ofFallback;
        depths[word] = ofFallback == NONE ? 0 : depths[ofFallback] + 1;
        // Skips are as long as two earlier ones together, so that a chain of words is passed in few steps.
        int skip = ofFallback == NONE ? NONE : skips[ofFallback];
        int twice = skip == NONE ? NONE : skips[skip];
        boolean joins = twice != NONE && depths[ofFallback] - depths[skip] == depths[skip] - depths[twice];
        skips[word] = joins ? twice : ofFallback;
    }

    /** The node after one more character; the first is 0. */
    int step(int node, char c) {
        int at = node;
        while (true) {
            int next = child(at, c);
            if (next != NONE) {
                return next;
            }
            if (at == 0) {
                return 0;
            }
            at = fallback[at];
        }
    }

    /** The longest word that ends at a node, or -1. */
    int word(int node) {
        return wordAt[node];
    }

    int length(int word) {
        return lengths[word];
    }

    /** The longest of a word and those that end it that has at most so many characters, or -1. */
    int atMost(int word, int length) {
        int at = word;
        while (at != NONE && lengths[at] > length) {
            int skip = skips[at];
            at = skip != NONE && lengths[skip] > length ? skip : shorter[at];
        }
        return at;
    }
}
