package dev.stowage.llm.tokenizer;

import java.util.Arrays;

/** A list of token ids that grows. */
final class TokenList {

    private int[] ids = new int[32];
    private int size;

    void add(int id) {
        if (size == ids.length) {
            ids = Arrays.copyOf(ids, 2 * size);
        }
        ids[size++] = id;
    }

    int[] toArray() {
        return Arrays.copyOf(ids, size);
    }
}
