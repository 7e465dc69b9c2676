package dev.stowage.llm.tokenizer;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The tokens of a vocabulary that are text, as a tree of their bytes: whoever looks for the tokens that may come next reads a
 * beginning that many of them share once. Nodes are numbered depth first, so that a node, everything below it, and its tokens
 * are ranges. Node 0 is the root, which has no tokens.
 */
public final class TokenTrie {

    private final TokenPieces pieces;
    private final Vocabulary vocabulary;

    /** The tokens that are text, by their bytes. */
    private final int[] sorted;

    private final byte[] labels;
    private final int[] depths;
    private final int[] ends;

    /** By node where its tokens begin in {@link #sorted}. */
    private final int[] tokenStarts;

    private final int deepest;

    TokenTrie(Vocabulary vocabulary, TokenPieces pieces) {
        this.vocabulary = vocabulary;
        this.pieces = pieces;
        this.sorted = IntStream.range(0, vocabulary.size())
                .filter(this::isText)
                .boxed()
                .sorted(this::compare)
                .mapToInt(Integer::intValue)
                .toArray();
        Nodes nodes = new Nodes();
        for (int i = 0; i < sorted.length; i++) {
            nodes.add(i);
        }
        nodes.finish();
        this.labels = Arrays.copyOf(nodes.labels, nodes.count);
        this.depths = Arrays.copyOf(nodes.depths, nodes.count);
        this.ends = Arrays.copyOf(nodes.ends, nodes.count);
        this.tokenStarts = Arrays.copyOf(nodes.tokenStarts, nodes.count + 1);
        this.deepest = nodes.deepest;
    }

    private boolean isText(int token) {
        return pieces.start(token) < pieces.end(token)
                && !vocabulary.type(token).isHidden()
                && !vocabulary.isEnd(token);
    }

    private int compare(int one, int other) {
        return Arrays.compareUnsigned(
                pieces.bytes(),
                pieces.start(one),
                pieces.end(one),
                pieces.bytes(),
                pieces.start(other),
                pieces.end(other));
    }

    /** The tokens it was made of. */
    public Vocabulary vocabulary() {
        return vocabulary;
    }

    /** How many nodes there are. */
    public int nodes() {
        return labels.length;
    }

    /** The byte that leads to a node. */
    public byte label(int node) {
        return labels[node];
    }

    /** How many bytes lead to a node. */
    public int depth(int node) {
        return depths[node];
    }

    /** The largest number of bytes of a token. */
    public int deepest() {
        return deepest;
    }

    /** The first node after a node that is not below it. */
    public int end(int node) {
        return ends[node];
    }

    /** How many tokens have exactly the bytes of a node. */
    public int tokens(int node) {
        return tokenStarts[node + 1] - tokenStarts[node];
    }

    /** One of the tokens of a node. */
    public int token(int node, int number) {
        return sorted[tokenStarts[node] + number];
    }

    @Override
    public String toString() {
        return sorted.length + " tokens in " + labels.length + " nodes";
    }

    /** The nodes while they are made. */
    private final class Nodes {

        private byte[] labels = new byte[1024];
        private int[] depths = new int[1024];
        private int[] ends = new int[1024];
        private int[] tokenStarts = new int[1025];
        private int count = 1;
        private int deepest;

        /** The nodes of the last token, by depth. */
        private int[] path = new int[64];

        private int length;

        void add(int index) {
            int start = pieces.start(sorted[index]);
            int size = pieces.end(sorted[index]) - start;
            int shared = 0;
            while (shared < Math.min(length, size) && labels[path[shared + 1]] == pieces.bytes()[start + shared]) {
                shared++;
            }
            close(shared);
            for (int i = shared; i < size; i++) {
                append(pieces.bytes()[start + i], i + 1, index);
            }
            // The node of this token is the last one, whose tokens end here as far as is known.
            tokenStarts[count] = index + 1;
        }

        private void append(byte label, int depth, int index) {
            if (count + 1 >= tokenStarts.length) {
                labels = Arrays.copyOf(labels, 2 * count + 2);
                depths = Arrays.copyOf(depths, 2 * count + 2);
                ends = Arrays.copyOf(ends, 2 * count + 2);
                tokenStarts = Arrays.copyOf(tokenStarts, 2 * count + 3);
            }
            if (depth >= path.length) {
                path = Arrays.copyOf(path, 2 * path.length);
            }
            labels[count] = label;
            depths[count] = depth;
            tokenStarts[count] = index;
            path[depth] = count;
            length = depth;
            deepest = Math.max(deepest, depth);
            count++;
        }

        private void close(int shared) {
            for (; length > shared; length--) {
                ends[path[length]] = count;
            }
        }

        void finish() {
            close(0);
            ends[0] = count;
        }
    }
}
