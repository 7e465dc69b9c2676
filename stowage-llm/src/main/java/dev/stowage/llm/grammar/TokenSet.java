package dev.stowage.llm.grammar;

import java.util.Arrays;
import java.util.BitSet;

/** Tokens of a vocabulary: a list where they are few, a bit for each otherwise. Immutable. */
final class TokenSet {

    private static final int BITS = Long.SIZE;

    private final int[] few;
    private final long[] words;

    /** Takes the tokens of a set of bits. */
    TokenSet(BitSet tokens, int vocabulary) {
        boolean sparse = tokens.cardinality() < vocabulary / Integer.SIZE;
        few = sparse ? tokens.stream().toArray() : new int[0];
        words = sparse ? new long[0] : Arrays.copyOf(tokens.toLongArray(), (vocabulary + BITS - 1) / BITS);
    }

    boolean isEmpty() {
        return words.length == 0 && few.length == 0;
    }

    boolean contains(int token) {
        return words.length == 0 ? Arrays.binarySearch(few, token) >= 0 : (words[token / BITS] >>> token & 1) != 0;
    }

    void addTo(BitSet set) {
        if (words.length == 0) {
            for (int token : few) {
                set.set(token);
            }
        } else {
            set.or(BitSet.valueOf(words));
        }
    }

    long bytes() {
        return (long) few.length * Integer.BYTES + (long) words.length * Long.BYTES;
    }

    /** Sets the logits of all other tokens to negative infinity. */
    void keepOnly(float[] logits) {
        if (words.length == 0) {
            keepFew(logits);
            return;
        }
        for (int word = 0; word < words.length; word++) {
            int first = word * BITS;
            int end = Math.min(first + BITS, logits.length);
            long kept = words[word];
            if (kept == 0) {
                Arrays.fill(logits, first, end, Float.NEGATIVE_INFINITY);
            } else if (kept != -1) {
                for (int token = first; token < end; token++) {
                    if ((kept >>> token & 1) == 0) {
                        logits[token] = Float.NEGATIVE_INFINITY;
                    }
                }
            }
        }
    }

    private void keepFew(float[] logits) {
        float[] values = new float[few.length];
        for (int i = 0; i < few.length; i++) {
            values[i] = logits[few[i]];
        }
        Arrays.fill(logits, Float.NEGATIVE_INFINITY);
        for (int i = 0; i < few.length; i++) {
            logits[few[i]] = values[i];
        }
    }
}
