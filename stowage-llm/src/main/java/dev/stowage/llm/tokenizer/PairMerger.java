package dev.stowage.llm.tokenizer;

/**
 * Joins neighbours until no two of them join any more, always the most urgent pair first. This is what byte pairs and
 * SentencePiece have in common; they differ in what may join and how urgent it is. A run takes time in proportion to
 * {@code n log n}, and the arrays serve one run after the other.
 */
abstract class PairMerger {

    private final MergeQueue queue = new MergeQueue();

    /** The token each symbol is, or -1. */
    private int[] ids = new int[0];

    /** How long each symbol is; 0 once it was joined to its left neighbour. */
    private int[] lengths = new int[0];

    private int[] starts = new int[0];
    private int[] previous = new int[0];
    private int[] next = new int[0];
    private int count;

    /** Begins a run of at most so many symbols. */
    final void begin(int atMost) {
        if (ids.length < atMost) {
            int capacity = Math.max(atMost, 2 * ids.length);
            ids = new int[capacity];
            lengths = new int[capacity];
            starts = new int[capacity];
            previous = new int[capacity];
            next = new int[capacity];
        }
        count = 0;
        queue.clear();
    }

    /** Adds a symbol at the end. */
    final void addSymbol(int id, int start, int length) {
        ids[count] = id;
        starts[count] = start;
        lengths[count] = length;
        previous[count] = count - 1;
        next[count] = count + 1;
        count++;
    }

    /** Joins all pairs that can be joined, and passes on the remaining tokens, in order. */
    final void run(TokenList out) {
        if (count == 0) {
            return;
        }
        next[count - 1] = -1;
        for (int left = 0; left + 1 < count; left++) {
            offer(left, left + 1);
        }
        while (!queue.isEmpty()) {
            int left = queue.left();
            int length = queue.length();
            int result = queue.result();
            queue.remove();
            int right = next[left];
            // Symbols only ever grow, so that a pair of the same length is the same pair.
            if (lengths[left] > 0 && right >= 0 && lengths[left] + lengths[right] == length) {
                join(left, right, result);
            }
        }
        for (int at = 0; at >= 0; at = next[at]) {
            emit(ids[at], starts[at], lengths[at], out);
        }
    }

    private void join(int left, int right, int result) {
        ids[left] = result;
        lengths[left] += lengths[right];
        lengths[right] = 0;
        int after = next[right];
        next[left] = after;
        if (after >= 0) {
            previous[after] = left;
            offer(left, after);
        }
        if (previous[left] >= 0) {
            offer(previous[left], left);
        }
    }

    /** Says by {@link #joins} whether two neighbours join. */
    abstract void offer(int left, int right);

    /** Two neighbours join to a token; the lower the urgency, the earlier. */
    final void joins(int left, int right, int urgency, int result) {
        queue.add(urgency, left, lengths[left] + lengths[right], result);
    }

    /** Emits a symbol that is left. */
    abstract void emit(int id, int start, int length, TokenList out);

    final int id(int symbol) {
        return ids[symbol];
    }

    final int start(int symbol) {
        return starts[symbol];
    }

    final int end(int symbol) {
        return starts[symbol] + lengths[symbol];
    }
}
