package dev.stowage.llm.tokenizer;

import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.Printable;
import java.util.Arrays;

/**
 * Which two tokens join to which third, and how early: a hash table over plain arrays, because it is asked for every
 * pair of neighbours of every word.
 */
final class MergeTable {

    private static final long FREE = -1;

    private final long[] pairs;
    private final int[] ranks;
    private final int[] results;
    private final int mask;

    private MergeTable(int merges) {
        int capacity = Math.max(16, Integer.highestOneBit(Math.max(1, merges)) * 4);
        this.pairs = new long[capacity];
        this.ranks = new int[capacity];
        this.results = new int[capacity];
        this.mask = capacity - 1;
        Arrays.fill(pairs, FREE);
    }

    /**
     * The table of the metadata, each of whose elements is two tokens with a blank between them, the earliest first.
     */
    static MergeTable read(GgufMetadata metadata, Vocabulary vocabulary) {
        GgufArray array = metadata.array(TokenizerKeys.MERGES);
        if (array.elementType() != GgufType.STRING) {
            throw new MalformedDataException(
                    "key '" + TokenizerKeys.MERGES + "' must be an array of strings, and is " + array);
        }
        MergeTable table = new MergeTable(array.size());
        for (int rank = 0; rank < array.size(); rank++) {
            String merge = array.text(rank);
            // A token may begin with a blank, but none is empty.
            int blank = merge.indexOf(' ', 1);
            if (blank < 0 || blank == merge.length() - 1) {
                throw new MalformedDataException("key '" + TokenizerKeys.MERGES + "': element " + rank + ", '"
                        + Printable.brief(merge)
                        + "', is not two tokens with a blank between them");
            }
            String left = merge.substring(0, blank);
            String right = merge.substring(blank + 1);
            table.put(
                    known(vocabulary, left, merge, rank),
                    known(vocabulary, right, merge, rank),
                    rank,
                    known(vocabulary, left + right, merge, rank));
        }
        return table;
    }

    private static int known(Vocabulary vocabulary, String text, String merge, int rank) {
        int id = vocabulary.idOf(text);
        if (id < 0) {
            throw new MalformedDataException("key '" + TokenizerKeys.MERGES + "': element " + rank + ", '"
                    + Printable.brief(merge)
                    + "', needs the token '" + Printable.brief(text) + "', which is not in '" + TokenizerKeys.TOKENS
                    + "'");
        }
        return id;
    }

    private void put(int left, int right, int rank, int result) {
        int slot = slot(left, right);
        if (pairs[slot] == FREE) {
            pairs[slot] = pair(left, right);
            ranks[slot] = rank;
            results[slot] = result;
        }
    }

    /** Where a pair is, or would be. */
    int slot(int left, int right) {
        long pair = pair(left, right);
        int slot = (int) ((pair * 0x9E3779B97F4A7C15L) >>> Integer.SIZE) & mask;
        while (pairs[slot] != pair && pairs[slot] != FREE) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    boolean has(int slot) {
        return pairs[slot] != FREE;
    }

    /** How early the pair joins: the lower, the earlier. */
    int rank(int slot) {
        return ranks[slot];
    }

    /** What the pair joins to. */
    int result(int slot) {
        return results[slot];
    }

    private static long pair(int left, int right) {
        return ((long) left << Integer.SIZE) | right;
    }
}
